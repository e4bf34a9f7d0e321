// A notebook cell that shows heads: what its parts show of the numbers that it contains.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload, press } from "./page.js";

const { unpacked } = await import("../../../web/kit/binary.js");
const { Cell } = await import("../../../web/heads/cell.js");
const { shareOf, softmaxRow, writtenTerms } = await import("../../../web/models/head/softmax_row.js");
const { strongest } = await import("../../../web/models/head/strongest_lines.js");
const { Embedded } = await import("../../../web/heads/embedded.js");

const CELLS = payload("cells");
const WEIGHTS = payload("weights");

/** @param {string} name */
function messageOf(name) {
  const { buffer, byteOffset, length } = Buffer.from(CELLS[name], "base64");
  return /** @type {any} */ (unpacked(buffer.slice(byteOffset, byteOffset + length)));
}

/** Opens a cell, and waits until its head has numbers. @param {string} name */
async function opened(name) {
  document.body.innerHTML = `<div id="page"></div>`;
  const { header, arrays } = messageOf(name);
  new Cell(/** @type {any} */ (document.querySelector("#page")), header, arrays);
  await rest();
  const find = (/** @type {string} */ selector) => /** @type {any} */ (document.querySelector(selector));
  const all = (/** @type {string} */ selector) =>
    /** @type {any[]} */ ([...document.querySelectorAll(selector)]);
  const texts = (/** @type {string} */ selector) => all(selector).map((node) => node.textContent);
  const choose = async (/** @type {number} */ layer, /** @type {number} */ head) => {
    all(".tile")[layer * header.heads.views[0].run.heads + head].click();
    await rest();
  };
  const pick = async (/** @type {string} */ focus, /** @type {number} */ value) => {
    const field = find(`select[data-focus="${focus}"]`);
    field.value = String(value);
    field.dispatchEvent(new Event("change"));
    await rest();
  };
  return { find, all, texts, choose, pick, words: header.words };
}

/** A number on screen. @param {string | null} text */
const numberIn = (text) => Number(text?.replaceAll("−", "-"));

/** Scores that nothing is done to. */
const PLAIN = { divisor: 1, softcap: null, sink: null, added: () => 0 };

const rest = () => new Promise((resolve) => setTimeout(resolve));

/** @type {(ours: ArrayLike<number>, theirs: number[][], place?: string) => void} */
function assertWeights(ours, theirs, place = "") {
  for (const [at, right] of theirs.flat().entries())
    assert.ok(Math.abs(ours[at] - right) < 1e-6, `${place} ${at}: ${ours[at]}, not ${right}`);
}

// --- the numbers ---------------------------------------------------------------------------------------------------

/** @param {string} name @param {number} [at] */
function sourceOf(name, at = 0) {
  const { header, arrays } = messageOf(name);
  return new Embedded(header.heads.views[at], arrays, at, header.words);
}

test("each head's weights are torch's, in every sample", async () => {
  for (const [at, name] of ["found", "second"].entries())
    for (const [layer, heads] of WEIGHTS[name].entries())
      for (const [head, weights] of heads.entries()) {
        const [numbers] = await sourceOf("found", at).numbers({ head: [layer, head] });
        assert.equal(numbers.exact, null);
        assertWeights(numbers.weights, weights, `${name} ${layer}.${head}`);
      }
});

test("scores come from q and k, and are hidden where the mask is causal", async () => {
  const [{ factors }] = await sourceOf("found").numbers({ head: [1, 2] });
  const scores = payload("scores")[2];
  assert.ok(factors);
  assert.equal(factors.divisor, Math.SQRT2);
  for (let query = 0; query < 8; query++)
    for (let key = 0; key < 8; key++) {
      const ours = factors.score(query, key);
      if (key > query) assert.equal(ours, Number.NEGATIVE_INFINITY);
      else assert.ok(Math.abs(ours - scores[query][key]) < 1e-5);
    }
});

test("the rows of softmax are torch's, with masks, a softcap and sinks", async () => {
  for (const [layer, heads] of WEIGHTS.masked.entries())
    for (const [head, rows] of heads.entries()) {
      const [{ factors }] = await sourceOf("masked").numbers({ head: [layer, head] });
      assert.ok(factors);
      for (const [query, weights] of rows.entries()) {
        const row = softmaxRow(factors, query, weights.length);
        for (const [key, weight] of weights.entries())
          assert.ok(Math.abs(shareOf(row, key) - weight) < 1e-5, `${layer}.${head} ${query} ${key}`);
      }
    }
});

