// A lecturer's own walk, and the next one after a change.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, minutesAndSeconds } from "../../web/walk/lecture/clock.js";
import {
  changed,
  choicesIn,
  entries,
  minutesIn,
  minutesOf,
  moved,
  movedTo,
  textIn,
  withChoice,
  written,
} from "../../web/walk/lecture/plan.js";
import { lecture, lengthsOf, ownOf, planned } from "../../web/walk/place/lecture_route.js";

const usual = ["tokens", "q", "scores", "weights"];
const titled = (step) => ({ step, title: usual.includes(step) ? step.toUpperCase() : null, needs: "" });
const own = {
  minutes: 25,
  steps: [{ step: "scores", note: { en: "a", zh: "甲" } }, { step: "masked_scores" }],
};
const told_ = {
  own,
  usual,
  order: ["scores", "masked_scores", "tokens", "q", "weights"].map(titled),
  teaching: {},
};
const has = (step) => usual.includes(step);
const names = (steps) => steps.map(({ step }) => step).join(" ");

test("every step has an entry, with what is the lecturer's own", () => {
  const steps = entries(told_);
  assert.equal(names(steps), "scores masked_scores tokens q weights");
  assert.deepEqual(steps[0].note, { en: "a", zh: "甲" });
  assert.deepEqual(ownOf({ lecture: told_ }, "weights"), { step: "weights" });
  assert.deepEqual(ownOf({}, "weights"), { step: "weights" });
});

test("a text is read in its language, else in English, else in any", () => {
  assert.deepEqual(
    [textIn("a", "zh"), textIn({ en: "a" }, "zh"), textIn({ zh: "甲" }, "en"), textIn(undefined, "en")],
    ["a", "a", "甲", ""],
  );
});

test("a change keeps the other languages, and leaves out what is empty", () => {
  const [noted] = changed(own.steps, "scores", { note: "b", minutes: 3 }, "en");
  assert.deepEqual(noted, { step: "scores", note: { en: "b", zh: "甲" }, minutes: 3 });
  assert.deepEqual(changed([noted], "scores", { note: "", minutes: undefined }, "en"), [{ step: "scores" }]);
  assert.deepEqual(own.steps[0].note, { en: "a", zh: "甲" });
});

test("of a question's choices one is written at a time, and empty ones at the end go", () => {
  const two = withChoice(undefined, 1, "b", "en");
  assert.deepEqual(two, ["", "b"]);
  assert.deepEqual(withChoice([{ en: "a", zh: "甲" }, ""], 0, "c", "en"), [{ en: "c", zh: "甲" }]);
  assert.equal(withChoice(["", "b"], 1, "", "en"), undefined);
  const [said] = changed([{ step: "q", choices: ["a"] }], "q", { choices: two }, "en");
  assert.deepEqual(choicesIn(said, "zh"), ["", "b"]);
  assert.deepEqual(changed([said], "q", { choices: undefined }, "en"), [{ step: "q" }]);
});

test("a step moves past the next that the example has, and not beyond the ends", () => {
  const steps = entries(told_);
  assert.equal(names(moved(steps, "tokens", -1, has)), "tokens scores masked_scores q weights");
  assert.equal(names(moved(steps, "scores", 1, has)), "masked_scores tokens scores q weights");
  assert.equal(names(moved(steps, "q", 1, has)), "scores masked_scores tokens weights q");
  assert.equal(moved(steps, "scores", -1, has), steps);
  assert.equal(moved(steps, "weights", 1, has), steps);
  assert.equal(names(movedTo(steps, "weights", "scores")), "weights scores masked_scores tokens q");
  assert.equal(names(movedTo(steps, "scores", null)), "masked_scores tokens q weights scores");
});

test("of the usual order only what is the lecturer's own is written, of another all of it", () => {
  const steps = usual.map((step) => ({ step }));
  assert.deepEqual(written(steps, undefined, usual), {});
  assert.deepEqual(written(changed(steps, "q", { hidden: true }, "en"), 25, usual), {
    minutes: 25,
    steps: [{ step: "q", hidden: true }],
  });
  assert.equal(written(moved(steps, "q", 1, has), undefined, usual).steps.length, 4);
});

test("hidden steps take no minutes", () => {
  assert.equal(
    minutesOf([{ step: "q", minutes: 2 }, { step: "k", minutes: 3, hidden: true }, { step: "v" }]),
    2,
  );
});

test("a step with minutes of its own goes as slowly as they allow; the others share the time by their presses", () => {
  const stage = (id, parts) => ({ id, kind: "step", parts: Array(parts).fill(["q", 0, 0, 1, 0, 1, 2]) });
  const stages = [stage("a", 4), stage("b", 4), stage("c", 0)];
  const minutes = (step) => ({ a: 0.5 })[step];
  const count = (places, at) => places.filter(({ stage }) => stage === at).length;
  const places = lecture(stages, 50, minutes);
  assert.deepEqual([count(places, 0), count(places, 1), count(places, 2)], [1, 5, 1]);
  const slow = lecture(stages, 2, () => 4);
  assert.deepEqual([count(slow, 0), count(slow, 1)], [5, 5]);
  const times = planned(stages, places, 4.5, minutes);
  assert.deepEqual([...times.values()], [30_000, 200_000, 40_000]);
  assert.equal(Math.min(...planned(stages, places, 0.1, minutes).values()), 0);
});

test("the lengths to choose from have the lecturer's own among them", () => {
  assert.deepEqual(lengthsOf({}), [10, 25, 50]);
  assert.deepEqual(lengthsOf({ lecture: told_ }), [10, 25, 50]);
  assert.deepEqual(lengthsOf({ lecture: { ...told_, own: { minutes: 35 } } }), [10, 25, 35, 50]);
});

test("minutes are typed with a point or a comma; nothing is none", () => {
  assert.deepEqual(["2.5", " 2,5 ", "25", "", "0"].map(minutesIn), [2.5, 2.5, 25, 0, 0]);
  for (const text of ["-5", "abc", "1e3", "2,5,1", "1.2.3", ".", "∞"])
    assert.ok(Number.isNaN(minutesIn(text)), text);
});

test("the clock tells time in all and by step, comes back after a reload, and starts again", () => {
  const kept = new Map();
  const store = { get: (name) => kept.get(name) ?? null, set: (name, value) => kept.set(name, value) };
  let now = 1000;
  const clock = new Clock(() => now, store);
  clock.enter("q");
  now += 61_000;
  clock.enter("k");
  now += 4000;
  clock.enter("q");
  now += 2000;
  assert.deepEqual(
    [clock.used, clock.usedBy("q"), clock.usedBy("k"), clock.usedBy("v")],
    [67_000, 63_000, 4000, 0],
  );
  const again = new Clock(() => now + 1000, store);
  again.enter("q");
  assert.deepEqual([again.used, again.usedBy("q")], [68_000, 64_000]);
  clock.restart();
  assert.deepEqual([clock.used, clock.usedBy("q"), clock.usedBy("k")], [0, 0, 0]);
  assert.deepEqual(
    [minutesAndSeconds(0), minutesAndSeconds(65_999), minutesAndSeconds(3_600_000)],
    ["0:00", "1:05", "60:00"],
  );
});
