// Numbers as they are typed, pasted, printed and coloured.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic, inBrief } from "../../web/kit/arithmetic.js";
import {
  brief,
  given,
  givenIn,
  isRounded,
  kindOf,
  read,
  readAllowed,
  readClaim,
  readMask,
  splitBlock,
  toCsv,
  toMarkdown,
  toneOf,
  topOf,
  toTsv,
} from "../../web/kit/numbers.js";

const each = (cases, act) =>
  cases.forEach(([given, wanted]) => void assert.deepEqual(act(given), wanted, given));

test("a number is read however it is typed, and what is none says why", () => {
  const cases = [
    ["1.5", { value: 1.5 }],
    [" −2 ", { value: -2 }],
    ["－３", { value: -3 }],
    [".5e1", { value: 5 }],
    ["1。5", { value: 1.5 }],
    ["1,5", { value: 1.5 }],
    ["−0,125", { value: -0.125 }],
    ["1,5e−3", { value: 0.0015 }],
    ["1,500", { wrong: "comma" }],
    ["1,000,000", { wrong: "comma" }],
    ["1/2", { wrong: "fraction" }],
    ["2e9", { wrong: "too_large" }],
    ["x", { wrong: "not_a_number" }],
  ];
  each(cases, (text) => read(text, 1e9));
});

test("a mask takes numbers, −∞ and what allows, a claim keeps its digits", () => {
  each(
    [
      ["-inf", { value: "-inf" }],
      ["−∞", { value: "-inf" }],
      ["2", { value: 2 }],
    ],
    (text) => readMask(text),
  );
  each(
    [
      ["1", { value: true }],
      ["✕", { value: false }],
      ["yes", { wrong: "not_allowed" }],
    ],
    readAllowed,
  );
  each(
    [
      ["0.50", { value: "0.50" }],
      ["", { value: "" }],
      ["?", { wrong: "not_a_number" }],
      ["1,00", { value: "1.00" }],
      ["−0,123", { value: "-0.123" }],
      [",5", { value: ".5" }],
      ["1,234", { wrong: "comma" }],
      ["1,2,3", { wrong: "comma" }],
      ["1/2", { value: "0.5000" }],
      ["−2 / 3", { value: "-0.6667" }],
      ["½", { value: "0.5000" }],
      ["1/3000", { value: "0.0003333" }],
      ["1/0", { wrong: "fraction" }],
    ],
    readClaim,
  );
});

test("a pasted block is split at tabs, brackets, commas or spaces", () => {
  const block = [
    ["1", "2"],
    ["3", "4"],
  ];
  for (const text of ["1\t2\r\n3\t4\n", "[[1, 2], [3, 4]]", "1, 2\n3, 4", "1 2\n3  4"])
    assert.deepEqual(splitBlock(text), block, text);
  for (const text of [
    "array([[1, 2],\n       [3, 4]])",
    "np.array([[1, 2], [3, 4]], dtype=int)",
    "torch.tensor([[1, 2], [3, 4]], device='cuda:0');",
    "\\begin{pmatrix}1 & 2\\\\[2pt]\n3&{4}\\\\\n\\end{pmatrix}",
    "X = $\\begin{array}{cc} 1 & 2 \\\\ \\hline 3 & 4 \\end{array}$",
  ])
    assert.deepEqual(splitBlock(text), block, text);
  assert.deepEqual(splitBlock("1\t\t3"), [["1", "", "3"]]);
  for (const text of ["0,5\t−1,25", "0,5; −1,25", "0,5 −1,25"])
    assert.deepEqual(splitBlock(text), [["0,5", "−1,25"]], text);
});

test("copied and downloaded numbers are not rounded, and no label is a formula", () => {
  const rows = [
    [0.1 + 0.2, "-inf"],
    [true, false],
  ];
  assert.equal(toTsv(rows), "0.30000000000000004\t-inf\n1\t0");
  const csv = ',"a","\'=b"\r\n"x ""y""",0.30000000000000004,-inf\r\n"z",1,0\r\n';
  assert.equal(toCsv(rows, ['x "y"', "z"], ["a", "=b"]), `""${csv}`);
  assert.equal(toCsv(rows, ['x "y"', "z"], ["a", "=b"], "dA = T"), `"dA = T"${csv}`);
});

