// Where a walk leads, what it asks for and how it is paced: all without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { enlarged } from "../../web/kit/enlarge.js";
import { packed, screenOf } from "../../web/projector/screens.js";
import { Pacing } from "../../web/walk/autoplay.js";
import { frames, sizeOfMap } from "../../web/walk/picture/map.js";
import { isFolded, runs } from "../../web/walk/picture/shown_indices.js";
import { Route } from "../../web/walk/place/route.js";

const part = (beats) => ["q", 0, 0, 0, 0, 0, beats];
const step = { name: "q", layout: "product" };
const stages = [
  { id: "tokens", kind: "tokens", parts: [], steps: [] },
  { id: "q", kind: "step", parts: [part(2), part(2)], steps: [step] },
  { id: "head-2", kind: "head", parts: [part(1), part(1)], steps: [step, { name: "k" }] },
];
const way = () => Object.assign(new Route(), { model: { stages, lecture: null } });

test("the keys lead from stage to stage, and deeper part by part", () => {
  const walked = way();
  assert.equal(walked.previous, null);
  assert.ok(walked.go(walked.next));
  assert.equal(walked.stage.id, "q");
  walked.go(walked.deeper(2));
  assert.deepEqual(walked.place, { stage: 1, part: 0, beat: 0 });
  walked.go(walked.next);
  assert.deepEqual(walked.written, { step: "q", sub: "1.2" });
  assert.equal(walked.within, 0.25);
  assert.ok(!walked.go(walked.first(0)));
});

test("a further head shows its last step alone, and its own steps when it is walked", () => {
  const walked = way();
  walked.go({ stage: 2, part: null, beat: null });
  assert.deepEqual([walked.step.name, walked.walked], ["k", null]);
  walked.go({ stage: 2, part: 0, beat: null });
  assert.deepEqual([walked.step, walked.walked], [step, step]);
});

test("before an audience the way of a lecture is walked to its end", () => {
  const walked = Object.assign(way(), { isBefore: true, minutes: 10 });
  const { presses } = walked.presses;
  for (let press = 0; press < presses; press++) walked.go(walked.next);
  assert.deepEqual(walked.presses, { press: presses, presses });
  assert.ok(!walked.next);
  assert.equal(walked.times.all, 600_000);
  walked.go({ stage: 2, part: 0, beat: 0 }); // which it does not have
  walked.settle();
  assert.deepEqual(walked.presses, { press: presses, presses });
  assert.deepEqual(walked.place, walked.places.at(-1));
});

test("a walk that plays goes on at its pace until it is stopped", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const told = [];
  const pacing = new Pacing({ next: () => told.push("next"), shown: (plays) => told.push(plays) });
  pacing.toggle();
  context.mock.timers.tick(4000);
  pacing.set(1);
  assert.ok(pacing.isFast);
  context.mock.timers.tick(1000);
  pacing.toggle();
  context.mock.timers.tick(9000);
  assert.deepEqual(told, [true, "next", "next", false, true, "next", false]);
});

test("what is shown of a large matrix is framed where it lies", () => {
  const rows = [0, 1, { from: 2, count: 5 }, 7];
  assert.deepEqual(runs(rows), [
    { from: 0, count: 2 },
    { from: 7, count: 1 },
  ]);
  assert.deepEqual(frames(rows, [0, { from: 1, count: 3 }], [8, 4]), [
    { top: 0, height: 0.25, left: 0, width: 0.25 },
    { top: 0.875, height: 0.125, left: 0, width: 0.25 },
  ]);
  assert.ok(isFolded([0], rows) && !isFolded([0, 1], [0]));
  const { height, width } = sizeOfMap([48, 4]);
  assert.ok(height > 2 && width > 0.5);
});

test("a screen holds as many parts as there is space for, and what is kept stays while its scope lasts", () => {
  const parts = [
    { name: "a", size: 2 },
    { name: "bar", size: 1, kept: true, group: 1, scope: 1 },
    ...["b", "c", "d"].map((name) => ({ name, size: 2, group: 1, scope: 1 })),
    { name: "large", size: 9, group: 1, scope: 1 },
    { name: "e", size: 1 },
  ];
  const isRoomFor = (some) => some.reduce((sum, { size }) => sum + size, 0) <= 5;
  const screens = packed(parts, isRoomFor);
  assert.deepEqual(
    screens.map((screen) => screen.map(({ name }) => name).join(" ")),
    ["a", "bar b c", "bar d", "large", "e"],
  );
  assert.equal(screenOf(screens, parts[4], 0), 2);
  assert.equal(screenOf(screens, undefined, 9), 4);
});

test("a figure for a hall has larger type, and lower panels where it would be too high", () => {
  const layout = {
    height: 300,
    margin: { t: 50, b: 50, l: 10, r: 10 },
    font: { size: 11 },
    yaxis: { domain: [0.6, 1], range: [0, 5] },
    yaxis2: { domain: [0, 0.4], range: [0, 5] },
    annotations: [{ yref: "paper", y: 1, yshift: 1 }],
  };
  const figure = { data: [{ y: [1, 2], marker: { size: 8 } }], layout };
  const { data, layout: larger } = enlarged(figure, 2, { most: 1000, alone: 1000 });
  assert.deepEqual(
    [larger.height, larger.font.size, larger.margin.t, data[0].marker.size],
    [600, 22, 100, 16],
  );
  assert.deepEqual([data[0].y, larger.yaxis.range, larger.annotations[0].yshift], [[1, 2], [0, 5], 2]);
  const { layout: lower } = enlarged(figure, 2, { most: 500, alone: 1000 });
  assert.equal(lower.height, 500);
  const pixels = ({ domain: [from, to] }) => (to - from) * 300;
  assert.ok(Math.abs(pixels(lower.yaxis) - 110) < 1e-9 && Math.abs(pixels(lower.yaxis2) - 110) < 1e-9);
  assert.equal(lower.annotations[0].y, 1);
});
