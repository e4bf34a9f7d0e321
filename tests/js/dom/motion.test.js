// When the motion of a step plays, and how it is stopped, reversed, set to a time and saved.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ofBrowser } from "../../../web/kit/storage.js";
import { posted, receive, settled, walk } from "./walking.js";

// The stage is in view; everything else has no box, as always here.
const boxOf = Element.prototype.getBoundingClientRect;
Element.prototype.getBoundingClientRect = function () {
  return this.classList.contains("stage") ? new DOMRect(0, 0, 1000, 500) : boxOf.call(this);
};

// Every colour that is painted is the same.
const painted = { fillRect() {}, getImageData: () => ({ data: [10, 20, 30, 255] }) };
OffscreenCanvas.prototype.getContext = /** @type {any} */ (() => painted);

// Time passes only where a test says so.
let now = 1000;
performance.now = () => now;

// A browser counts the promise of an animation that is cancelled as handled.
const { prototype } = /** @type {any} */ (document.createElement("i").animate([], 1).constructor);
const { cancel } = prototype;
prototype.cancel = function () {
  this.finished.catch(() => {});
  cancel.call(this);
};

/**
 * A walk, and what its motion has done: "plays", "stands" or "" in order.
 * @param {string} step
 * @param {{ sub?: string; view?: string; predict?: boolean }} [place]
 * @param {string} [name]
 */
async function moving(step, place = {}, name = "first") {
  const page = await walk(name, { place: { step, view: "projector", ...place } });
  const motion = () => page.element().dataset.motion;
  return {
    ...page,
    motion,
    layers: () => page.all(".motion-layer").length,
    /** As if the walk had rested there: a place that comes soon after another does not move. */
    rest: () => {
      now += 1000;
    },
    time: () => Number(page.named("motion-at").value) / 1000,
    scrub: (/** @type {number} */ at) => {
      page.named("motion-at").value = String(1000 * at);
      page.named("motion-at").dispatchEvent(new Event("input", { bubbles: true }));
    },
    numbers: () => page.all(".picture td[data-key]").map((td) => `${td.dataset.key} ${td.textContent}`),
  };
}

for (const name of ["first", "causal", "additive", "rotary"])
  test(`no motion changes a number of the picture, whole steps and parts: ${name}`, async () => {
    const { data, all, keys, motion, layers, scrub, numbers, at } = await moving("", {}, name);
    for (const [index, { kind, id }] of data.stages.entries()) {
      if (kind !== "step" && kind !== "head") continue;
      all(".outline button")[index].click();
      for (const depth of [0, 1]) {
        if (depth) keys("ArrowDown");
        const before = numbers();
        scrub(0.999);
        assert.deepEqual([motion(), layers()], ["stands", 1], at());
        assert.deepEqual(numbers(), before, at());
        keys("]");
        assert.deepEqual([motion(), layers()], ["", 0], at());
        assert.deepEqual(numbers(), before, at());
      }
      keys("ArrowUp");
      assert.equal(at(), id);
    }
  });

test("a step onward moves once; a step back does not, nor one that comes soon after", async () => {
  const { keys, motion, layers, at } = await moving("q");
  keys("ArrowRight");
  assert.deepEqual([at(), motion(), layers()], ["k", "plays", 1]);
  keys("ArrowRight");
  assert.deepEqual([at(), motion(), layers()], ["v", "", 0]);
  keys("ArrowLeft");
  assert.equal(motion(), "");
});

test("a motion is stopped where it is, and goes on from there", async () => {
  const { scrub, motion, time, named, text } = await moving("scores", { sub: "5" });
  scrub(0.5);
  assert.deepEqual([motion(), time()], ["stands", 0.5]);
  assert.equal(text(".piece.term"), "3 · 7");
  named("motion").click();
  assert.equal(motion(), "plays");
  named("motion").click();
  assert.equal(motion(), "stands");
  assert.ok(Math.abs(time() - 0.5) < 0.1);
});

test("a button turns the motion round, and says so", async () => {
  const { named } = await moving("scores");
  named("motion-turned").click();
  assert.equal(named("motion-turned").getAttribute("aria-pressed"), "true");
});

test("two keys lead from station to station: the exponentials, their sum, the division", async () => {
  const { keys, motion, time } = await moving("weights", { sub: "1" });
  const times = [];
  keys("]");
  for (; motion(); keys("]")) times.push(time());
  assert.equal(times[0], 0);
  assert.equal(times.length, 4);
  assert.deepEqual(times, [...new Set(times)].sort());
  keys("[");
  assert.equal(time(), times.at(-1));
});

