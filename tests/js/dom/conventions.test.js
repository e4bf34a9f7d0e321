// The page Notation: what its sections show of an example, and which numbers light up with the one pointed at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf, requireRows } from "../../../web/kit/graph.js";
import { mount, payload, press } from "./page.js";

/** A section of the page. @param {string} name of its payload */
async function section(name) {
  const data = payload(name);
  const { root } = await mount("conventions/conventions.js", data);
  const one = (/** @type {string} */ selector) => root.querySelector(selector);
  const all = (/** @type {string} */ selector) => [...root.querySelectorAll(selector)];
  return {
    data,
    one,
    all,
    texts: (/** @type {string} */ selector) => all(selector).map(({ textContent }) => textContent),
    keys: (/** @type {string} */ selector) => all(selector).map(({ dataset }) => dataset.key),
    point: (/** @type {any} */ at) =>
      (typeof at === "string" ? one(at) : at).dispatchEvent(
        new PointerEvent("pointerover", { bubbles: true }),
      ),
    /** The line of arithmetic, paragraph by paragraph. */
    line: () => all(".line p").map(({ textContent }) => textContent.replace(/\s+/g, " ").trim()),
    pack: (/** @type {string} */ library, letter = "q") => {
      one(`[data-focus$=" ${library}"]`).click();
      one(`[data-focus$=" ${letter}"]`).click();
    },
  };
}

/** Every number of a table, row by row. @param {Element} figure */
const shown = (figure) =>
  [...figure.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td[data-key]")].map(({ textContent }) => textContent),
  );

/** Computed numbers as a table prints them. @param {any[][]} rows */
function printed(rows) {
  const numbers = rows.flat().filter(Number.isFinite);
  const decimals = numbers.every(Number.isInteger) ? 0 : 4;
  const text = (/** @type {any} */ number) =>
    number === "-inf" ? "−∞" : number.toFixed(decimals).replace("-", "−");
  return rows.map((row) => row.map(text));
}

/** @param {any[][]} rows */
const transposed = (rows) => rows[0].map((_, col) => rows.map((row) => row[col]));

/** A matrix of an example, of a head or of the one that it borrows from. @param {any} data @param {string} name */
const rowsOf = (data, name, head = 0) => requireRows(data, name, headOf(data, name, head));

// --- row and column ----------------------------------------------------------------------------------------------

test("every step of varied examples is shown in both conventions", async () => {
  for (const example of payload("varied")) {
    const { data, one, all } = await section(`rows ${example}`);
    const last = data.entries.length - 1;
    one(`[data-focus$=" ${last}"]`)?.click(); // there is no choice of one head
    for (const { name, op } of data.entries[last]) {
      if (!op) continue;
      one(`tr[data-name="${name}"]`).click();
      assert.equal(one("tr.here").dataset.name, name);
      const rows = rowsOf(data, name, last);
      for (const [form, wanted] of /** @type {[string, any[][]][]} */ ([
        ["row", rows],
        ["column", transposed(rows)],
      ])) {
        const figure = all(`.equation.${form} figure`).at(-1);
        assert.deepEqual(shown(figure), printed(wanted), `${example} ${name} ${form}`);
        assert.equal(figure.querySelector(".shape").textContent, `${wanted.length} × ${wanted[0].length}`);
      }
    }
  }
});

test("what a step is computed from is transposed, and in the other order, in columns", async () => {
  const { data, one, all } = await section("rows output-projection");
  one('[data-focus$=" 1"]').click();
  one('tr[data-name="q"]').click();
  const [x, w] = [rowsOf(data, "x", 1), rowsOf(data, "w_q", 1)];
  const operands = (/** @type {string} */ form) => all(`.equation.${form} figure`).slice(0, 2).map(shown);
  assert.deepEqual(operands("row"), [x, w].map(printed));
  assert.deepEqual(operands("column"), [w, x].map(transposed).map(printed));
});