test("scores far from 0 are shifted, and neither overflow nor vanish", () => {
  for (const level of [-5000, -12, 0, 20.5, 5000]) {
    const row = softmaxRow({ ...PLAIN, score: (_, key) => level + key }, 0, 3);
    assert.equal(row.shift, level ? level + 2 : 0);
    const sum = 1 + Math.exp(-1) + Math.exp(-2);
    for (const key of [0, 1, 2]) assert.ok(Math.abs(shareOf(row, key) - Math.exp(key - 2) / sum) < 1e-12);
  }
});

test("of a long sum the largest powers are written and that of the key, and the others are summed", () => {
  const powers = [1, 9, 2, 0, 8, 3, 7, 4, 6, 5];
  assert.deepEqual(writtenTerms(powers, 0, 4), { written: [0, 1, 4, 6], count: 5, rest: 2 + 3 + 4 + 6 + 5 });
  assert.deepEqual(writtenTerms(powers, 4, 4), { written: [1, 4, 6], count: 6, rest: 1 + 2 + 3 + 4 + 6 + 5 });
  assert.deepEqual(writtenTerms(powers, 3, 10), { written: [...powers.keys()], count: 0, rest: 0 });
});

/** The lines of the arithmetic by their names, as text with a minus. */
function sumsOf(/** @type {(selector: string) => any[]} */ all) {
  const names = all(".sums dt").map(({ textContent }) => textContent);
  const lines = all(".sums dd").map(({ textContent }) => textContent.replaceAll("−", "-"));
  return new Map(names.map((name, at) => [name, lines[at]]));
}