test("a line of arithmetic shortens what is exact and keeps what is rounded", () => {
  each(
    [
      [0.5, "0.5"],
      [-2, "−2"],
      [1 / 3, "0.3333"],
      [1e-7, "1e−7"],
      [2e9, "2e+9"],
      ["-inf", "−∞"],
    ],
    (number) => brief(number, 4),
  );
  each(
    [
      [0.5, false],
      [0.1 + 0.2, false],
      [1 / 3, true],
      ["-inf", false],
    ],
    (number) => isRounded(number, 4),
  );
});

test("many terms that a mask makes 0 are one piece of the line", () => {
  const row = [1, ...Array(29).fill("-inf")];
  /** @type {any} */
  const model = {
    decimals: 2,
    dims: { h: 1, n_k: row.length },
    labels: {},
    shifts: [],
    words: {},
    matrices: {
      scores: { symbol: "S", axes: ["n_q", "n_k"], perHead: true, values: [[row]] },
      weights: { symbol: "A", axes: ["n_q", "n_k"], perHead: true, values: [[[1, ...Array(29).fill(0)]]] },
    },
    steps: {
      weights: {
        index: "ij",
        operands: [["scores", "ik", ""]],
        adds: true,
        shifts: true,
        term: "e^{0}",
        lines: ["{at} ÷ ({sum})"],
      },
    },
  };
  const manner = { ...inBrief(model), masked: (/** @type {number} */ count) => `${count} masked` };
  const pieces = arithmetic(model, { name: "weights", head: 0, row: 0, col: 0 }, manner);
  const line = pieces.map(({ text, power, number }) => text ?? power ?? number).join("");
  assert.equal(line, "e1 ÷ (e1 + 29 masked) = 1");
});

test("colours follow the sign, and the size against a top that stays put", () => {
  each(
    [
      [1, "positive"],
      [-1, "negative"],
      ["-inf", "hidden"],
      [false, "hidden"],
      [true, "visible"],
    ],
    kindOf,
  );
  each(
    [
      [[[3, -4]], 5],
      [[0], 1],
      [[0.02], 0.02],
      [[], 1],
    ],
    topOf,
  );
  each(
    [
      [-2, 0.5],
      [9, 1],
      ["-inf", 0],
    ],
    (value) => toneOf(value, 4),
  );
});

test("a given number stands as it was typed, unless it has more decimals than anybody types and than are shown", () => {
  assert.equal(given(0.125, 2), "0.125");
  assert.equal(given(3, 4), "3");
  assert.equal(given(-0.176592186, 4), "−0.1766");
  assert.equal(given(-0.176592186, 6), "−0.176592");
  assert.equal(given("-inf", 4), "−∞");
});

test("the given numbers of a table have as many decimals as the one that needs most, and no zeros for nothing", () => {
  const shown = (/** @type {Value[][]} */ rows) => rows.flat().map((number) => givenIn(rows, 4)(number));
  assert.deepEqual(shown([[2, 0.1 + 0.1 + 1e-17, -0.5]]), ["2.0", "0.2", "−0.5"]);
  assert.deepEqual(shown([[2, 0.1 + 0.2]]), ["2.0", "0.3"]); // 0.30000000000000004
  assert.deepEqual(shown([[2, -1]]), ["2", "−1"]);
  assert.deepEqual(shown([[0.25, "-inf", "0.50", 1e-7]]), ["0.25", "−∞", "0.50", "1e−7"]);
});

test("a table in Markdown has its labels as text, and every digit", () => {
  assert.equal(
    toMarkdown([[0.5, "-inf"]], ["a|b"], ["*x*", "y"]),
    "|  | \\*x\\* | y |\n|---:|---:|---:|\n| a\\|b | 0.5 | -inf |\n",
  );
});
