// The way of a clicker's two keys through the walk.

import assert from "node:assert/strict";
import { test } from "node:test";
import { depthOf, indexIn, lecture, MINUTES, shared } from "../../web/walk/place/lecture_route.js";

/** Of so many parts, two of them in a row. */
const stage = (kind, parts, beats) => ({
  kind,
  parts: Array.from({ length: parts }, (_, at) => {
    const [row, col] = [Math.floor(at / 2), at % 2];
    return ["q", 0, row, row + 1, col, col + 1, beats];
  }),
});
const first = [
  stage("tokens", 0, 0),
  stage("inputs", 3, 1),
  stage("step", 6, 2),
  stage("step", 4, 3),
  stage("head", 5, 1),
  stage("closing", 0, 0),
];
const written = (places) => places.map(({ stage, part, beat }) => [stage, part, beat].join("·"));

const head = ["4·0·", "4·1·", "4·2·", "4·3·", "4·4·"];

test("with time for it the first cell is explained beat by beat, the rest at once, a further head step by step", () => {
  const slowly = [...["2·0·0", "2·0·1", "2··"], ...["3·0·0", "3·0·1", "3·0·2", "3··"]];
  assert.deepEqual(written(lecture(first, 7)), ["0··", "1··", ...slowly, ...head, "5··"]);
});

test("with more time cells are told one by one: those of the first row, and then all", () => {
  const row = [...["2·0·0", "2·0·1", "2·1·", "2··"], ...["3·0·0", "3·0·1", "3·0·2", "3·1·", "3··"]];
  assert.deepEqual(written(lecture(first, 8)), ["0··", "1··", ...row, ...head, "5··"]);
  const all = [
    ...["2·0·0", "2·0·1", "2·1·", "2·2·", "2·3·", "2·4·", "2·5·"],
    ...["3·0·0", "3·0·1", "3·0·2", "3·1·", "3·2·", "3·3·"],
  ];
  assert.deepEqual(written(lecture(first, 50)), ["0··", "1··", ...all, ...head, "5··"]);
});

test("with little time the first cell as a whole, and without any every stage at once", () => {
  const short = ["0··", "1··", "2·0·", "2··", "3·0·", "3··", "4··", "5··"];
  assert.deepEqual(written(lecture(first, 3.5)), short);
  assert.deepEqual(written(lecture(first, 1)), ["0··", "1··", "2··", "3··", "4··", "5··"]);
});

test("no lecture takes more presses than two a minute, but that every stage is shown; a longer one none fewer", () => {
  const counts = MINUTES.map((minutes) => lecture(first, minutes).length - 1);
  MINUTES.forEach((minutes, i) => assert.ok(counts[i] <= Math.max(2 * minutes, first.length - 1)));
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
});

test("minutes shared among the stages add up, each has some, and the lecture goes as deep with them", () => {
  const named = first.map((one, at) => ({ ...one, id: `${at}` }));
  for (const minutes of MINUTES) {
    const shares = shared(named, minutes);
    const sum = [...shares.values()].reduce((all, one) => all + one, 0);
    assert.equal(sum, minutes);
    assert.ok(Math.min(...shares.values()) >= 0.5);
    const own = lecture(named, minutes, (step) => shares.get(step));
    assert.ok(own.length <= 2 * minutes);
    assert.ok(own.length >= lecture(named, minutes - 0.5).length);
  }
  assert.deepEqual([...shared(named, 8).values()], [0.5, 0.5, 2, 2, 2.5, 0.5]);
});

test("a place beside the way counts as the last of its stage", () => {
  const places = lecture(first, 7);
  places.forEach((at, i) => assert.equal(indexIn(places, at), i));
  assert.equal(places[indexIn(places, { stage: 2, part: 4, beat: null })].part, null);
});

test("how deep a place lies", () => {
  assert.deepEqual(
    [
      [null, null],
      [0, null],
      [0, 1],
    ].map(([part, beat]) => depthOf({ stage: 0, part, beat })),
    [0, 1, 2],
  );
});