test("no line of an equation ends with an operator: each goes with the table after it", async () => {
  for (const name of ["rows water", "packed water"]) {
    const { one, all } = await section(name);
    one('tr[data-name="weights"]')?.click();
    const terms = all(".parts > *");
    assert.ok(terms.some((term) => term.querySelector(":scope > .operator")));
    for (const { lastElementChild } of terms) assert.ok(!lastElementChild.classList.contains("operator"));
  }
});

test("a formula in the list is broken before its sign of equality, or between heads", async () => {
  const { texts } = await section("rows water");
  const formulas = texts(".all-steps .rest");
  assert.ok(formulas.length > 0);
  for (const formula of formulas) assert.match(formula, /^= /);
  for (const formula of texts(".all-steps .rest.long")) assert.match(formula, /[|;]/);
});

test("a number that is pointed at lights up in the other convention, with what both make it of", async () => {
  const { one, all, keys, point, line } = await section("rows water");
  one('tr[data-name="scores"]').click();
  point('.equation.row td[data-key="scores|0|0|1"]');
  const [twin, ...others] = all(".equation.column td.twin");
  assert.equal(twin.dataset.key, "scores|0|0|1");
  assert.deepEqual(others, []);
  assert.deepEqual([twin.parentElement.rowIndex, twin.cellIndex], [2, 1]);
  const operands = ["q|0|0|0", "q|0|0|1", "k|0|1|0", "k|0|1|1"];
  assert.deepEqual(keys("td.operand").sort(), [...operands, ...operands].sort());
  assert.deepEqual(line(), [
    "In rows S Head 1 [Water, is] = Q·Kᵀ = 2 · 0 + 0 · 2 = 0",
    "In columns S′ Head 1 [is, Water] = K′ᵀ·Q′ = 0 · 2 + 2 · 0 = 0",
  ]);
});

test("arrows lead from number to number in either convention, and the number is said in both", async () => {
  const { one, texts, keys } = await section("rows water");
  one('tr[data-name="q"]').click();
  one('.equation.column td[data-key="q|0|0|0"]').focus();
  press("ArrowRight", document.activeElement);
  assert.deepEqual(keys(".equation.column td.current"), ["q|0|1|0"]);
  assert.deepEqual(keys(".equation.row td.twin"), ["q|0|1|0"]);
  press("ArrowDown", document.activeElement);
  assert.deepEqual(keys(".equation.row td.twin"), ["q|0|1|1"]);
  const [said] = texts("[role=status]");
  assert.ok(said.includes("[is, 2]") && said.includes("[2, is]"), said);
});

test("a step that is opened keeps the focus", async () => {
  const { one } = await section("rows water");
  one('tr[data-name="weights"] button').focus();
  one('tr[data-name="weights"] button').click();
  assert.equal(document.activeElement, one('tr[data-name="weights"] button'));
  assert.equal(one("tr.here").dataset.name, "weights");
});

// --- packed weights ----------------------------------------------------------------------------------------------

for (const [library, index, code] of [
  ["packed", "W_K[0, 3]", "W_K[:, 2:4]"],
  ["torch", "in_proj_weight[7, 0]", "in_proj_weight[6:8].T"],
  ["keras", "key/kernel[0, 1, 1]", "kernel[:, 1, :]"],
  ["linear", "key.weight[3, 0]", "key.weight[2:4].T"],
])
  test(`a weight lights up in the tensor of ${library} and in its head's slice`, async () => {
    const { pack, keys, point, line, all, texts } = await section("packed water");
    pack(library, "k");
    point('.packing > .box td[data-key="w_k|1|0|1"]');
    assert.deepEqual(keys(".slice td.twin"), ["w_k|1|0|1"]);
    assert.ok(line().at(-1).endsWith(index), line().at(-1));
    assert.equal(texts(".slice").length, 2);
    assert.equal(all(".slice")[1].querySelector("code").textContent, code);
    point(".slice td.twin");
    assert.deepEqual(keys(".packing > .box td.twin"), ["w_k|1|0|1"]);
    assert.ok(line().at(-1).endsWith(index), line().at(-1));
  });

