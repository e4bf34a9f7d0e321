// An exercise on a page without a server: its marks are the server's, and its hints, its end and its file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload } from "./page.js";

const { LocalHost } = await import("../../../web/page/local_host.js");

/** @type {(name: string) => any} */
function begun(name) {
  const data = payload("pages", name);
  const host = new LocalHost(data, "en", () => {});
  let seq = 0;
  const send = (/** @type {any[]} */ ...edits) => {
    const sent = edits.map((edit) => ({ ...edit, seq: ++seq }));
    host.receive("edits", { session: host.explore.session, edits: sent });
    return host.explore;
  };
  const fill = (/** @type {any[]} */ tables) =>
    send(...tables.map(([matrix, head, values]) => ({ op: "claim", matrix, head, row: 0, col: 0, values })));
  return { host, send, fill, data };
}

test("the marks are those of the server", () => {
  for (const [at, { name, tables, marks }] of payload("sheets").entries()) {
    const { fill } = begun(name);
    const found = fill(tables).marks;
    const other = Object.keys({ ...marks, ...found }).filter((cell) => marks[cell] !== found[cell]);
    const told = other.map((cell) => `${cell}: ${found[cell]}, not ${marks[cell]}`);
    assert.deepEqual(told, [], `${name}, sheet ${at}`);
  }
});

const A = { name: "weights", head: 0, row: 0, col: 0 };
/** @type {(value: string, cell?: any) => any} */
const write = (value, { name, head, row, col } = A) => ({
  op: "claim",
  matrix: name,
  head,
  row,
  col,
  values: [[value]],
});
const RIGHT = "0.00"; // 1.2e−5

test("a number is judged as it is written; undo takes it back, with its mark", () => {
  const { send } = begun("first");
  assert.deepEqual(send().marks, {});
  assert.deepEqual(send(write("0.5")).marks, { "weights|0|0|0": "own" });
  const { check, marks, matrices } = send({ op: "undo" });
  assert.deepEqual([marks, matrices.weights.values[0][0][0], check.state], [{}, "", "empty"]);
  assert.deepEqual(send(write(RIGHT)).marks, { "weights|0|0|0": "right" });
});

test("tables tell how many of their numbers are right, and wrong", () => {
  const { send } = begun("first");
  const { tables } = send(write(RIGHT), write("7", { ...A, col: 1 })).check.practice;
  assert.deepEqual(
    tables.map(({ name, head, cells, right, wrong }) => [name, head, cells, right, wrong]),
    [
      ["weights", 0, 9, 1, 1],
      ["weights", 1, 9, 0, 0],
      ["head_outputs", 0, 6, 0, 0],
      ["head_outputs", 1, 6, 0, 0],
    ],
  );
});

test("hints give away more and more, but not what else is asked for; the next cell begins with none", () => {
  const { send, fill, data } = begun("first");
  const hinted = (/** @type {any} */ cell) => {
    const { rung, text, more } = send({ op: "hint", cell }).check.practice.hint;
    return [rung, more, text];
  };
  assert.deepEqual(hinted(A).slice(0, 2), ["Idea", "Hint: formula"]);
  assert.deepEqual(hinted(A).slice(0, 2), ["Formula", "Hint: formula with numbers"]);
  const output = { name: "head_outputs", head: 0, row: 0, col: 0 };
  assert.equal(hinted(output)[0], "Idea");
  hinted(output);
  assert.match(hinted(output)[2], /^head_1\[1, 1\] = A\[1, 1\]·/);
  assert.equal(hinted(A)[0], "Formula"); // the last one again
  const weights = data.languages.en.explore.matrices.weights.values;
  fill(weights.map((rows, head) => ["weights", head, rows.map((row) => row.map((n) => n.toFixed(4)))]));
  assert.match(hinted(output)[2], /^head_1\[1, 1\] = 1\.2e−5·/); // they are all known now
});

test("the end says how it went", () => {
  const { send, fill, data } = begun("first");
  send({ op: "hint", cell: A }, write("7"), write(RIGHT));
  const { weights, head_outputs } = data.languages.en.explore.matrices;
  const right = Object.entries({ weights, head_outputs }).flatMap(([name, { values }]) =>
    values.map((rows, head) => [name, head, rows.map((row) => row.map((number) => number.toFixed(3)))]),
  );
  const { check } = fill(right);
  assert.deepEqual([check.state, check.summary], ["ok", "All correct"]);
  const { result, looks, queries } = check.practice.end;
  assert.equal(result, "29 of 30 right on the first try. 1 hint.");
  assert.deepEqual([looks.length, queries], [2, ["思考", "计算机", "程序"]]);
});

test("a block is pasted as text, and refused with its place where it is none", () => {
  const { send } = begun("first");
  const paste = (/** @type {string} */ text) =>
    send({ op: "claim_text", matrix: "weights", head: 0, row: 0, col: 0, text });
  assert.deepEqual(paste("[[0.1, 0.2], [1/4, 0.5]]").matrices.weights.values[0].slice(0, 2), [
    ["0.1", "0.2", ""],
    ["0.2500", "0.5", ""],
  ]);
  const { message, matrices } = paste("1\tx");
  assert.equal(
    message.text,
    "Row 1, column 2 of the pasted block: “x” is not a number. Nothing was changed.",
  );
  assert.equal(matrices.weights.values[0][0][0], "0.1");
  assert.equal(send({ op: "clear_claims", matrix: "weights", head: 0 }).matrices.weights.values[0][0][0], "");
});

test("the sheet shows neither the answers nor what comes after them", () => {
  const { send } = begun("causal");
  const { matrices, steps, looks } = send();
  assert.ok(!("head_outputs" in matrices) && !("concat" in steps));
  assert.ok(matrices.weights.values.flat(2).every((text) => text === ""));
  assert.deepEqual(looks, []);
});

test("the file has what was filled in; once the exercise is ended, the page is as usual", () => {
  const { send, host, data } = begun("first");
  assert.equal(host.file.claimed, null);
  send(write("0.50"));
  assert.deepEqual(host.file.claimed.weights[0][0], ["0.50", null, null]);
  assert.deepEqual(host.file.asked, ["weights", "head_outputs"]);
  assert.deepEqual(host.file.attempt, { missed: [0], hints: [] });
  send({ op: "hint", cell: { name: "weights", head: 0, row: 0, col: 1 } });
  assert.deepEqual(host.file.attempt.hints, [[1, 1]]);
  const explore = send({ op: "end_exercise" });
  assert.deepEqual([host.isExercise, explore.check, "claimed" in host.file], [false, undefined, false]);
  assert.deepEqual(explore.matrices, data.languages.en.explore.matrices);
});
