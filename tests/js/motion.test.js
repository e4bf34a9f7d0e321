// What moves at every place of every example's walk, against the declared operations and what the picture prints.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { key, rowsOf, shownAs, termsOf, unkey, valueAt } from "../../web/kit/graph.js";
import { motionOf } from "../../web/walk/motion/motion.js";
import { MOST } from "../../web/walk/motion/tracks.js";
import { cellsOf, focusOf, powersOf, printer, stateAt } from "../../web/walk/picture/scene.js";
import { arrowsOf, hasPlane, reachOf } from "../../web/walk/picture/vectors.js";
import { after, entry } from "../../web/walk/place/path.js";

const { examples } = JSON.parse(readFileSync(process.env.MHA_EXAMPLES, "utf8"));
const everything = () => true;

/** Every scene of an example with each of its places: a further head has one for each of its steps. */
function* scenes(model) {
  for (let depth = 0; depth < 3; depth++) {
    let place = entry(model.stages, 0, depth);
    for (; place; place = after(model.stages, place, depth)) {
      const stage = model.stages[place.stage];
      const step =
        stage.kind === "head" ? stage.steps[place.part ?? stage.steps.length - 1] : (stage.steps[0] ?? null);
      yield { scene: { model, stage, step, head: stage.head }, place };
    }
  }
}

/** The motions of an example, with their scenes and places. */
function* motions(model, isShown = everything) {
  for (const { scene, place } of scenes(model)) {
    const motion = motionOf(scene, place, isShown);
    if (motion) yield { scene, place, motion };
  }
}

const told = ({ stage, place }) => `${stage.id} ${place.part} ${place.beat}`;

/** What the picture prints on a cell, or on an exponential. */
function printed(scene, on) {
  const [name, row, col] = on.split("|");
  if (name === "power") return powersOf(scene).text(Number(row), col === "sum" ? col : Number(col));
  const cell = unkey(on);
  return shownAs(scene.model, cell.name, cell.head)(valueAt(scene.model, cell));
}