test("a number of the packed product has its arithmetic and its operands", async () => {
  const { point, line, keys } = await section("packed output-projection");
  point('.packing > .box td[data-key="q|1|2|0"]');
  assert.equal(line()[0], "Q Head 2 [fish, 1] = 1 · 1 + 1 · 1 + 1 = 3");
  assert.ok(line()[1].endsWith("Q[2, 2]"));
  const operands = ["b_q|1|0|0", "w_q|1|0|0", "w_q|1|1|0", "x||2|0", "x||2|1"];
  assert.deepEqual([...new Set(keys("td.operand"))].sort(), operands);
});

test("heads that share keys have one block, which torch refuses", async () => {
  const { pack, texts } = await section("packed grouped-query");
  pack("packed", "k");
  assert.equal(texts(".packing > .box th.group")[0], "Heads 1–2");
  assert.deepEqual(texts(".slice h4"), ["Heads 1–2", "Heads 3–4"]);
  pack("torch", "k");
  assert.match(texts(".note.refused")[0], /kv_heads/);
});

test("a head without a matrix is said", async () => {
  const { texts } = await section("packed scaled");
  assert.match(texts(".note").join(" "), /no weights to pack/);
});

test("of a large tensor the first heads are drawn, and places count all of it", async () => {
  const { pack, texts, point, line, one } = await section("packed large");
  pack("torch", "k");
  assert.match(one(".part-packed").textContent, /Only the first 2 of 4 heads are drawn/);
  assert.equal(texts(".slice").length, 2);
  point('.packing > .box td[data-key="w_k|1|2|3"]');
  assert.ok(
    line()
      .at(-1)
      .endsWith(`in_proj_weight[${256 + 64 + 3}, 2]`),
    line().at(-1),
  );
});

test("varied examples are packed for every library", async () => {
  for (const example of payload("varied")) {
    const { data, pack, one, texts } = await section(`packed ${example}`);
    for (const letter of data.letters)
      for (const library of ["packed", "torch", "keras", "linear"]) {
        pack(library, letter);
        assert.equal(one(`[data-focus$=" ${library}"]`).ariaPressed, "true");
        assert.ok(texts(".packing figure, .note").length > 0, `${example} ${letter} ${library}`);
      }
  }
});

// --- masks -------------------------------------------------------------------------------------------------------

test("a pair lights up in the masks of all libraries, each of which writes it in its way", async () => {
  const { point, all, texts, keys, line } = await section("masks padding");
  assert.equal(all(".card").length, 6);
  point('.card td[data-key="pair|0|2"]');
  assert.equal(keys("td.twin").length, 5);
  assert.deepEqual(texts('td[data-key="pair|0|2"]'), ["False", "True", "−∞", "False", "False", "−3.4e38"]);
  for (const { dataset } of all('td[data-key="pair|0|2"]')) assert.equal(dataset.kind, "hidden");
  assert.equal(line()[0], "query 你, key <pad> (this pair is masked)");
  assert.match(line()[1], /torch nn\.MultiheadAttention attn_mask True/);
});

test("a mask is copied as Python, which its button says", async () => {
  const { one } = await section("masks padding");
  let copied = "";
  Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (/** @type {string} */ text) => (copied = text) },
    configurable: true,
  });
  const button = one('[data-focus="copy torch_bool"]');
  button.click();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(button.textContent, "Copied.");
  assert.ok(copied.startsWith("attn_mask = torch.tensor([[False, False, True"), copied);
});

test("a mask that adds numbers is refused where only true and false are taken", async () => {
  const { all, texts } = await section("masks added");
  assert.equal(all(".card .refused").length, 3);
  assert.equal(texts('td[data-key="pair|1|1"]')[0], "−2");
});

// --- a query that attends to nothing -----------------------------------------------------------------------------

