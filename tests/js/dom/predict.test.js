// Numbers that are predicted before the walkthrough shows them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload, press } from "./page.js";
import { walk, write } from "./walking.js";

const predicting = (/** @type {string} */ step, sub = "", name = "first") =>
  walk(name, { place: { step, sub, predict: true } });

const hasClass = (/** @type {any} */ node, /** @type {string} */ name) => node.classList.contains(name);

test("every number of a step has a field, and none of them is on the page", async () => {
  const { all, element } = await predicting("scaled_scores");
  assert.equal(all("input.answer").length, 9);
  assert.ok(!element().textContent.includes("3.5355"));
});

test("what is revealed says which predictions were right to their last digit, and what they were", async () => {
  const { all, cell, named, line } = await predicting("scaled_scores");
  const exact = payload("first").matrices.scaled_scores.values[0].flat();
  const texts = ["3.54", "9.2", "14.9", "9.17", "100", "abc"];
  for (const [at, text] of texts.entries()) write(all("input.answer")[at], text);
  named("reveal").click();
  const cells = exact.map((_, at) => cell(`scaled_scores|0|${Math.floor(at / 3)}|${at % 3}`));
  // Off by one unit of the last printed digit at most: 14.8492 against 14.9 is right, 9.1924 against 9.17 is not.
  for (const [at, right] of [true, true, true, false, false].entries()) {
    assert.ok(hasClass(cells[at], right ? "right" : "wrong"), texts[at]);
    assert.ok(cells[at].textContent.includes(exact[at].toFixed(4)));
    const [mark] = cells[at].querySelectorAll('[role="img"]');
    assert.equal(mark.getAttribute("aria-label"), right ? "right" : "wrong");
  }
  assert.ok(line().includes("3 of 5 right · 1 answer is not a number"));
  assert.equal(cells[5].textContent, `${exact[5].toFixed(4)}?abc`);
  assert.ok(!hasClass(cells[5], "wrong"));
  assert.equal(cells[3].querySelector("s").textContent, "9.17");
  assert.equal(cells[8].textContent, exact[8].toFixed(4));
});

test("after a click on the switch the first number can be typed, but not before an audience", async () => {
  const isTyped = async (/** @type {string} */ view, /** @type {number} */ detail) => {
    const { all, named } = await walk("first", { place: { step: "q", view } });
    named("predict").dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
    return document.activeElement === all("input.answer")[0];
  };
  assert.deepEqual(
    [await isTyped("", 1), await isTyped("", 0), await isTyped("presenter", 1)],
    [true, false, false],
  );
});

test("once a step is revealed, the line explains the first mistake", async () => {
  const { all, named, line } = await predicting("q");
  const fields = all("input.answer");
  const exact = payload("first").matrices.q.values[0].flat();
  fields.slice(0, 4).forEach((field, at) => write(field, String(exact[at] + (at > 1 ? 1 : 0))));
  named("reveal").click();
  assert.match(line(), /^Q\[计算机, 1\] = .*2 of 4 right/);
});

test("what a step does to one token is said once the whole step is revealed", async () => {
  const { named, keys, text } = await predicting("q");
  assert.equal(text(".example:not([hidden])"), undefined);
  named("reveal").click();
  assert.match(text(".example:not([hidden])"), /^Follow “计算机”/);
  keys("ArrowDown");
  assert.equal(text(".example:not([hidden])"), undefined);
});

test("a text that is not a number is neither taken nor lost", async () => {
  const { at, all, line, text } = await predicting("q", "1");
  assert.match(line(), /^Q\[思考, 1\] = \? ?Which number goes in each box\?/);
  const [field] = all("input.answer");
  field.focus();
  write(field, "abc");
  press("Enter", field);
  assert.deepEqual([at(), field.value], ["q 1", "abc"]);
  assert.equal(text(".line .refused"), "Q[思考, 1] of head 1: “abc” is not a number.");
});