test("where reduced motion is preferred nothing plays by itself, and a key leads to a station", async (context) => {
  context.mock.method(globalThis, "matchMedia", (/** @type {string} */ query) => ({
    matches: query.includes("reduced-motion"),
  }));
  const { keys, motion, time } = await moving("q");
  keys("ArrowRight");
  assert.equal(motion(), "");
  keys("m");
  assert.deepEqual([motion(), time()], ["stands", 0]);
  keys("m");
  assert.ok(time() > 0);
});

test("the switch is stored in this browser; a motion that is asked for plays all the same", async () => {
  const { keys, check, motion, named } = await moving("q");
  check("motion-itself", false);
  assert.equal(ofBrowser.text("mha.motion"), "off");
  keys("ArrowRight");
  assert.equal(motion(), "");
  named("motion").click();
  assert.equal(motion(), "plays");
  check("motion-itself", true);
  assert.equal(ofBrowser.text("mha.motion"), "on");
});

test("on the presenter's page nothing plays by itself, and a motion that is asked for plays in both windows", async () => {
  const presenter = await moving("q", { view: "presenter" });
  presenter.keys("ArrowRight");
  assert.equal(presenter.motion(), "");
  presenter.keys("m");
  assert.equal(presenter.motion(), "plays");
  assert.equal(posted.at(-1).place.at.plays, 1);
  const projector = await moving("q");
  projector.keys("ArrowLeft", "ArrowRight");
  projector.rest();
  await receive("place", { step: "q", plays: 1 });
  assert.equal(projector.motion(), "plays");
});

test("a window that is led to the next place moves there", async () => {
  const { keys, motion, rest, at } = await moving("q");
  keys("ArrowLeft");
  rest();
  await receive("place", { step: "q" });
  assert.deepEqual([at(), motion()], ["q", "plays"]);
});

test("arrows show the values of two dimensions, but not what is still to be predicted", async () => {
  const { all, find, keys } = await moving("head_outputs");
  assert.equal(all(".plane .arrow").length, 4);
  assert.ok(find(".plane").getAttribute("aria-label").includes("arrows"));
  keys("q");
  assert.equal(all(".plane .arrow").length, 0);
  keys("Enter");
  assert.equal(all(".plane .arrow").length, 4);
});

test("a motion does not tell what is to be predicted, and plays once it is revealed", async () => {
  const { find, keys, motion, layers } = await moving("scores", { sub: "1", predict: true });
  keys("m");
  assert.deepEqual([motion(), layers()], ["", 0]);
  assert.ok(find(".motion-bar").classList.contains("idle"));
  keys("Enter");
  assert.equal(motion(), "plays");
});

test("where nothing is computed nothing moves, and no arrows are shown", async () => {
  const { find, keys, motion, all } = await moving("inputs");
  keys("m");
  assert.equal(motion(), "");
  assert.ok(find(".motion-bar").classList.contains("idle"));
  assert.equal(all(".plane").length, 0);
});

/** The file that the button for a picture saves. @param {Awaited<ReturnType<typeof moving>>} page */
async function saved({ named }) {
  /** @type {Blob | null} */
  let file = null;
  let name = "";
  const { createObjectURL } = URL;
  const { click } = HTMLAnchorElement.prototype;
  URL.createObjectURL = (/** @type {any} */ blob) => {
    file = blob;
    return "blob:file";
  };
  HTMLAnchorElement.prototype.click = function () {
    name = this.download;
  };
  named("motion-svg").click();
  URL.createObjectURL = createObjectURL;
  HTMLAnchorElement.prototype.click = click;
  return { name, text: await /** @type {any} */ (file).text() };
}

for (const step of ["scores", "weights", "head_outputs", "concat"])
  test(`the animated picture has the numbers of the page, and no script: ${step}`, async () => {
    const page = await moving(step);
    const shown = page.all(".picture td[data-key]").map(({ textContent }) => textContent);
    const { name, text } = await saved(page);
    assert.equal(name, `${step}.svg`);
    const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
    const nodes = [root, ...root.querySelectorAll("*")];
    const texts = new Set(nodes.filter(({ tagName }) => tagName === "text").map((node) => node.textContent));
    for (const number of shown) assert.ok(number === "·" || texts.has(number), number);
    const allowed = ["svg", "title", "rect", "g", "text", "path", "line", "animate", "animateTransform"];
    for (const { tagName } of nodes) assert.ok(allowed.includes(tagName), tagName);
    for (const attribute of nodes.flatMap((node) => [...node.attributes]))
      assert.ok(!/^on|href$/.test(attribute.name), attribute.name);
    const animations = nodes.filter(({ tagName }) => tagName.startsWith("animate"));
    assert.ok(animations.length > 0);
    for (const node of animations) {
      const times = (node.getAttribute("keyTimes") ?? "").split(";").map(Number);
      assert.deepEqual([times[0], times.at(-1)], [0, 1]);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      assert.equal(node.getAttribute("values")?.split(";").length, times.length);
    }
    await settled();
    assert.equal(page.motion(), "");
  });