test("the arithmetic has a line for each thing that is done to the score", async () => {
  const { all, choose } = await opened("masked");
  const sums = [];
  for (const layer of [0, 1, 2, 3]) {
    await choose(layer, 1);
    if (!all('.line-token[aria-pressed="true"]').length) all(".line-token")[1].click();
    all("button.line-key")[0].click();
    sums.push(sumsOf(all));
  }
  assert.deepEqual(
    sums.map((lines) => [...lines.keys()].slice(1, -1)),
    [["Divided"], ["Divided by √dk", "Mask or positions"], ["Softcap"], []],
  );
  assert.match(sums[0].get("Divided") ?? "", / ÷ 3\.3333 ≈ /);
  assert.match(sums[0].get("Softmax") ?? "", /2 keys are hidden by the mask: e-∞ = 0\.$/);
  assert.match(sums[2].get("Softcap") ?? "", /^2 · tanh\(.* ÷ 2\) ≈ /);
  assert.match(sums[3].get("Softmax") ?? "", / \+ e1\.5 \(the head's sink\)\) ≈ /);
});

test("the fraction's terms add up to its sum, and its value is the weight of the trace", async () => {
  for (const name of ["masked", "found"]) {
    const { all, choose } = await opened(name);
    for (const [layer, heads] of WEIGHTS[name].entries()) {
      await choose(layer, 1);
      if (!all('.line-token[aria-pressed="true"]').length) all(".line-token")[3].click();
      all("button.line-key")[1].click();
      const line = all(".sums dd").at(-1);
      const written = [...line.querySelectorAll("sup")].map(({ textContent }) => numberIn(textContent));
      const [own, ...terms] = written.slice(0, written.length - (line.querySelector(".sum-note") ? 1 : 0));
      const [, above, below] = /≈ ([\d.]+) ÷ ([\d.]+)/.exec(line.textContent) ?? [];
      assert.ok(terms.includes(own));
      assert.ok(Math.abs(Math.exp(own) - Number(above)) < 1e-3 * Number(above) + 1e-4);
      const sum = terms.reduce((total, term) => total + Math.exp(term), 0);
      assert.ok(Math.abs(sum - Number(below)) < 1e-3 * sum, `${name} ${layer}: ${sum}, not ${below}`);
      const value = Number(line.querySelector("strong").title);
      assert.ok(Math.abs(value - heads[1][3][1]) < 1e-5, `${name} ${layer}: ${value}`);
    }
  }
});

test("in a long text the largest weights are exact, and no other is above its bound", async () => {
  const n = 80;
  for (const [head, rows] of WEIGHTS.long.entries()) {
    const [{ weights, exact, factors, unexplained }] = await sourceOf("long").numbers({ head: [1, head] });
    assert.ok(exact);
    for (const [query, row] of rows.entries()) {
      const largest = Math.max(...row);
      for (const [key, weight] of row.entries()) {
        const at = query * n + key;
        if (exact[at]) assert.ok(Math.abs(weights[at] - weight) < 1e-7);
        else assert.ok(weight <= weights[at] + 1e-7 && weights[at] <= largest + 1e-7, `${query} ${key}`);
      }
      const count = exact.subarray(query * n, (query + 1) * n).reduce((sum, one) => sum + one, 0);
      assert.equal(count, sourceOf("long").view.largest);
    }
    assert.equal(factors, null);
    assert.match(
      unexplained,
      /run a cell that ends in found\["layers\.1\.self_attn"\]: it has those of this attention\.$/,
    );
  }
});

test("where there are levels the other weights are near, and have a sign", async () => {
  for (const [head, rows] of WEIGHTS.long.entries()) {
    const [{ weights, exact, sign }] = await sourceOf("rounded").numbers({ head: [1, head] });
    assert.equal(sign, "≈ ");
    for (const [at, weight] of rows.flat().entries()) {
      const most = exact?.[at] ? 1e-7 : (2 * Math.sqrt(weight) + 0.5 / 255) * (0.5 / 255) + 1e-7;
      assert.ok(Math.abs(weights[at] - weight) <= most, `${at}: ${weights[at]}, not ${weight}`);
    }
  }
});

test("a weight that is not exact has its sign where it is read", async () => {
  for (const [name, sign] of [
    ["rounded", "≈ "],
    ["long", "≤ "],
  ]) {
    const { find } = await opened(name);
    const [{ exact, weights }] = await sourceOf(name).numbers({ head: [0, 0] });
    const at = weights.findIndex((weight, place) => !exact?.[place] && weight > 0.001);
    const map = find(".big-map");
    press("ArrowDown", map);
    for (let query = 0; query < Math.floor(at / 80); query++) press("ArrowDown", map);
    for (let key = 0; key < at % 80; key++) press("ArrowRight", map);
    assert.match(
      find(".readout").textContent,
      new RegExp(`^${Math.floor(at / 80) + 1} → ${(at % 80) + 1}: ${sign}0`),
    );
    assert.match(find(".pair-weight").textContent, new RegExp(`^${sign}0`));
  }
});

// --- what is shown -------------------------------------------------------------------------------------------------

test("all heads are shown, and the chosen one with its lines", async () => {
  const { all, find, texts, choose } = await opened("found");
  assert.equal(all(".tile").length, 12);
  assert.match(find(".glance h2").textContent, /^3 attentions, 4 heads each$/);
  await choose(1, 2);
  assert.equal(find(".one h2").textContent, "layers.1.self_attn, head 2");
  assert.deepEqual(texts(".line-token").slice(1, 3), ["the₁", "cat₁"]);
});

test("a head is lines of up to 32 tokens at first, and a map of more", async () => {
  for (const [tokens, first] of [
    ["32", "lines"],
    ["33", "map"],
  ]) {
    const { find, choose } = await opened(tokens);
    await choose(1, 2);
    assert.equal(find(`[data-focus="${first}"]`).getAttribute("aria-pressed"), "true");
    find('[data-focus="lines"]').click();
    assert.equal(find('[data-focus="lines"]').getAttribute("aria-pressed"), "true");
  }
});

test("a pair's weight is torch's, and its arithmetic starts from q and k", async () => {
  const { find, all, choose } = await opened("found");
  await choose(1, 2);
  all(".line-token")[5].click();
  all("button.line-key")[2].click();
  const weight = WEIGHTS.found[1][2][5][2];
  assert.equal(find(".pair-weight").title, String(Math.fround(weight)));
  assert.equal(find(".readout").textContent, `cat₂ → cat₁: ${weight.toFixed(4).replace(/0+$/, "")}`);
  const [score, divided] = all(".sums strong").map(({ title }) => Number(title));
  assert.ok(Math.abs(score - payload("scores")[2][5][2]) < 1e-5);
  assert.ok(Math.abs(divided - score / Math.SQRT2) < 1e-12);
  const factors = all(".sums dd:first-of-type :is(.of-q, .of-k)").map(({ textContent }) =>
    numberIn(textContent.replace(/[()]/g, "")),
  );
  const [q, k] = [payload("q")[2][5], payload("k")[2][2]];
  for (const [at, number] of [q[0], k[0], q[1], k[1]].entries())
    assert.ok(Math.abs(factors[at] - number) < 6e-5);
});

test("another sample shows its own numbers, and the chosen head stays", async () => {
  const { find, all, choose, pick, texts } = await opened("found");
  await choose(2, 1);
  await pick("Sample", 1);
  assert.equal(find(".one h2").textContent, "layers.2.self_attn, head 1");
  assert.deepEqual(texts(".line-token"), [..."12345678"]);
  all(".line-token")[3].click();
  const shown = all("button.line-key").map(({ title }) => Number(title));
  assertWeights(shown, [WEIGHTS.second[2][1][3]]);
});

test("a head opens as an example by a line of Python", async () => {
  const { find, choose, pick } = await opened("found");
  await choose(1, 3);
  assert.equal(find(".python-line").value, 'found["layers.1.self_attn"].example(heads=[3])');
  await pick("Sample", 1);
  assert.equal(find(".python-line").value, 'found.samples[1]["layers.1.self_attn"].example(heads=[3])');
  const { find: inLong } = await opened("long");
  assert.equal(inLong(".python-line").value, 'found["layers.0.self_attn"].example(heads=[0], cut=True)');
});

test("attentions are called as the module calls them, in titles and in the line of Python", async () => {
  const { find, texts, choose } = await opened("found");
  assert.deepEqual(texts(".layer-name"), ["layers.0", "layers.1", "layers.2"]);
  assert.deepEqual(texts(".tile-name").slice(0, 5), ["0", "1", "2", "3", "0"]);
  await choose(2, 0);
  assert.equal(find(".one h2").textContent, "layers.2.self_attn, head 0");
  assert.equal(find(".python-line").value, 'found["layers.2.self_attn"].example(heads=[0])');
  const cross = await opened("cross");
  await cross.pick("Attentions", 2); // the decoder's attention to the encoder is the third of the run
  assert.equal(cross.find(".one h2").textContent, "decoder.layers.0.multihead_attn, head 0");
});

test("the largest weights of a row are found, and their share of it", () => {
  const row = Float32Array.of(0.25, 0, 0.0625, 0.5, 0.125, 0.0625);
  assert.deepEqual(strongest(row, null, 3), { keys: [0, 3, 4], share: 0.875 });
  assert.deepEqual(strongest(row, null, 9), { keys: [0, 2, 3, 4, 5], share: 1 });
  assert.deepEqual(strongest(row, Uint8Array.of(0, 1, 1, 1, 1, 0), 9), { keys: [2, 3, 4], share: 0.6875 });
});

test("of a long text the lines of one token are drawn, to its largest weights", async () => {
  for (const [name, most] of [
    ["rounded", 20],
    ["long", 1],
  ]) {
    const { all, find, texts, choose } = await opened(name);
    await choose(1, 0);
    find('[data-focus="lines"]').click();
    all(".tokens .strip button")[40].click();
    const row = WEIGHTS.long[0][40];
    const count = Number(most) > 1 ? 20 : sourceOf("long").view.largest;
    const order = [...row.keys()].sort((one, other) => row[other] - row[one]).slice(0, count);
    const keys = all(".strongest button.line-key");
    assert.deepEqual(
      keys.map((key) => Number(key.querySelector(".line-name").textContent) - 1),
      [...order].sort((one, other) => one - other),
    );
    const share = order.reduce((sum, key) => sum + row[key], 0);
    const told = find(".strongest .hint").textContent;
    assert.match(told, new RegExp(`^The ${count} largest of the 80 weights of “41”: `));
    assert.ok(Math.abs(Number(/([\d.]+) of its row/.exec(told)?.[1]) - share) < 0.02, told);
    assert.deepEqual(
      texts(".strongest .line-token"),
      Array.from({ length: 21 }, (_, at) => String(31 + at)),
    );
    assert.equal(find('.line-token[aria-pressed="true"]').textContent, "41");
    all(".strongest .line-token")[3].dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
    assert.match(find(".strongest .hint").textContent, /weights of “34”/);
    all(".strongest .line-token")[0].click();
    assert.equal(texts(".strongest .line-token")[10], "31");
    all("button.line-key")[0].click();
    assert.match(find(".readout").textContent, /^31 → /);
  }
});

test("what is not in a cell is said, with the Python that has it", async () => {
  const { find, words } = await opened("long");
  const text = find(".cell-notes").textContent;
  assert.match(text, /largest weight of 3 × 3 pairs/);
  assert.match(text, /found\["layers\.0\.self_attn"\]\.weights/);
  assert.match(text, /A cell that ends in found\["layers\.0\.self_attn"\] has those of this attention\./);
  assert.match(text, /2 samples are not in this cell.*capture\(…, sample=1\)/);
  assert.ok(words.absent_samples);
  const { find: inShort } = await opened("found");
  assert.equal(inShort(".cell-notes").hidden, true);
});

test("a cell of one attention has its arithmetic, and there the weight that has no room", async () => {
  const { find, all } = await opened("alone");
  const [{ exact, factors }] = await sourceOf("alone").numbers({ head: [0, 0] });
  assert.ok(factors);
  const at = WEIGHTS.long[0].flat().findIndex((_, place) => exact?.[place] === 0);
  const map = find(".big-map");
  press("ArrowDown", map);
  for (let query = 0; query < Math.floor(at / 80); query++) press("ArrowDown", map);
  for (let key = 0; key < at % 80; key++) press("ArrowRight", map);
  const weight = WEIGHTS.long[0].flat()[at];
  assert.ok(Math.abs(Number(find(".pair-weight").title) - weight) < 1e-6);
  assert.ok(Math.abs(Number(all(".sums strong").at(-1).title) - weight) < 1e-6);
  assert.equal(find(".one h2").textContent, "layers.1.self_attn, head 0");
});

test("keys may be other tokens than queries", async () => {
  const { all, texts, pick, find } = await opened("cross");
  assert.deepEqual(texts("select[data-focus='Attentions'] option"), [
    "encoder.layers.0.self_attn (5 × 5)",
    "decoder.layers.0.self_attn … layers.1 (3 × 3)",
    "decoder.layers.0.multihead_attn … layers.1 (3 × 5)",
  ]);
  await pick("Attentions", 2);
  assert.deepEqual(texts(".line-token"), ["a", "b", "c"]);
  assert.deepEqual(texts(".line-key"), ["v", "w", "x", "y", "z"]);
  assert.match(find(".does").textContent, /^Not measured/);
  all(".line-token")[1].click();
  const shown = all("button.line-key").map(({ title }) => Number(title));
  assertWeights(shown, [WEIGHTS.cross[0][1]]);
  all("button.line-key")[4].click();
  assert.match(find(".readout").textContent, /^b → z: /);
  find('[data-focus="map"]').click();
  press("ArrowDown", find(".big-map"));
  assert.match(find(".readout").textContent, /^c → z: /);
  press("ArrowDown", find(".big-map"));
  press("ArrowRight", find(".big-map"));
  assert.match(find(".readout").textContent, /^c → z: /);
});

test("heads that were switched off or replaced are marked, in words too", async () => {
  const { all, find, choose, texts } = await opened("changed");
  assert.deepEqual(
    all(".tile.off, .tile.patched").map(({ dataset }) => dataset.at),
    ["1", "6"],
  );
  assert.match(all(".tile")[1].getAttribute("aria-label"), /Muted/);
  assert.match(all(".tile")[6].getAttribute("aria-label"), /Replaced/);
  await choose(1, 2);
  assert.match(find(".one-mark").textContent, /Replaced/);
  find('[data-focus="lines"]').click();
  all(".line-token")[0].click();
  all("button.line-key")[0].click();
  const [before, after] = texts(".explained-side .sum");
  assert.match(before, /^Scoreq·k = /); // its own weights were computed from q and k
  assert.match(after, /only the weight is shown/);
  assert.equal(texts(".change thead th").length, 4);
  const { rows } = messageOf("changed").header.change;
  const [entry] = rows[0].entries;
  const first = all(".change tbody tr")[0].textContent;
  const by = entry.after - entry.before;
  const number = (/** @type {number} */ value) => value.toFixed(3).replace("-", "−");
  assert.equal(
    first,
    `${entry.name}${number(entry.before)}${number(entry.after)}${by > 0 ? "+" : ""}${number(by)}`,
  );
});

test("a changed run opens on a changed head, and says what was changed", async () => {
  const { find, texts, all } = await opened("changed");
  assert.equal(find(".one h2").textContent, "layers.0.self_attn, head 1");
  assert.match(find(".one-mark").textContent, /Muted/);
  assert.deepEqual(texts(".change-done li"), [
    "Head 1 of layers.0.self_attn: off (outputs set to 0).",
    "Head 2 of layers.1.self_attn: weights replaced.",
  ]);
  assert.equal(all(".big-map").length, 1); // its weights did not change
  const cross = await opened("decoder");
  assert.equal(cross.find(".one h2").textContent, "decoder.layers.0.multihead_attn, head 1");
});

test("what changed in the output comes before the heads", async () => {
  const { find } = await opened("changed");
  const order = find(".change").compareDocumentPosition(find(".run-heads"));
  assert.equal(order, Node.DOCUMENT_POSITION_FOLLOWING);
});

test("of logits each token has its probability before and after, its change, and that of its logit", async () => {
  const { all, texts } = await opened("logits");
  const heads = ["probability before", "after", "change", "change of the logit"];
  assert.deepEqual(texts(".change thead th").slice(1), heads);
  const { entries } = messageOf("logits").header.change.rows[0];
  const signed = (/** @type {number} */ by, /** @type {number} */ decimals) =>
    `${by > 0 ? "+" : "−"}${Math.abs(by).toFixed(decimals)}`;
  for (const [at, { name, before, after, probabilities }] of entries.entries()) {
    const [, ...cells] = [...all(".change tbody tr")[at].children].map(({ textContent }) => textContent);
    const decimals = cells[0].length - 2;
    const shares = probabilities.map((/** @type {number} */ share) => share.toFixed(decimals));
    const changes = [signed(probabilities[1] - probabilities[0], decimals), signed(after - before, 3)];
    assert.match(name, /^<b>\d \(\d\)$/);
    assert.deepEqual(cells, [...shares, ...changes]);
  }
});

test("a change that few decimals would hide is printed with more, in every line", async () => {
  const { ChangeTable } = await import("../../../web/heads/change_table.js");
  const { words } = messageOf("logits").header;
  const entries = [
    { name: "a", before: 1, after: 1.01, probabilities: [0.0141, 0.0142] },
    { name: "b", before: 1, after: 1.2, probabilities: [0.3, 0.4] },
  ];
  const change = {
    done: [],
    largest: "0.2",
    shape: "1 × 9",
    rows: [{ sample: 0, place: "", entries, first: ["b", "b"] }],
  };
  const table = new ChangeTable(/** @type {any} */ (change), words);
  table.update(0);
  const cells = [...table.root.querySelectorAll("tbody td")].map(({ textContent }) => textContent);
  assert.deepEqual(cells, ["0.0141", "0.0142", "+0.0001", "+0.010", "0.3000", "0.4000", "+0.1000", "+0.200"]);
});

/** The largest change of a head's weights. @param {number} at its flat number */
function changeOf(at) {
  const [before, after] = ["before", "after"].map((name) => WEIGHTS[name][Math.floor(at / 4)][at % 4].flat());
  return Math.max(
    ...after.map((/** @type {number} */ weight, /** @type {number} */ place) =>
      Math.abs(weight - before[place]),
    ),
  );
}

test("in the overview of a change each head has its largest change", async () => {
  const { texts, find } = await opened("changed");
  const changes = Array.from({ length: 12 }, (_, at) => changeOf(at));
  /** @param {number[]} expected */
  const assertShown = (expected) => {
    for (const [at, text] of texts(".tile-number").entries())
      assert.ok(Math.abs(numberIn(text) - expected[at]) < 6e-5, `${at}: ${text}, not ${expected[at]}`);
  };
  assertShown(changes);
  assert.equal(texts(".tile-number")[0], "0"); // nothing changed before the first layer
  assert.equal(find(".shows [aria-pressed='true']").textContent, "difference");
  const sorted = find("select[data-focus='by']");
  sorted.value = "difference";
  sorted.dispatchEvent(new Event("change"));
  assertShown([...changes].sort((one, other) => other - one));
});

test("a head's maps before and after a change and their difference have torch's weights", async () => {
  const { all, find, texts, choose } = await opened("changed");
  await choose(2, 3);
  assert.deepEqual(texts(".map-side .side-name"), ["difference", "before", "after"]);
  const [before, after] = ["before", "after"].map((name) => WEIGHTS[name][2][3]);
  const number = (/** @type {number} */ value) => value.toFixed(2).replace("-", "−");
  const maps = all(".big-map");
  const lives = () => all(".map-side [aria-live]").map(({ textContent }) => textContent);
  for (const [at, map] of maps.entries()) {
    if (at) press("ArrowRight", map);
    else press("ArrowDown", map);
    const by = after[0][at] - before[0][at];
    const shown = [`${by > 0.005 ? "+" : ""}${number(by)}`, number(before[0][at]), number(after[0][at])][at];
    assert.ok(lives()[at].endsWith(` ${shown}`), `${lives()[at]}, not ${shown}`);
    const [, one, other] = /: ([\d.]+) before, ([\d.]+) after/.exec(find(".readout").textContent) ?? [];
    assert.ok(Math.abs(Number(one) - before[0][at]) < 6e-5 && Math.abs(Number(other) - after[0][at]) < 6e-5);
  }
});

test("the row of a token before and after is listed, and its tokens are there once", async () => {
  const { all, texts, choose, find } = await opened("changed");
  assert.equal(all(".tokens .strip").length, 1);
  await choose(2, 3);
  all(".tokens .strip button")[4].click();
  const [before, after] = ["before", "after"].map((name) => WEIGHTS[name][2][3][4]);
  const shown = all(".compared tbody tr").map((row) =>
    [...row.querySelectorAll("td")].map((td) => td.textContent),
  );
  assert.equal(shown.length, 8);
  const numbers = shown.map(([one, other]) => [Number(one), Number(other)]);
  const by = before.map((/** @type {number} */ weight, /** @type {number} */ at) => after[at] - weight);
  const order = [...by.keys()].sort((one, other) => Math.abs(by[other]) - Math.abs(by[one]));
  for (const [at, key] of order.entries())
    assert.ok(Math.abs(numbers[at][0] - before[key]) < 6e-4 && Math.abs(numbers[at][1] - after[key]) < 6e-4);
  assert.deepEqual(texts(".compared thead th"), ["Token", "Before", "After", "Change"]);
  assert.equal(find(".python-line").value, 'changed.found["layers.2.self_attn"].example(heads=[3])');
});

test("a change is shown where keys are other tokens than queries too", async () => {
  const { all, pick, texts, find } = await opened("crossed");
  await pick("Attentions", 2);
  assert.equal(all(".big-map").length, 3);
  all(".tokens .strip button")[1].click();
  assert.equal(all(".compared tbody tr").length, 5);
  assert.ok(texts(".tile-number").every((number) => Math.abs(numberIn(number)) <= 1));
  press("ArrowRight", all(".big-map")[2]);
  assert.match(find(".readout").textContent, /^b → 1: .* before, .* after, change /);
});

test("a cell cannot run a model: nothing to mute, and no other orders", async () => {
  const { find } = await opened("found");
  assert.equal(find(".switch").hidden, true);
  assert.equal(find(".shuffle").hidden, true);
});

test("a sweep's numbers are found with the keys", async () => {
  const { find } = await opened("sweep");
  const swept = payload("swept");
  press("ArrowDown", find(".big-map"));
  press("ArrowDown", find(".big-map"));
  press("ArrowRight", find(".big-map"));
  const number = swept[1][1];
  const text = `${number > 0 ? "+" : ""}${number.toFixed(4)}`.replace("-", "−");
  assert.equal(find(".sweep .readout").textContent, `layers.1.self_attn, head 1: ${text}`);
});

test("of a change the layers before it are left out, and the title says so", async () => {
  const { find, texts } = await opened("later");
  assert.deepEqual(texts(".layer-name"), ["layers.1", "layers.2"]);
  assert.equal(find(".glance h2").textContent, "Heads from layers.1 on: nothing changed before it");
  assert.equal(find(".one h2").textContent, "layers.1.self_attn, head 3");
  find('[data-focus="second"]').click();
  assert.deepEqual(texts(".layer-name"), ["layers.0", "layers.1", "layers.2"]);
});

test("the kinds of a changed run count the heads that are shown, and show so many", async () => {
  const { all, find } = await opened("later");
  const counts = () => all(".kind").map(({ textContent }) => Number(/\d+/.exec(textContent)?.[0]));
  assert.equal(
    counts().reduce((sum, count) => sum + count, 0),
    8,
  );
  for (const [at, count] of counts().entries()) {
    all(".kind")[at].click();
    assert.equal(all(".tile").length, count);
    assert.ok(all(".tile").every(({ dataset }) => Number(dataset.at) >= 4));
    all(".kind")[at].click();
  }
  find('[data-focus="first"]').click();
  assert.equal(
    counts().reduce((sum, count) => sum + count, 0),
    12,
  );
});

test("a sorted head's number is apart from its layer's name, which may be cut", async () => {
  const { all, find, texts } = await opened("found");
  const sorted = find("select[data-focus='by']");
  sorted.value = "entropy";
  sorted.dispatchEvent(new Event("change"));
  const places = all(".tile").map(({ dataset }) => Number(dataset.at));
  assert.deepEqual(
    texts(".tile-of"),
    places.map((at) => `layers.${Math.floor(at / 4)}`),
  );
  assert.deepEqual(
    texts(".tile-head"),
    places.map((at) => `, head ${at % 4}`),
  );
  assert.match(all(".tile")[0].getAttribute("aria-label"), /^layers\.\d\.self_attn, head \d:/);
});

test("padding is hidden, in lines, maps and arithmetic, until it is asked for", async () => {
  const { all, find, texts, choose } = await opened("padded");
  assert.equal(find(".padding-told").textContent, "75 tokens of padding are hidden.");
  assert.equal(all(".tokens .strip button").length, 5);
  assert.deepEqual([find(".tile canvas").width, find(".tile canvas").height], [5, 5]);
  await choose(1, 2);
  all(".line-token")[3].click();
  const weights = WEIGHTS.padded[1][2][3];
  assertWeights(
    all("button.line-key").map(({ title }) => Number(title)),
    [weights],
  );
  all("button.line-key")[4].click();
  assert.ok(Math.abs(Number(all(".sums strong").at(-1).title) - weights[4]) < 1e-6);
  find('[data-focus="padding"]').click();
  await rest();
  assert.equal(find('[data-focus="padding"]').ariaPressed, "true");
  assert.equal(find(".padding-told").textContent, "75 tokens of padding are shown, but not measured.");
  assert.equal(all(".tokens .strip button").length, 80);
  assert.equal(find(".tokens [aria-pressed='true']").textContent, "4"); // what was chosen stays
  assert.ok(Math.abs(Number(find(".pair-weight").title) - weights[4]) < 1e-6);
  all(".tokens .strip button")[7].click();
  find('[data-focus="lines"]').click();
  assertWeights(
    all("button.line-key").map(({ title }) => Number(title)),
    [WEIGHTS.padding[2]],
  );
  find('[data-focus="padding"]').click();
  await rest();
  assert.equal(find(".tokens [aria-pressed='true']"), null);
  assert.deepEqual(texts(".padding-told"), ["75 tokens of padding are hidden."]);
});

test("a head that is chosen below the fold comes into sight, but not at the end of a drag", async () => {
  const { all, find } = await opened("found");
  let scrolled = 0;
  find(".one").scrollIntoView = () => (scrolled += 1);
  find(".one").getBoundingClientRect = () => new DOMRect(0, 700, 600, 900);
  find(".glance").getBoundingClientRect = () => new DOMRect(0, 0, 600, 690);
  /** @param {number} by how far the pointer moves */
  const press = async (by) => {
    const tile = all(".tile")[3];
    tile.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, clientX: 10 }));
    tile.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: 10 + by }));
    await rest();
  };
  await press(30);
  assert.equal(scrolled, 0);
  await press(0);
  assert.equal(scrolled, 1);
  find(".one").getBoundingClientRect = () => new DOMRect(600, 0, 600, 900); // beside the heads
  await press(0);
  assert.equal(scrolled, 1);
});