test("a field keeps the keys that are typed into it", async () => {
  const { at, all } = await predicting("q", "1");
  const [field] = all("input.answer");
  field.focus();
  for (const key of ["ArrowRight", "2"]) assert.ok(!press(key, field).defaultPrevented, key);
  assert.equal(at(), "q 1");
});

test("Enter in the last field reveals, and the arrow reveals before it leads on", async () => {
  const { at, all, cell, line, keys } = await predicting("q", "1");
  const [field] = all("input.answer");
  field.focus();
  write(field, "1");
  press("Enter", field);
  assert.ok(hasClass(cell("q|0|0|0"), "right"));
  assert.ok(line().includes("1 of 1 right"));
  keys("ArrowRight");
  assert.deepEqual([at(), all("input.answer").length], ["q 2", 1]);
  keys("ArrowRight");
  assert.deepEqual([at(), all("input.answer").length], ["q 2", 0]);
  keys("ArrowRight");
  assert.equal(at(), "q 3");
});

test("Escape leaves the field", async () => {
  const { all } = await predicting("q", "1");
  const [field] = all("input.answer");
  field.focus();
  press("Escape", field);
  assert.notEqual(document.activeElement, field);
});

const printed = (/** @type {number} */ number) => number.toFixed(4).replace("-", "−");
const LINE = new RegExp(
  String.raw`^(\S+\[[^[\]=]+, [^[\]=]+\] = \?)?` +
    String.raw`(The largest score of each row is subtracted first, which changes no weight\.)?Which number goes in each box\?.*`,
);

for (const name of ["alibi", "additive", "rotary, cosine", "output-projection, sinusoidal"])
  test(`nothing on the page tells what is to be predicted, at any depth and in every head: ${name}`, async () => {
    const { element, all, line, keys, data } = await predicting("", "", name);
    assert.ok(hasClass(document.documentElement, "mha-predicting")); // which hides what is said of the example
    const heads = new Set();
    for (let depth = 0; depth < 3; depth++) {
      for (let at = 0; at < data.stages.length; at++) {
        all(".outline button")[at].click();
        const fields = all("input.answer").map(({ dataset }) => dataset.of);
        if (!fields.length) {
          assert.ok(["tokens", "inputs", "given", "concat", "closing"].includes(data.stages[at].id));
          continue;
        }
        const [matrix, head] = fields[0].split("|");
        assert.ok(fields.every((key) => key.startsWith(`${matrix}|${head}|`)));
        heads.add(`${head} ${depth}`);
        for (const td of all("td[data-key]").filter(({ dataset }) => fields.includes(dataset.key))) {
          assert.deepEqual([td.textContent, td.dataset.kind], ["", "unknown"]);
          assert.equal(Number(td.style.getPropertyValue("--tone")), 0);
        }
        assert.equal(
          all("td[data-power]")
            .map(({ textContent }) => textContent)
            .join(""),
          "",
        );
        assert.match(line(), LINE);
        // Anywhere but in the cells that are read, its digits appear only where they are the divisor's.
        const rest = /** @type {HTMLElement} */ (element().cloneNode(true));
        for (const td of rest.querySelectorAll("td[data-key]")) td.remove();
        const attributes = [...rest.querySelectorAll("*")].flatMap((node) => [...node.attributes]);
        const told = [rest.textContent, ...attributes.map(({ value }) => value)].join(" ¦ ");
        const digits = new Set(told.match(/−?\d+\.\d+/g));
        digits.delete(payload("divisors")[name].toFixed(4));
        const { values, perHead } = data.matrices[matrix];
        const rows = perHead ? values[Number(head)] : values;
        for (const key of fields) {
          const [, , row, col] = key.split("|");
          const number = rows[row][col];
          if (number !== null && number % 1) assert.ok(!digits.has(printed(number)), key);
        }
      }
      keys("Home", "ArrowDown");
    }
    for (let head = 0; head < data.dims.h; head++)
      for (let depth = 0; depth < 3; depth++) assert.ok(heads.has(`${head} ${depth}`), `${head} ${depth}`);
  });