for (const { name, model } of examples) {
  const title = `${name}, ${model.decimals} decimals`;

  test(`${title}: every place of a step has a motion, every other place none`, () => {
    for (const { scene, place } of scenes(model)) {
      const moves = motionOf(scene, place, everything);
      assert.equal(Boolean(moves), Boolean(scene.step), told({ stage: scene.stage, place }));
    }
  });

  test(`${title}: what moves begins on what the result is made of and ends on the result`, () => {
    for (const { scene, place, motion } of motions(model)) {
      const results = new Set(cellsOf(scene, place).map(key));
      const operands = new Set(cellsOf(scene, place).flatMap((cell) => termsOf(model, cell).flat().map(key)));
      const isPower = (on) => on.startsWith("power|");
      const between = (on) => isPower(on) && scene.step.layout === "softmax";
      for (const { look, frames } of motion.tracks) {
        const [first, last] = [frames[0].on, frames.at(-1).on];
        const at = `${told({ stage: scene.stage, place })}: ${look} from ${first} to ${last}`;
        if (look === "cover") assert.equal(first, last);
        else if (look === "term")
          assert.ok(results.has(last), at); // from where its factors meet, or its operands
        else assert.ok(operands.has(first) || between(first), at);
        if (look === "bar") assert.ok(results.has(last) || between(last), at);
        if (look === "number") assert.ok(results.has(last) || between(last) || operands.has(last), at);
      }
      const ends = motion.tracks.filter(
        ({ look, frames }) =>
          look !== "cover" && (results.has(frames.at(-1).on) || between(frames.at(-1).on)),
      );
      assert.ok(ends.length, told({ stage: scene.stage, place }));
    }
  });

  test(`${title}: every number on its way, and every one that stands at the end, is what the picture prints`, () => {
    for (const { scene, place, motion } of motions(model)) {
      for (const { look, of, text } of motion.tracks)
        if (look === "number") assert.equal(text, printed(scene, of), told({ stage: scene.stage, place }));
      for (const { on, text } of motion.shows) assert.equal(text, printed(scene, on));
    }
  });

  test(`${title}: what appears at a place is shown once, and nothing else is`, () => {
    for (const { scene, place, motion } of motions(model)) {
      const state = stateAt(scene, place);
      const appear = cellsOf(scene, place)
        .filter((cell) => state(cell) === "now")
        .map(key);
      const shows = motion.shows.map(({ on }) => on).filter((on) => !on.startsWith("power|"));
      assert.deepEqual([...shows].sort(), appear.sort(), told({ stage: scene.stage, place }));
    }
  });

  test(`${title}: times run from 0 to 1, no more moves than the eye can follow, and it is short`, () => {
    for (const { motion, scene, place } of motions(model)) {
      const moving = motion.tracks.filter(({ look }) => look !== "cover");
      assert.ok(moving.length <= MOST, `${told({ stage: scene.stage, place })}: ${moving.length}`);
      assert.ok(motion.duration >= 900 && motion.duration <= 1600);
      for (const { frames } of [...motion.tracks, ...motion.arrows]) {
        const times = frames.map(({ at }) => at);
        assert.deepEqual(
          times,
          times.toSorted((a, b) => a - b),
          told({ stage: scene.stage, place }),
        );
        assert.deepEqual([times[0], times.at(-1)], [0, 1]);
      }
      if (motion.kind === "beside") {
        const numbers = moving.filter(({ look }) => look === "number");
        const times = new Set(numbers.map(({ frames }) => frames.map(({ at }) => at).join()));
        assert.equal(times.size, 1, "they travel together: none runs into another");
      }
      for (const { frames, look } of motion.tracks) assert.equal(frames.at(-1).opacity, 0, look);
      for (const { at } of motion.shows)
        assert.ok(at > 0.15 && at <= 0.97, told({ stage: scene.stage, place }));
      assert.deepEqual(
        motion.stations,
        motion.stations.toSorted((a, b) => a - b),
      );
    }
  });

  test(`${title}: nothing moves from or to what is folded away`, () => {
    const few = (on) => {
      const [name, ...rest] = on.split("|");
      const [row, col] = rest.slice(-2);
      return name === "power" ? Number(row) < 2 : Number(row) < 2 && Number(col) < 2;
    };
    for (const { motion } of motions(model, few))
      for (const { on } of [...motion.tracks.flatMap(({ frames }) => frames), ...motion.shows])
        assert.ok(few(on), on);
  });

  test(`${title}: arrows of two dimensions add up to the output, and lie one behind the other`, () => {
    for (const { scene, place } of scenes(model)) {
      if (!hasPlane(scene)) continue;
      const cell = focusOf(scene, place);
      const arrows = arrowsOf(model, cell);
      const last = arrows.pop();
      const end = arrows.reduce(
        (at, { vector, share, from }) => {
          from.forEach((number, axis) => assert.ok(Math.abs(number - at[axis]) < 1e-9));
          return at.map((number, axis) => number + share * vector[axis]);
        },
        [0, 0],
      );
      const row = rowsOf(model, cell.name, cell.head)[cell.row];
      assert.deepEqual(last.vector, row);
      end.forEach((number, axis) =>
        assert.ok(Math.abs(number - row[axis]) < 1e-9 * Math.max(1, Math.abs(number))),
      );
      const [left, right, bottom, top] = reachOf([...arrows, last]);
      assert.ok(left <= 0 && right >= 0 && bottom <= 0 && top >= 0);
    }
  });
}

test("a printer says of each cell what its table does", () => {
  const { model } = examples[0];
  const print = printer(model);
  for (const name of Object.keys(model.matrices).filter((one) => model.matrices[one].perHead)) {
    const rows = rowsOf(model, name, 0) ?? [];
    rows.forEach((row, i) =>
      row.forEach((_, j) => {
        const cell = { name, head: 0, row: i, col: j };
        assert.equal(print(cell), printed({ model }, key(cell)));
      }),
    );
  }
});