test("a query that attends to nothing has zeros, NaN or equal weights, as each rule has it", async () => {
  const { data, all } = await section("dead padding");
  assert.deepEqual(
    all(".rules .scores td[data-key]").map(({ textContent }) => textContent),
    printed([data.scores])[0],
  );
  const rows = all(".rules tbody tr[data-rule]");
  assert.deepEqual(
    rows.map(({ dataset }) => [dataset.rule, dataset.outcome]),
    data.outcomes.map((/** @type {any} */ { rule, kind }) => [rule, kind]),
  );
  assert.deepEqual(
    rows.map(({ dataset }) => dataset.outcome),
    ["zero", "nan", "zero", "nan", "zero", "zero", "uniform", "uniform"],
  );
  const weights = /** @type {Record<string, string>} */ ({ zero: "0", nan: "NaN", uniform: "0.3333" });
  for (const row of rows)
    assert.deepEqual(
      [...row.querySelectorAll("td.weight")].map(({ textContent }) => textContent),
      Array(3).fill(weights[row.dataset.outcome]),
    );
});

test("a weight or an output of such a query has its arithmetic", async () => {
  const { point, line, keys } = await section("dead padding");
  point('td[data-key="weight|torch_weights|0"]');
  assert.equal(line()[0], "<pad> → 你 = 0 ÷ 0 = NaN");
  point('td[data-key="output|bert_eager|0"]');
  assert.equal(line()[0], "<pad> → head output 1 = 0.3333 · 1 + 0.3333 · 1 + 0.3333 · 3 ≈ 1.6667");
  assert.equal(keys("td.operand").length, 3);
});

// --- rotary positions --------------------------------------------------------------------------------------------

test("a row is rotated with its columns paired in either way", async () => {
  const { data, one } = await section("pairs in Chinese");
  for (const { name, rotated, partners } of data.pairings) {
    const card = one(`.card[data-pairs="${name}"]`);
    assert.deepEqual(shown(card), [...printed([data.row]), ...printed([rotated])]);
    const pairs = data.row.map((/** @type {number} */ _, /** @type {number} */ col) =>
      partners.findIndex((/** @type {number[]} */ pair) => pair.includes(col)),
    );
    assert.deepEqual(
      [...card.querySelectorAll("th.group")].map(({ textContent }) => textContent),
      pairs.map((/** @type {number} */ pair) => data.words.pair_n.replace("{pair}", pair + 1)),
    );
    assert.equal(card.querySelector("code").textContent, "W[:, [0, 2, 1, 3]]");
  }
});

test("a rotated number lights up the two that it is made of, with its arithmetic", async () => {
  const { data, point, keys, line } = await section("pairs");
  const factor = (/** @type {number} */ number) => (number < 0 ? `(−${-number})` : String(number));
  for (const { name, rotated, partners } of data.pairings)
    for (const [pair, cols] of partners.entries())
      for (const col of cols) {
        point(`td[data-key="${name}|1|${col}"]`);
        assert.deepEqual(
          keys("td.operand").sort(),
          cols.map((/** @type {number} */ partner) => `${name}|0|${partner}`),
        );
        const [said] = line();
        const [a, b] = cols.map((/** @type {number} */ partner) => factor(data.row[partner]));
        const [first, sign, second] = col === cols[0] ? ["cos", "−", "sin"] : ["sin", "+", "cos"];
        assert.ok(said.startsWith(`QR[${data.token}, ${col + 1}] = ${a} · ${first} `), said);
        assert.ok(said.includes(` ${sign} ${b} · ${second} `), said);
        assert.ok(said.includes(`pair ${pair + 1}: θ = `), said);
        const value = rotated[col].toFixed(4).replace("-", "−");
        assert.ok(said.includes(`≈ ${value}`) || said.includes(`= ${value.replace(".0000", "")}`), said);
      }
});

test("arrows lead from a row to the rotated one", async () => {
  const { one, keys } = await section("pairs");
  one('td[data-key="half|0|0"]').focus();
  press("ArrowDown", document.activeElement);
  assert.deepEqual(keys("td.current"), ["half|1|0"]);
});
