// What the tables show through a lens: the change since a baseline, and the derivative of a number.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload } from "./page.js";

Object.defineProperty(HTMLElement.prototype, "clientWidth", { value: 2400 }); // all heads have room

const SIGNS = payload("signs");

/** @param {string} name */
async function lens(name) {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const signs = () => {
    const signed = [...page.root.querySelectorAll("td[data-lens]")];
    return Object.fromEntries(signed.map(({ dataset }) => [dataset.key, dataset.lens]));
  };
  const line = async (/** @type {string} */ key) => {
    cell(key).dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    await null; // it is written once for all that an event does
    return find(".explain .line").textContent.replace(/\s+/g, " ").trim();
  };
  const description = (/** @type {string} */ key) => cell(key).getAttribute("aria-description");
  const summary = () => find(".legend .summary").textContent.replaceAll("_", "");
  const control = (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`);
  const edits = () => page.sent.filter(([kind]) => kind === "edits").flatMap(([, { edits }]) => edits);
  const answer = (/** @type {string} */ next) => page.answer(payload(next));
  return { ...page, find, cell, signs, line, description, summary, control, edits, answer };
}

test("a page about one lens begins with the low overview and the tables: neither story nor invitation", async () => {
  const { find } = await lens("compared");
  for (const part of [".lead", ".about"]) assert.ok(find(part).hidden, part);
  assert.ok(find(".overview").classList.contains("slim"));
  const explore = await lens("gradient");
  for (const part of [".lead", ".about"]) assert.ok(!explore.find(part).hidden, part);
  assert.ok(!explore.find(".overview").classList.contains("slim"));
});

test("a page about one lens offers what acts on it: history, decimals, and the baseline of a change", async () => {
  const offered = async (/** @type {string} */ name) => {
    const { root } = await lens(name);
    const controls = [...root.querySelectorAll(".controls [data-focus], .head-title button, button.again")];
    return controls.filter((node) => !node.closest("[hidden]")).map((node) => node.dataset.focus);
  };
  const always = ["undo", "redo", "reset", "decimals"];
  assert.deepEqual(await offered("compared"), always);
  assert.deepEqual(await offered("compared by change"), [...always, "baseline"]);
  assert.ok((await offered("gradient")).includes("h more"));
});

test("the heads' titles are above the first tables that each head has, below what they share", async () => {
  const { root } = await lens("values");
  const [input, titles, projections] = root.querySelectorAll(".stages > *");
  assert.ok(input.querySelector('[data-matrix="x"]'));
  assert.ok(titles.classList.contains("head-titles"));
  assert.ok(projections.querySelector('[data-matrix="w_q"]'));
});

test("a number stays explained where the line has grown over it and over a pointer that lies still", async () => {
  const { find, cell, line } = await lens("values");
  assert.match(await line("weights|0|0|1"), /^A\[1, 2\]/);
  const leave = (/** @type {Element} */ from, /** @type {Element | null} */ relatedTarget, clientY = 0) =>
    from.dispatchEvent(new PointerEvent("pointerleave", { relatedTarget, clientY }));
  cell("weights|0|0|1").dispatchEvent(new PointerEvent("pointermove", { bubbles: true, composed: true }));
  const text = () => find(".explain .line").textContent;
  leave(find(".tables"), find(".explain .line"));
  await null;
  assert.match(text(), /^A\[1, 2\]/);
  assert.ok(cell("weights|0|0|1").classList.contains("current"));
  leave(find(".explain"), null);
  await null;
  assert.match(text(), /^Hover over a number/);
  await line("weights|0|0|1");
  leave(find(".tables"), find(".explain .line"), 3);
  await null;
  assert.match(text(), /^Hover over a number/);
});

test("what the page says first is true of the mask", async () => {
  const { find, answer } = await lens("values");
  const lead = () => find(".lead > p").textContent;
  assert.match(lead(), /^Each token gathers information from every token\./);
  answer("change of size"); // its mask is causal
  assert.match(lead(), /^Each token gathers information from itself and the tokens before it\./);
  const { leadOf } = await import("../../../web/explore/ways_on.js");
  const words = { lead: "all", lead_causal: "before", lead_masked: "some" };
  /** @type {(rows: boolean[][], context?: boolean, ofHeads?: boolean[][][]) => string} */
  const told = (values, context = false, ofHeads) =>
    leadOf(
      /** @type {any} */ ({
        matrices: { mask: { values }, head_mask: ofHeads && { values: ofHeads } },
        controls: { context },
      }),
      words,
    );
  const [whole, causal, window] = [
    [
      [true, true],
      [true, true],
    ],
    [
      [true, false],
      [true, true],
    ],
    [
      [true, false],
      [false, true],
    ],
  ];
  assert.deepEqual([told(whole), told(causal), told(window)], ["all", "before", "some"]);
  assert.deepEqual([told(causal, true), told(causal, false, [whole])], ["some", "some"]);
});

// --- change ----------------------------------------------------------------------------------------------------------

test("a button pins a baseline, from which nothing differs yet", async () => {
  const { control, edits, answer, summary, signs } = await lens("values");
  control("baseline").click();
  assert.equal(edits().at(-1).op, "baseline");
  answer("baseline");
  assert.equal(control("lens").value, "change");
  assert.equal(summary(), "Nothing differs from the baseline yet. Change a number.");
  assert.deepEqual(signs(), {});
});

test("every number that differs from the baseline has a sign, and no other; the numbers stay the values", async () => {
  const { signs, summary, cell, answer } = await lens("change");
  assert.deepEqual(signs(), SIGNS.change);
  assert.equal(cell("x||0|1").textContent, "3");
  assert.match(summary(), /^Since the baseline: X\[1, 2\] 2 → 3; the change starts at Q/);
  answer("baseline"); // undone
  assert.deepEqual(signs(), {});
});

test("the line and the description of a number say what it was", async () => {
  const { line, description } = await lens("change");
  const [was, now] = payload("weights").map((/** @type {number} */ weight) => weight.toFixed(4));
  const said = `was ${was}, now ${now} (−${(payload("weights")[0] - payload("weights")[1]).toFixed(4)})`;
  assert.ok((await line("weights|0|0|1")).startsWith(said));
  assert.equal(description("weights|0|0|1"), said);
  assert.match(await line("x||0|1"), /^was 2, now 3 \(\+1\)/);
});

test("the line says of a number that has not changed that it has not, the description nothing", async () => {
  const { line, description } = await lens("change");
  assert.match(await line("x||0|0"), /^as in the baseline/);
  assert.equal(description("x||0|0"), null);
});

test("numbers of another size have no counterpart in the baseline", async () => {
  const { signs, line, summary } = await lens("change of size");
  assert.deepEqual(signs(), SIGNS["change of size"]);
  assert.match(await line("x||3|0"), /^no counterpart in the baseline/);
  assert.match(summary(), /have no counterpart in the baseline/);
});

test("another example is compared with the baseline too", async () => {
  const { signs } = await lens("change of example");
  assert.deepEqual(signs(), SIGNS["change of example"]);
});

test("a baseline is let go: no lens is left, and the focus goes to the button that pins one", async () => {
  const { control, edits, answer, find } = await lens("change");
  control("baseline clear").focus();
  control("baseline clear").click();
  assert.deepEqual([edits().at(-1).op, edits().at(-1).clear], ["baseline", true]);
  answer("baseline removed");
  assert.equal(control("lens").value, "");
  assert.ok(find(".legend").hidden);
  assert.equal(document.activeElement.dataset.focus, "baseline");
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.doesNotMatch(location.search, /base=|lens=/);
});

test("a server that was restarted is sent the address, with lens and baseline", async () => {
  const { answer, edits } = await lens("change");
  answer("restarted");
  const { op, address } = edits().at(-1);
  assert.deepEqual([op, address.lens, address.base], ["restore", "change", payload("change").address.base]);
  assert.ok(address.base);
});

// --- gradient --------------------------------------------------------------------------------------------------------

for (const name of ["gradient", "gradient of the output", "gradient with shared keys"])
  test(`every number has the sign of its derivative: ${name}`, async () => {
    const { signs } = await lens(name);
    assert.deepEqual(signs(), SIGNS[name]);
  });

test("the derivative is that of the number that is pinned", async () => {
  const { cell, edits, answer, signs } = await lens("gradient");
  cell("weights|0|1|0").click();
  assert.deepEqual(edits().at(-1).cell, { name: "weights", head: 0, row: 1, col: 0 });
  answer("gradient of a weight");
  assert.deepEqual(signs(), SIGNS["gradient of a weight"]);
});

test("the line and the description of a number say its derivative", async () => {
  const { line, description } = await lens("gradient");
  const slope = payload("slope").toFixed(4);
  const said = `∂Concat[1, 1] ÷ ∂(WQ[1, 1] of head 1) ≈ ${slope}`;
  assert.ok((await line("w_q|0|0|0")).startsWith(said));
  assert.equal(description("w_q|0|0|0"), `derivative ${slope}`);
});

test("the line says which number the derivative is of, and which come after it", async () => {
  const { line, description } = await lens("gradient of a weight");
  assert.match(await line("weights|0|1|0"), /^∂\(A\[2, 1\] of head 1\): the colors show its derivative/);
  assert.match(await line("head_outputs|0|0|0"), /^no derivative: this step comes after A\[2, 1\] of head 1/);
  assert.equal(description("head_outputs|0|0|0"), null);
});

test("the line says the derivative in Chinese too", async () => {
  const { line } = await lens("gradient in Chinese");
  assert.match(await line("w_q|0|0|0"), /^∂Concat\[1, 1\] ÷ ∂\(头 1 的 WQ\[1, 1\]\)/);
});

test("a saturated softmax leaves no colour on Q and K, since all tables share one scale", async () => {
  const { root, answer } = await lens("saturated");
  const tone = (/** @type {string} */ name) => {
    const cells = [...root.querySelectorAll(`td[data-key^="${name}|0|"]`)];
    return Math.max(...cells.map(({ style }) => Number(style.getPropertyValue("--tone"))));
  };
  const saturated = Math.max(tone("q"), tone("k"));
  assert.ok(saturated < 0.2 && tone("v") > 0.2);
  answer("less saturated");
  assert.ok(Math.min(tone("q"), tone("k")) > 2 * saturated);
});
