// The page that is taken away: its language, and how each number comes about.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshly, payload } from "./page.js";

/** happy-dom has no constructor of this name. @param {string} text */
function Option(text) {
  return Object.assign(document.createElement("option"), { textContent: text });
}
globalThis.Option = Option;

/** A page as its file has it. @param {string} name */
function load(name) {
  const { documentElement: page } = new DOMParser().parseFromString(payload(name), "text/html");
  for (const script of page.querySelectorAll("script")) script.remove();
  document.documentElement.lang = page.lang;
  document.documentElement.replaceChildren(...page.childNodes);
}

/** The same with its script. @param {string} name */
async function open(name) {
  load(name);
  await freshly("handout/handout.js");
  const find = (/** @type {string} */ selector) => document.querySelector(selector);
  const all = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)];
  return { find, all };
}

/** @param {Element} motion */
function parts(motion) {
  const [button, choice, moment, line] = ["button", "select", "input", "output"].map((name) =>
    motion.querySelector(name),
  );
  const goTo = (/** @type {string | number} */ value) => {
    moment.value = String(value);
    moment.dispatchEvent(new Event("input"));
  };
  const choose = (/** @type {number} */ at) => {
    choice.selectedIndex = at;
    choice.dispatchEvent(new Event("change"));
  };
  return { button, choice, moment, line, goTo, choose };
}

// --- language --------------------------------------------------------------------------------------------------------

for (const [name, made, other] of [
  ["first", "en", "zh-CN"],
  ["first in Chinese", "zh-CN", "en"],
])
  test(`the page is in its own language and switches to the other: ${name}`, async () => {
    const { find, all } = await open(name);
    assert.equal(document.documentElement.lang, made);
    find(`.languages button[lang="${other}"]`).click();
    assert.equal(document.documentElement.lang, other);
    const pressed = all('.languages [aria-pressed="true"]').map(({ lang }) => lang);
    assert.deepEqual(pressed, [other]);
  });

test("what needs a script is hidden until there is one", async () => {
  load("first");
  const controls = [...document.querySelectorAll("button, input, select")];
  assert.ok(controls.length);
  assert.ok(controls.every((control) => control.closest("[hidden]")));
  const { find } = await open("first");
  assert.ok(!find(".motion").hidden && !find(".languages").hidden);
});

// --- motion ----------------------------------------------------------------------------------------------------------

/** Time passes only where a test lets it: so many beats of the clock. @param {import("node:test").TestContext} test */
function clock({ mock }) {
  /** @type {(() => void) | null} */
  let beat = null;
  mock.method(globalThis, "setInterval", (/** @type {() => void} */ act) => {
    beat = act;
    return 1;
  });
  mock.method(globalThis, "clearInterval", () => {
    beat = null;
  });
  return (/** @type {number} */ beats) => {
    for (let n = 0; n < beats; n++) beat?.();
  };
}

test("it plays by itself to the end, and stops where it is pressed again", async (t) => {
  const pass = clock(t);
  const { find } = await open("first");
  const { button, moment, line } = parts(find("#scores .motion"));
  const state = () => [moment.value, button.getAttribute("aria-pressed")];
  button.click();
  assert.deepEqual(state(), ["0", "true"]);
  pass(1);
  assert.equal(moment.value, "1");
  button.click();
  pass(5);
  assert.deepEqual(state(), ["1", "false"]);
  button.click();
  pass(5);
  assert.deepEqual(state(), ["2", "false"]);
  assert.equal(line.textContent, "S[1, 1] = 1·3 + 2·1 = 5");
});

test("where less motion is wanted, a press leads one moment on and nothing moves by itself", async (t) => {
  const pass = clock(t);
  window.happyDOM.settings.device.prefersReducedMotion = "reduce";
  const { find } = await open("first");
  const { button, moment } = parts(find("#scores .motion"));
  for (const value of ["0", "1", "2"]) {
    button.click();
    pass(5);
    assert.equal(moment.value, value);
  }
  window.happyDOM.settings.device.prefersReducedMotion = "no-preference";
});

test("a number is chosen by a click on it, or in the list", async () => {
  const { find } = await open("first");
  const { choice, line, goTo, moment, choose } = parts(find("#scores .motion"));
  find('#scores td[data-cell="scores|0|1|1"]').click();
  assert.equal(choice.value, "S[2, 2]");
  goTo(moment.max);
  assert.equal(line.textContent, "S[2, 2] = 3·7 + 4·3 = 33");
  goTo(1);
  assert.equal(line.textContent, "3·7 + 4·3");
  choose(choice.options.length - 1);
  goTo(moment.max);
  assert.equal(line.textContent, "S[3, 3] = 5·11 + 6·5 = 85");
});

test("the exponentials of a softmax's row become its shares", async () => {
  const { find, all } = await open("water");
  const weights = payload("weights");
  const { moment, goTo } = parts(find("#weights .motion"));
  const bars = () =>
    all('#weights td[data-cell^="weights|0|0|"]').map(({ style }) => Number(style.getPropertyValue("--bar")));
  goTo(0);
  assert.ok(bars()[0] > 0);
  assert.deepEqual(bars().slice(1), Array(weights.length - 1).fill(0));
  goTo(weights.length - 1);
  const most = Math.max(...weights);
  for (const [at, bar] of bars().entries()) assert.ok(Math.abs(bar - weights[at] / most) < 1e-3);
  goTo(moment.max);
  assert.deepEqual(
    bars(),
    weights.map((/** @type {number} */ weight) => Number(weight.toFixed(4))),
  );
});

test("a large page says where its motion ends", async () => {
  const { find, all } = await open("large");
  const said = "The animation and the arithmetic cover the first 64 numbers of this step.";
  assert.equal(find("#scores .motion p span[lang=en]").textContent, said);
  assert.equal(all(".motion p").length, 3);
});

test("on paper the page shows no moment of a motion", async () => {
  const { find, all } = await open("first");
  parts(find("#weights .motion")).goTo(0);
  assert.ok(all("td.coming").length);
  window.dispatchEvent(new Event("beforeprint"));
  assert.deepEqual(all("td.coming, td.lit, td.read, td.made"), []);
});