test("what an attribution is of has one colon and its number", async () => {
  const { find } = await opened("direct");
  assert.match(find(".sweep-measured").textContent, /^Measured: logit 5 = −?\d/);
});

test("a map of what heads add has all that they add up to", async () => {
  const { texts } = await opened("direct");
  const names = texts(".sweep tbody th");
  const numbers = texts(".sweep tbody td").map(numberIn);
  assert.deepEqual(
    [names[0], names.at(-1)],
    ["all heads of the map", "sum: the logit, or the difference of two"],
  );
  const sum = numbers.slice(0, -1).reduce((one, other) => one + other);
  assert.ok(Math.abs(sum - numbers[numbers.length - 1]) < 1e-3);
});

test("a sweep says what was measured", async () => {
  const first = await opened("sweep");
  assert.match(
    first.find(".sweep .hint").textContent,
    /^Each head in turn is switched off: its outputs are set to 0\./,
  );
  assert.equal(first.find(".sweep-measured").textContent, "Measured: out[0, 0, 0]");
  const { find } = await opened("unnamed");
  assert.equal(find(".sweep-measured").textContent, "Measured: the largest absolute change of the output");
});

test("a chosen head of a sweep has the line of Python that opens it", async () => {
  const { find } = await opened("sweep");
  assert.equal(find(".sweep .taking").hidden, true);
  press("ArrowDown", find(".big-map"));
  press("ArrowDown", find(".big-map"));
  press("ArrowRight", find(".big-map"));
  assert.equal(find(".sweep .taking").hidden, false);
  assert.equal(find(".python-line").value, 'found["layers.1.self_attn"].example(heads=[1], cut=True)');
});

test("a cell is in the shell's language", async () => {
  const { find } = await opened("zh");
  assert.match(find(".glance h2").textContent, /3 个注意力层/);
  assert.equal(document.documentElement.lang, messageOf("zh").header.tag);
});
