// The page Models: what its parts show of the server's answers, what they request, and what goes into the address.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unpacked } from "../../../web/kit/binary.js";
import { fill } from "../../../web/kit/dom.js";
import { NextToken } from "../../../web/models/effect/next_token.js";
import { opacityOn } from "../../../web/models/paint.js";
import { counterpart, mapOf, mostShifted, readRun, shiftOf } from "../../../web/models/runs.js";
import { behaviour, percent } from "../../../web/models/wording.js";
import { freshly, mount, payload, press } from "./page.js";

const TEXTS = payload("texts");
const { english, chinese, tired, wide } = TEXTS;
const WORDS = payload("models").words;
/** Status and content in base64, by path and body. @type {Record<string, [number, string]>} */
const ANSWERS = payload("answers");

/** Below the server's address, those of the current page. @type {string[]} */
let requests = [];
let isSilent = false;

globalThis.fetch = /** @type {any} */ (
  async (/** @type {URL} */ url, /** @type {RequestInit} */ { body = "" } = {}) => {
    const [, path] = url.pathname.split("/api/models");
    requests.push(`${path.slice(1) || "cards"}${url.search} ${body}`);
    if (isSilent) throw new TypeError("Failed to fetch");
    const [status, content] = answerTo(`${path.slice(1) || "cards"} ${body}`);
    return {
      ok: status === 200,
      json: async () => JSON.parse(content.toString()),
      arrayBuffer: async () => inBuffer(content),
    };
  }
);
performance.getEntriesByType = () => /** @type {any} */ ([{ name: "http://localhost/elsewhere" }]);

/** @param {string} request @returns {[number, Buffer]} */
function answerTo(request) {
  const answer = ANSWERS[request];
  if (!answer) process.exitCode = 1; // the page would say that the server is silent
  assert.ok(answer, `models.py has no answer to ${request}`);
  return [answer[0], Buffer.from(answer[1], "base64")];
}

/** @param {Buffer} content */
const inBuffer = ({ buffer, byteOffset, length }) => buffer.slice(byteOffset, byteOffset + length);

/** What the server answers to a request. @param {string} path @param {object} body */
const answer = (path, body) => answerTo(`${path} ${JSON.stringify(body)}`)[1];

/** @param {string[]} texts @param {number[][]} [without] */
const runOf = (texts, without = [], model = "own") =>
  readRun(/** @type {any} */ (unpacked(inBuffer(answer("run", { model, texts, without })))));

/** The run of the decoder's text with tokens that it has added. @param {number} steps */
const stepsOf = (steps) => {
  const body = { model: "decoder", texts: [TEXTS.decoder], without: [], steps };
  return readRun(/** @type {any} */ (unpacked(inBuffer(answer("run", body)))));
};

/** @param {string} text @param {number} layer @param {number} head */
function headOf(text, layer, head, model = "own") {
  const { header, arrays } = unpacked(inBuffer(answer("head", { model, text, layer, head, without: [] })));
  return /** @type {any} */ ({ ...header, ...arrays });
}

/** @param {string} text @param {number} place @param {number[][]} [without] */
const guessesOf = (text, place, without = [], model = "own") =>
  JSON.parse(answer("guesses", { model, text, place, without }).toString());

/** A word's words, with values in place of the braces. @param {string} text @param {Record<string, any>} values */
const said = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** A difference as it is printed. @param {number} by */
const signed = (by) => `${by >= 0.005 ? "+" : by <= -0.005 ? "−" : ""}${Math.abs(by).toFixed(2)}`;

/** Until the server's answers are shown. */
const answered = () => new Promise((resolve) => setTimeout(resolve));

/**
 * The page at an address.
 * @param {Record<string, string>} [query]
 * @param {string} [name] of the payload
 */
async function models(query = {}, name = "models") {
  history.replaceState(null, "", `/models?${new URLSearchParams(query)}`);
  requests = [];
  isSilent = false;
  const page = await mount("models/models.js", payload(name));
  await answered();
  const { root } = page;
  const one = (/** @type {string} */ selector) => root.querySelector(selector);
  const all = (/** @type {string} */ selector) => [...root.querySelectorAll(selector)];
  const texts = (/** @type {string} */ selector) => all(selector).map(({ textContent }) => textContent);
  const click = async (/** @type {any} */ target) => {
    (typeof target === "string" ? one(target) : target).click();
    await answered();
  };
  const choose = async (/** @type {string} */ value) => {
    const select = one('[data-focus="by"]');
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await answered();
  };
  const type = (/** @type {string} */ text, which = "sentence") => {
    const field = one(`textarea[data-focus="${which}"]`);
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return field;
  };
  const read = async (/** @type {string} */ text, which = "sentence") => {
    press("Enter", type(text, which));
    await answered();
  };
  /** What the address says, once it is written. */
  const address = () => {
    window.dispatchEvent(new CustomEvent("mha-address-asked", { detail: [] }));
    return new Promise((resolve) =>
      setTimeout(() => resolve(Object.fromEntries(new URLSearchParams(location.search)))),
    );
  };
  return {
    ...page,
    one,
    all,
    texts,
    click,
    choose,
    type,
    read,
    address,
    field: (which = "sentence") => one(`textarea[data-focus="${which}"]`).value,
    /** Heads in the order in which they are shown, by their flat numbers. */
    tiles: () => all(".tile").map(({ dataset }) => Number(dataset.at)),
    tile: (/** @type {number} */ at) => one(`.tile[data-at="${at}"]`),
    /** How opaque each pixel of a head's picture is. @param {number} at */
    opacities: (at) =>
      Array.from(one(`.tile[data-at="${at}"] canvas`).pixels).filter((_, index) => index % 4 === 3),
    tokens: (which = 0) => [...all(".tokens .strip")[which].querySelectorAll("button")],
    missing: () => one(".missing").textContent,
    fault: () => one(".models > .fault").textContent,
  };
}

/** @param {ArrayLike<number>} numbers @param {ArrayLike<number>} others @param {number} [within] */
function assertClose(numbers, others, within = 1e-6) {
  assert.equal(numbers.length, others.length);
  for (const [at, number] of Array.from(numbers).entries())
    assert.ok(Math.abs(number - others[at]) <= within, `${at}: ${number} is not ${others[at]}`);
}

// --- a sentence ----------------------------------------------------------------------------------------------------

/** Without a stylesheet the page's ground is black. @type {(levels: ArrayLike<number>) => number[]} */
const painted = (levels) => [
  ...Uint8ClampedArray.from(levels, (level) => 255 * opacityOn(level / 255, [0, 0, 0])),
];

test("the page opens with its first example, which the first model has read", async () => {
  const { field, tokens, tiles, one, address, opacities } = await models();
  const run = runOf([english]);
  assert.equal(field(), english);
  assert.deepEqual(
    tokens().map(({ textContent }) => textContent),
    run.sentences[0].names,
  );
  assert.equal(tiles().length, run.layers * run.heads);
  for (const at of [0, tiles().length - 1])
    assert.deepEqual(opacities(at), painted(mapOf(run.sentences[0], at)));
  assert.equal(one(".model-chosen").textContent, one(".card strong").textContent);
  assert.equal((await address()).model, "own");
});

test("Enter reads the sentence that was typed, whatever characters it has", async () => {
  const { read, texts, address, all } = await models();
  for (const text of [chinese, TEXTS.markup]) {
    await read(text);
    assert.deepEqual(texts(".tokens .strip button"), runOf([text]).sentences[0].names);
    assert.equal((await address()).text, text);
  }
  assert.equal(all(".models b").length, 0);
});

test("one's own sentence is where this browser leads back to, with what the address says; an example is not", async () => {
  const { read, click } = await models();
  const places = async () => (await freshly("kit/last_work.js")).lastPlaces();
  assert.deepEqual(await places(), []);
  await read(TEXTS.markup);
  await click(".token:nth-of-type(3)");
  const [{ kind, page, what, query }] = await places();
  assert.deepEqual([kind, page, what], ["models", "models", TEXTS.markup]);
  const { text, token } = Object.fromEntries(new URLSearchParams(query));
  assert.deepEqual([text, token], [TEXTS.markup, "3"]);
});

test("Enter that chooses a Chinese word requests nothing", async () => {
  const { type } = await models();
  const before = requests.length;
  press({ key: "Enter", isComposing: true }, type("小猫"));
  await answered();
  assert.equal(requests.length, before);
});

test("an example that is clicked is read", async () => {
  const { all, click, field, address, texts } = await models();
  await click(all(".example").find((example) => example.textContent === chinese));
  assert.equal(field(), chinese);
  assert.equal((await address()).text, chinese);
  assert.deepEqual(texts(".tokens .strip button"), runOf([chinese]).sentences[0].names);
});

test("requests name the language of the page", async () => {
  await models({}, "models in Chinese");
  assert.ok(requests.length > 3);
  for (const request of requests) assert.match(request, /^\w+\?lang=zh /);
});

// --- all heads -----------------------------------------------------------------------------------------------------

test("heads are sorted by a measure, which the address says", async () => {
  const { tiles, choose, address } = await models();
  const { measures, sentences } = runOf([english]);
  const all = tiles();
  assert.deepEqual(
    all,
    all.map((_, at) => at),
  );
  for (const [by, sign] of /** @type {[string, number][]} */ ([
    ["previous", -1],
    ["entropy", -1],
    ["-entropy", 1],
  ])) {
    await choose(by);
    const column = measures.indexOf(by.replace("-", ""));
    const number = (/** @type {number} */ at) => sign * sentences[0].measured[at * measures.length + column];
    assert.deepEqual(
      tiles(),
      all.toSorted((a, b) => number(a) - number(b)),
    );
    assert.equal((await address()).by, by);
  }
});

test("a kind's button counts its heads and shows them alone", async () => {
  const { tiles, one, click } = await models();
  const [{ labels, unsure }] = runOf([english]).sentences;
  const kinds = labels.map((label, at) => (label === "none" && unsure[at] ? "unsure" : label));
  assert.ok(kinds.includes("none") && kinds.includes("unsure"));
  for (const kind of new Set(kinds)) {
    const heads = tiles().filter((at) => kinds[at] === kind);
    assert.ok(one(`.kind[data-kind="${kind}"]`).textContent.endsWith(`· ${heads.length}`));
    await click(`.kind[data-kind="${kind}"]`);
    assert.deepEqual(tiles(), heads);
    await click(`.kind[data-kind="${kind}"]`);
  }
  assert.equal(tiles().length, labels.length);
});

test("a head's tip says where the token looks most, how much, and what the head does; Escape closes it", async () => {
  const { tile, one, texts, click } = await models();
  const run = runOf([english]);
  const [{ names, keys, tops, n }] = run.sentences;
  await click(".token:nth-of-type(3)");
  const query = texts(".token").indexOf(one('.token[aria-pressed="true"]').textContent);
  tile(2).dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  while (one(".tip").hidden) await answered();
  const at = 2 * n + query;
  assert.deepEqual(texts(".tip > *"), [
    said(WORDS.layer_head, { layer: 1, head: 3 }),
    `${names[query]} → ${names[keys[at]]} ${tops[at].toFixed(2)}`,
    behaviour(WORDS, run, 2),
  ]);
  press("Escape", tile(2));
  assert.ok(one(".tip").hidden);
});

test("a trained head that does something else in this text says both", async () => {
  const page = await models({ model: "own", text: english });
  const { jobs, sentences } = runOf([english]);
  const { at } = jobs.copied;
  assert.notEqual(sentences[0].labels[at], "copied");
  const description = page.tile(at).getAttribute("aria-label");
  assert.match(description, /by chance.*\. Trained to look from a repeated name to its first mention\./);
});

test("a tip stays while the pointer moves within its head", async () => {
  const { tile, one } = await models();
  const over = (/** @type {any} */ relatedTarget) =>
    tile(2).firstElementChild.dispatchEvent(
      new PointerEvent("pointerover", { bubbles: true, relatedTarget }),
    );
  over(null);
  while (one(".tip").hidden) await answered();
  over(tile(2));
  assert.equal(one(".tip").hidden, false);
  over(tile(3));
  assert.ok(one(".tip").hidden);
});

test("a head's measures are shown with how many places they are taken at", async () => {
  const { texts, one } = await models();
  const [{ places }] = runOf([english]).sentences;
  assert.deepEqual(
    texts(".one .bar-places"),
    places.map((count) => `cases: ${count}`),
  );
  assert.match(
    one(".one").textContent,
    /at least 30% of the way from chance to 100%, .* once in 1000 tries \(p ≤ 0\.001\)/,
  );
  assert.equal(texts(".measures.apart dt")[0], "entropy");
});

test("a head that no measure names is named by what it was trained to do, and how often it does it", async () => {
  const page = await models({ model: "own", text: english });
  const run = runOf([english]);
  const [{ labels }] = run.sentences;
  assert.equal(labels[3 * 4 + 1], "pronoun");
  assert.match(
    page.tile(13).getAttribute("aria-label"),
    /Trained to look from a pronoun to the noun it means\. In 99% of 216 /,
  );
  assert.match(page.one('.kind[data-kind="pronoun"]').textContent, /pronoun → its noun · 1/);
});

test("every head is described in the page's language, in words and numbers", async () => {
  const page = await models({ model: "own", text: TEXTS.short }, "models in Chinese");
  const { words } = payload("models in Chinese");
  const run = runOf([TEXTS.short]);
  const [sentence] = run.sentences;
  const { measures } = run;
  assert.ok(sentence.labels.includes("none") && sentence.labels.includes("previous"));
  const query = sentence.special.indexOf(false);
  for (const [at, label] of sentence.labels.entries()) {
    if (Object.values(run.jobs).some((job) => job.at === at)) continue;
    const description = page.tile(at).getAttribute("aria-label");
    const place = { layer: Math.floor(at / run.heads) + 1, head: (at % run.heads) + 1 };
    assert.ok(description.startsWith(said(words.layer_head, place)));
    const [key, weight] = [sentence.keys, sentence.tops].map((numbers) => numbers[at * sentence.n + query]);
    assert.ok(description.includes(`${sentence.names[query]} → ${sentence.names[key]} ${weight.toFixed(2)}`));
    const name = label === "none" ? sentence.unsure[at] : label;
    const column = measures.indexOf(name);
    const values = {
      kind: words[`kind_${name}`],
      number: percent(sentence.measured[at * measures.length + column]),
      chance: percent(sentence.chance[at * measures.length + column]),
      places: sentence.places[column],
    };
    const expected = name
      ? [said(words[label === "none" ? "told_unsure" : `told_${name}`], values)]
      : [words.told_none, words.told_little.split("{")[0]];
    assert.ok(
      expected.some((text) => description.includes(text)),
      description,
    );
  }
});

test("a chosen token's row stands out in every map", async () => {
  const { tokens, click, opacities, address, one, all } = await models({ model: "own", head: "1.1" });
  const [sentence] = runOf([english]).sentences;
  await click(tokens()[3]);
  assert.equal((await address()).token, "4");
  assert.equal(one('.line-token[aria-pressed="true"]').textContent, tokens()[3].textContent);
  for (const at of [0, 3]) {
    const levels = painted(mapOf(sentence, at)).map((level, index) =>
      Math.floor(index / sentence.n) === 3 ? level : level * 0.45,
    );
    assertClose(opacities(at), levels, 1);
  }
  await click('[data-focus="all tokens"]');
  assert.equal(all('.tokens .strip [aria-pressed="true"]').length, 0);
  assert.deepEqual(opacities(0), painted(mapOf(sentence, 0)));
});

test("arrows lead from token to token, and the Tab key stops at one of them", async () => {
  const { tokens, click, all } = await models();
  await click(tokens()[3]);
  tokens()[3].focus();
  press("ArrowRight", tokens()[3]);
  assert.equal(document.activeElement, tokens()[4]);
  assert.deepEqual(
    all('.tokens .strip [tabindex="0"]').map(({ textContent }) => textContent),
    [tokens()[4].textContent],
  );
});

test("arrows lead from head to head, and Enter chooses one", async () => {
  const { tile, tiles, one, all, address } = await models();
  const { heads } = runOf([english]);
  tile(0).focus();
  press("ArrowRight", tile(0));
  assert.equal(document.activeElement, tile(1));
  press("ArrowLeft", tile(1));
  assert.equal(document.activeElement, tile(0));
  press("End", tile(0));
  const last = tiles().length - 1;
  press("Enter", tile(last));
  await answered();
  assert.equal(tile(last).getAttribute("aria-selected"), "true");
  assert.equal(document.activeElement, tile(last));
  assert.equal(one(".one h2").textContent, `Layer ${(last + 1) / heads} · Head ${heads}`);
  assert.deepEqual(all('.tile[tabindex="0"]'), [tile(last)]);
  assert.equal((await address()).head, `${(last + 1) / heads}.${heads}`);
});

test("a head's tokens are one stop of the Tab key, and keep the focus when one is chosen", async () => {
  const { all, click, address } = await models({ model: "own", head: "1.1" });
  assert.equal(all('.line-token[tabindex="0"]').length, 1);
  all(".line-token")[0].focus();
  press("ArrowDown", all(".line-token")[0]);
  assert.equal(document.activeElement, all(".line-token")[1]);
  await click(all(".line-token")[1]);
  assert.equal((await address()).token, "2");
  assert.equal(document.activeElement, all(".line-token")[1]);
});

// --- one head ------------------------------------------------------------------------------------------------------

test("arrows on the map lead from pair to pair, each of which is said and explained", async () => {
  const { one, address } = await models({ model: "own", head: "1.1", drawn: "map" });
  const { weights, n } = headOf(english, 0, 0);
  const map = one(".big-map");
  map.focus();
  const place = [0, 0];
  for (const [key, down, across] of /** @type {[string, number, number][]} */ ([
    ["ArrowDown", 0, 0], // to the first pair
    ["ArrowDown", 1, 0],
    ["ArrowRight", 0, 1],
    ["ArrowRight", 0, 1],
  ])) {
    press(key, map);
    place[0] += down;
    place[1] += across;
    const weight = weights[place[0] * n + place[1]];
    assert.ok(one(".heatmap [role=status]").textContent.endsWith(` ${weight.toFixed(2)}`));
    assertClose([Number(one(".pair-weight").title)], [weight]);
    assert.equal(document.activeElement, map);
  }
  assert.equal((await address()).pair, "2.3");
});

test("lines show the weights of a chosen token, and a pair the products that make its score", async () => {
  const { all, one, texts, click } = await models({ model: "own", head: "2.2", token: "4" });
  const { weights, scores, q, k, n, d, divisor } = headOf(english, 1, 1);
  const row = [...weights.subarray(3 * n, 4 * n)];
  assert.deepEqual(
    texts(".line-weight"),
    row.map((weight) => weight.toFixed(2)),
  );
  const key = row.indexOf(Math.max(...row));
  await click(all(".line-key")[key]);
  assertClose([Number(one(".scores .pair-weight").title)], [row[key]]);
  const sum = one(".scores .sum").textContent.replaceAll("−", "-");
  for (const number of [scores[3 * n + key], divisor, scores[3 * n + key] / divisor])
    assert.ok(sum.includes(String(Number(number.toFixed(4)))), `${number} in ${sum}`);
  assert.equal(all(".scores .dimension").length, d);
  const products = Array.from({ length: d }, (_, at) => q[3 * d + at] * k[key * d + at]);
  all(".scores .dimension")[5].dispatchEvent(new PointerEvent("pointerenter"));
  const product = one(".scores .one-product").textContent.replaceAll("−", "-");
  assert.ok(product.startsWith("Dimension 6:") && product.endsWith(`= ${products[5].toFixed(3)}`), product);
  assertClose([products.reduce((total, part) => total + part, 0)], [scores[3 * n + key]], 1e-4);
});

test("a pair is no longer chosen when another token is", async () => {
  const { all, click, address, texts } = await models({ model: "own", head: "2.2", token: "4", pair: "4.2" });
  await click(all(".line-token")[2]);
  const { token, pair } = await address();
  assert.deepEqual([token, pair], ["3", undefined]);
  const { weights, n } = headOf(english, 1, 1);
  assert.deepEqual(
    texts(".line-weight"),
    Array.from(weights.subarray(2 * n, 3 * n), (weight) => weight.toFixed(2)),
  );
});

test("a sentence of more than 64 tokens is a map, and cannot be opened in Explore", async () => {
  const { one } = await models({ model: "own", text: TEXTS.long, head: "1.1" });
  assert.ok(runOf([TEXTS.long]).sentences[0].n > 64);
  assert.equal(one('[data-focus="map"]').getAttribute("aria-pressed"), "true");
  assert.ok(one(".big-map"));
  assert.ok(one('[data-focus="open"]').disabled);
  assert.match(one(".taking-open .hint").textContent, /can show up to 64 tokens/);
});

// --- models that differ ----------------------------------------------------------------------------------------------

test("pieces of a word are joined on demand", async () => {
  const page = await models({ model: "pieces", text: TEXTS.pieces, head: "1.3", token: "3" });
  const { all, one, texts, click } = page;
  const { words } = runOf([TEXTS.pieces], [], "pieces").sentences[0];
  const { weights, n } = headOf(TEXTS.pieces, 0, 2, "pieces");
  const groups = [[0], [1], [2, 3], [4], [5], [6], [7], [8], [9]];
  assert.equal(words[2], words[3]);
  assert.equal(groups.flat().length, n);
  await click('[data-focus="as words"]');
  assert.match(one(".view-note").textContent, /the sum over its tokens/);
  assert.deepEqual(texts(".line-token").slice(2, 4), ["catlike", "cat"]);
  assert.deepEqual(
    all('.line-token[aria-pressed="true"]').map(({ textContent }) => textContent),
    ["catlike"],
  );
  const sums = groups.map((keys) =>
    keys.reduce((sum, key) => sum + weights[2 * n + key] + weights[3 * n + key], 0),
  );
  assertClose(
    texts(".line-weight").map(Number),
    sums.map((sum) => sum / 2),
    0.005 + 1e-6,
  );
  await click('[data-focus="as words"]');
  assert.equal(all(".line-token").length, n);
});

test("special tokens are hidden on demand, and numbers stay those of the other tokens", async () => {
  const page = await models({ model: "pieces", text: TEXTS.pieces, head: "1.3", token: "3" });
  const { all, one, texts, click, address } = page;
  const { names, special } = runOf([TEXTS.pieces], [], "pieces").sentences[0];
  const { weights, n } = headOf(TEXTS.pieces, 0, 2, "pieces");
  await click('[data-focus="hide special"]');
  const places = names.map((_, at) => at).filter((at) => !special[at]);
  assert.equal(places.length, n - 2);
  assert.deepEqual(
    texts(".line-token"),
    places.map((at) => names[at]),
  );
  assert.deepEqual(
    texts(".line-weight"),
    places.map((at) => weights[2 * n + at].toFixed(2)),
  );
  assert.match(one(".view-note").textContent, /no longer sum to 1/);
  await click(all(".line-key")[4]);
  assertClose([Number(one(".scores .pair-weight").title)], [weights[2 * n + places[4]]], 1e-7);
  assert.equal((await address()).hides, "special");
});

test("words that a model does not know are counted", async () => {
  const { one, texts } = await models({ model: "pieces", text: english });
  const { names, unknown } = runOf([english], [], "pieces").sentences[0];
  const count = unknown.filter(Boolean).length;
  assert.ok(count > 0 && count < names.length);
  assert.equal(
    one(".unknown").textContent,
    `This model does not know ${count} of the ${names.length} tokens. It sees [UNK] in place of each.`,
  );
  assert.deepEqual(texts(".tokens .strip button"), names);
});

test("another model keeps the sentence; one that guesses nothing has no heads to switch off", async () => {
  const { one, click, address, texts } = await models();
  assert.ok(!one(".ablate").hidden);
  await click('.card input[value="pieces"]');
  assert.ok(one(".ablate").hidden);
  assert.ok(one(".one .switch").hidden);
  const { model, text } = await address();
  assert.deepEqual([model, text], ["pieces", english]);
  assert.equal(one(".model-chosen").textContent, one(".card:has(:checked) strong").textContent);
  assert.deepEqual(texts(".tokens .strip button"), runOf([english], [], "pieces").sentences[0].names);
});

test("examples are offered in the languages that the model was made for", async () => {
  const cards = JSON.parse(answerTo("cards ")[1].toString());
  for (const card of cards.models) if (card.key === "pieces") card.languages = ["en"];
  const recorded = ANSWERS["cards "];
  ANSWERS["cards "] = [200, Buffer.from(JSON.stringify(cards)).toString("base64")];
  const { all, click } = await models();
  ANSWERS["cards "] = recorded;
  const offered = () => all(".example:not([hidden])").map(({ dataset }) => dataset.language);
  assert.equal(offered().length, payload("models").examples.length);
  await click('.card input[value="pieces"]');
  assert.deepEqual(new Set(offered()), new Set(["en"]));
});

// --- two sentences -------------------------------------------------------------------------------------------------

const comparing = (more = {}) => models({ model: "own", text: tired, second: wide, ...more });
const PAIR = runOf([tired, wide]);
const [FIRST, SECOND] = PAIR.sentences;
/** The head that differs most. */
const MOST = PAIR.differences.indexOf(Math.max(...PAIR.differences));

/** "Layer 2 · Head 3", and as the address has it. @param {number} at */
const named = (at) => {
  const [layer, head] = [Math.floor(at / PAIR.heads) + 1, (at % PAIR.heads) + 1];
  return { name: `Layer ${layer} · Head ${head}`, key: `${layer}.${head}` };
};

test("a second sentence begins as a copy of the first, selected to be typed over", async () => {
  const { one, click, field, read, address } = await models({ model: "own", text: tired });
  await click(".more");
  assert.equal(field("second"), tired);
  const input = one('textarea[data-focus="second"]');
  assert.equal(document.activeElement, input);
  assert.deepEqual([input.selectionStart, input.selectionEnd], [0, tired.length]);
  await read(wide, "second");
  const { text, second } = await address();
  assert.deepEqual([text, second], [tired, wide]);
});

test("of two sentences the head that differs most is shown, and the first token that differs", async () => {
  const { address, one, texts } = await comparing();
  const { head, token } = await address();
  const at = FIRST.names.indexOf("tired");
  assert.equal(head, named(MOST).key);
  assert.equal(token, String(at + 1));
  assert.deepEqual(texts(".measures-head h3"), ["What this head does (measured in the first sentence)"]);
  const most = mostShifted(PAIR, at);
  const { key, by } = shiftOf(PAIR, most, at);
  assert.notEqual(named(most).key, head);
  assert.equal(
    one('[data-focus="largest"]').textContent,
    `Largest difference for “tired”: ${named(most).name}, tired → ${FIRST.names[key]} ${signed(by)}`,
  );
});

test("the largest difference leads to its head, of a token and of all", async () => {
  const { one, click, address } = await comparing({
    head: named(PAIR.differences.indexOf(Math.min(...PAIR.differences))).key,
  });
  const largest = one('[data-focus="largest"]');
  assert.equal((await address()).token, undefined);
  assert.equal(
    largest.textContent,
    `Largest average difference over all tokens: ${named(MOST).name}, ${PAIR.differences[MOST].toFixed(2)}`,
  );
  await click(largest);
  assert.equal((await address()).head, named(MOST).key);
  assert.ok(largest.hidden);
  const it = FIRST.names.indexOf("it");
  await click(one(".tokens .strip").children[it]);
  await click(largest);
  assert.equal((await address()).head, named(mostShifted(PAIR, it)).key);
  assert.ok(largest.hidden);
});

test("captions and pictures are of the difference, the first or the second sentence", async () => {
  const { one, tile, choose, click, tiles, opacities, tokens, address } = await comparing({ head: "1.1" });
  const caption = () => tile(3).querySelector(".tile-caption").textContent;
  const flat = [...PAIR.differences];
  assert.equal(caption(), `difference${flat[3].toFixed(2)}`);
  assert.match(one(".strip-told").textContent, new RegExp(`${FIRST.n} and ${SECOND.n} tokens`));
  assert.equal(opacities(0).length, PAIR.aligned.length ** 2);
  assert.notDeepEqual(opacities(0), painted(mapOf(FIRST, 0)));
  assert.match(one(".glance .legend").textContent, /more in the second/);
  await choose("difference");
  assert.deepEqual(
    tiles(),
    flat.map((_, at) => at).sort((a, b) => flat[b] - flat[a]),
  );
  await click('.shows [data-focus="second"]');
  assert.ok(one(".glance .legend").hidden);
  assert.deepEqual(opacities(0), painted(mapOf(SECOND, 0)));
  assert.equal((await address()).shows, "second");
  const it = FIRST.names.indexOf("it");
  await click(tokens()[it]);
  assert.equal(caption(), flat[3].toFixed(2)); // what heads are sorted by
  await choose("");
  const place = 3 * SECOND.n + (counterpart(PAIR, it) ?? 0);
  assert.equal(caption(), `${SECOND.names[SECOND.keys[place]]}${SECOND.tops[place].toFixed(2)}`);
  await click('.shows [data-focus="difference"]');
  const { key, by } = shiftOf(PAIR, 3, it);
  assert.equal(caption(), `${FIRST.names[key]}${signed(by)}`);
  assert.equal(tokens(1)[counterpart(PAIR, it) ?? 0].getAttribute("aria-pressed"), "true");
});

test("what the model expects of a word is said of each sentence, wherever the word is in it", async () => {
  const second = TEXTS["wide street"];
  const pair = runOf([tired, second]);
  const { texts, all } = await comparing({ second });
  const at = FIRST.names.indexOf("tired");
  assert.notEqual(counterpart(pair, at), at);
  const lines = [tired, second].map((text, which) => {
    const place = which ? (counterpart(pair, at) ?? 0) : at;
    const guessed = guessesOf(text, place);
    const side = all(".answer-side")[which];
    const words = [...side.querySelectorAll(".guess-word")].map(({ textContent }) => textContent);
    assert.deepEqual(
      words.slice(0, 8),
      guessed.before.map((/** @type {{ text: string }} */ guess) => guess.text),
    );
    const name = WORDS[which ? "compared_second" : "compared_first"];
    return `${name} ${effect(pair.sentences[which].names[place], guessed)}`;
  });
  assert.deepEqual(texts(".effect-line"), lines);
});

test("a token's weights in both sentences are listed, the largest difference first", async () => {
  const it = FIRST.names.indexOf("it");
  const { one } = await comparing({ head: "2.1", token: String(it + 1) });
  const [weights, others] = [headOf(tired, 1, 0), headOf(wide, 1, 0)];
  const row = one(".compared tbody tr");
  const by = PAIR.aligned.map(
    ([key, other]) =>
      others.weights[(counterpart(PAIR, it) ?? 0) * SECOND.n + other] - weights.weights[it * FIRST.n + key],
  );
  const largest = by.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0];
  assertClose([Number(row.lastElementChild.textContent.replace("−", "-"))], [largest], 0.0005 + 1e-6);
  const key = FIRST.names[PAIR.aligned[by.indexOf(largest)][0]];
  assert.equal(row.querySelector("th").textContent.split(" / ")[0], key);
});

test("a map of differences has its scale, and a pair its weight in both sentences", async () => {
  const [it, at] = ["it", "tired"].map((token) => FIRST.names.indexOf(token));
  const pair = `${at + 1}.${it + 1}`;
  const { one, all } = await comparing({ head: "2.1", token: String(at + 1), drawn: "map", pair });
  const [weights, others] = [headOf(tired, 1, 0).weights, headOf(wide, 1, 0).weights];
  const differences = PAIR.aligned.flatMap(([query, row]) =>
    PAIR.aligned.map(([key, col]) => others[row * SECOND.n + col] - weights[query * FIRST.n + key]),
  );
  const full = Number(one(".heatmap .legend").textContent.split("full color:")[1]);
  assertClose([full], [Math.max(...differences.map(Math.abs))], 0.00005 + 1e-6);
  const there = (/** @type {number} */ token) => counterpart(PAIR, token) ?? 0;
  const both = [weights[at * FIRST.n + it], others[there(at) * SECOND.n + there(it)]];
  assertClose(
    all(".explained-side .pair-weight").map(({ title }) => Number(title)),
    both,
  );
  assert.equal(all(".explained-side .products svg").length, 2);
  const change = Number(one(".readout").textContent.split("difference ")[1].replace("−", "-"));
  assertClose([change], [both[1] - both[0]], 0.00005 + 1e-6);
});

test("tokens of one sentence alone are grey, and their weight is summed up", async () => {
  const { one, all, texts, tokens, click } = await comparing({ second: TEXTS["wide street"], head: "1.2" });
  assert.equal(one(".matched").textContent, `${tokens().length} tokens are matched; the others are gray.`);
  assert.deepEqual(texts(".token.apart"), ["wide"]);
  await click(tokens()[FIRST.names.indexOf("street")]);
  const rows = all(".compared tbody tr").map(({ children }) =>
    [...children].map(({ textContent }) => textContent),
  );
  assert.deepEqual(rows.at(-1).slice(0, 2), ["tokens only in the second sentence", "–"]);
  for (const column of [1, 2]) {
    const sum = rows.reduce((total, row) => total + Number(row[column].replace("–", "0")), 0);
    assertClose([sum], [1], 0.0005 * rows.length); // rounded to three decimals
  }
});

test("without its second sentence a page is as before, and a chosen head stays when another comes", async () => {
  const page = await comparing({ by: "difference" });
  const { one, click, address, choose, tile, read, missing } = page;
  await click(".field-second button");
  assert.equal((await address()).second, undefined);
  assert.ok(one(".compared").hidden);
  assert.equal(one(".matched").textContent, "");
  assert.match(missing(), /“difference between the sentences”/);
  await choose("previous");
  assert.equal(missing(), "");
  await click(tile(1));
  await click(".more");
  await read(wide, "second");
  const { second, head } = await address();
  assert.deepEqual([second, head], [wide, "1.2"]);
  assert.ok(!one('[data-focus="largest"]').hidden);
});

// --- without some heads --------------------------------------------------------------------------------------------

const likely = (/** @type {number} */ number) => (number >= 0.0005 ? number.toFixed(3) : "< 0.001");

/**
 * What is said of a word that is hidden, or comes next.
 * @param {string} token
 * @param {any} guessed
 * @param {string} [which]
 * @param {Record<string, string>} [more]
 */
function effect(token, { word: { before, after }, after: guesses }, which = "", more = {}, words = WORDS) {
  const [was, now] = [before, after].map(({ probability }) => likely(probability));
  const went = was === now ? "stays" : after.probability > before.probability ? "rose" : "fell";
  const ranks = { rank: before.rank, now: after.rank };
  const rank = said(words[before.rank === after.rank ? "rank_stays" : "rank_moves"], ranks);
  const told = said(words[`word${which}`], {
    token,
    before: was,
    change: said(words[`likely_${went}`], { before: was, after: now }),
    rank: which.startsWith("_off") ? rank : before.rank,
    muted: said(words.muted_one, { layer: 1, head: 1 }),
    ...more,
  });
  if (after.rank === 1) return told;
  const [{ text, probability }] = guesses;
  const name = which.startsWith("_off") ? "likeliest_now" : "likeliest";
  return said(words[name], { told, word: text, number: likely(probability) });
}

/** @param {{ text: string; probability: number }[]} guesses */
const listed = (guesses) => guesses.map(({ text, probability }) => [text, probability.toFixed(3)]);

/** @param {Awaited<ReturnType<typeof models>>} page @param {string} which */
const guessesShown = ({ all }, which) =>
  all(`.guesses.${which} li:not(.beyond)`).map((row) =>
    [".guess-word", ".guess-number"].map((part) => row.querySelector(part).textContent),
  );

const HEADS = runOf([english]).heads;
const LAYERS = runOf([english]).layers;
const PLACE = runOf([english]).sentences[0].names.indexOf("tired");
/** @param {number} layer */
const layerOff = (layer) => Array.from({ length: HEADS }, (_, head) => [layer, head]);

test("what the model expects at a mask is listed in Chinese", async () => {
  const { one, all } = await models({ model: "own", text: TEXTS.masked }, "models in Chinese");
  const { words } = payload("models in Chinese");
  const { names } = runOf([TEXTS.masked]).sentences[0];
  assert.equal(one('.ablate .strip [aria-pressed="true"]').textContent, "[MASK]");
  const { before } = guessesOf(TEXTS.masked, names.indexOf("[MASK]"));
  const list = listed(before.slice(0, 5)).map(([text, number]) => `“${text}” ${number}`);
  assert.equal(
    one(".effect").textContent.trim(),
    said(words.mask, { token: "[MASK]", list: list.join(" · ") }),
  );
  assert.equal(all(".guesses .own").length, 0);
  assert.ok(one(".ablate > .hint").textContent.includes(words.ablate_hint));
  assert.equal(one(".measures-head h3").textContent, words.measures);
});

test("a head's switch changes what the model expects, which is said", async () => {
  const { one, click, address } = await models({ model: "own", head: "1.1" });
  assert.equal(one('.ablate .strip [aria-pressed="true"]').textContent, "tired");
  assert.equal(one(".effect").textContent.trim(), effect("tired", guessesOf(english, PLACE)));
  await click(".one .switch");
  assert.equal((await address()).off, "1.1");
  assert.equal(
    one(".effect").textContent.trim(),
    effect("tired", guessesOf(english, PLACE, [[0, 0]]), "_off"),
  );
});

test("nothing is said of a muted head until the model has computed without it", async () => {
  const { one, click } = await models({ model: "own", head: "1.1" });
  one(".one .switch").click();
  assert.equal(one(".effect").textContent.trim(), WORDS.computing_one);
  await click(".one .switch");
  assert.equal(one(".effect").textContent.trim(), effect("tired", guessesOf(english, PLACE)));
});

test("the word of the maps is the word that is guessed, whichever of the two is chosen", async () => {
  const { one, all, click, address } = await models({ model: "own" });
  const { names } = runOf([english]).sentences[0];
  await click(all(".above .strip button.token, .above .strip [aria-pressed]")[PLACE - 2]);
  const { token, guess } = await address();
  assert.equal(guess, token);
  assert.ok(one(".effect").textContent.includes(`“${names[Number(token) - 1]}”`));
});

test("a word that is no longer among the likeliest is listed with its rank", async () => {
  const page = await models({ model: "own", head: "1.1" });
  const { all, one, click } = page;
  await click(all(".whole").at(-1));
  await click(".whole");
  const guessed = guessesOf(english, PLACE, [...layerOff(LAYERS - 1), ...layerOff(0)]);
  const { rank } = guessed.word.after;
  assert.ok(rank > guessed.after.length);
  assert.equal(
    one(".effect").textContent.trim(),
    effect("tired", guessed, "_off", { muted: said(WORDS.muted_many, { count: 2 * HEADS }) }),
  );
  assert.equal(one(".guesses.after .own .guess-rank").textContent, `${rank}.`);
  assert.equal(one(".guesses.after .own .guess-word").textContent, "tired");
});

test("guesses and maps change without some heads, and are as before with all of them", async () => {
  const page = await models({ model: "own", guess: "3" });
  const { all, one, click, opacities, tile, tiles, address } = page;
  const last = tiles().length - 1;
  const before = opacities(last);
  const guesses = guessesOf(english, 2);
  assert.deepEqual(guessesShown(page, "before"), listed(guesses.before));
  assert.equal(all(".guesses.after").length, 0);
  await click('.head-switch[data-layer="0"][data-head="0"]');
  await click('.head-switch[data-layer="1"][data-head="1"]');
  assert.equal((await address()).off, "1.1_2.2");
  const without = guessesOf(english, 2, [
    [0, 0],
    [1, 1],
  ]);
  assert.deepEqual(guessesShown(page, "before"), listed(without.before));
  assert.deepEqual(guessesShown(page, "after"), listed(without.after));
  assert.notDeepEqual(opacities(last), before);
  assert.ok(tile(0).classList.contains("off"));
  assert.ok(tile(0).getAttribute("aria-label").includes(WORDS.is_off));
  await click('[data-focus="all on"]');
  assert.equal(all(".guesses.after").length, 0);
  assert.deepEqual(opacities(last), before);
  assert.ok(one('[data-focus="all on"]').hidden);
});

test("a decoder guesses the next word, and a token does not see those that follow", async () => {
  const place = { model: "decoder", text: TEXTS.decoder, head: "1.2", guess: "4", token: "3" };
  const page = await models(place);
  const guessed = guessesOf(TEXTS.decoder, 3, [], "decoder");
  assert.deepEqual(guessesShown(page, "before"), listed(guessed.before));
  const [at, token] = page.texts(".tokens .strip button").slice(3, 5);
  assert.equal(page.one(".effect").textContent.trim(), effect(token, guessed, "_causal", { place: at }));
  await page.click(page.all(".line-key")[5]);
  assert.match(page.one(".sum").textContent, /may not look at this token/);
});

// --- the next token ------------------------------------------------------------------------------------------------

test("a decoder adds the token that it expects next, whose row is the only new one, and takes it back", async () => {
  const page = await models({ model: "decoder", text: TEXTS.decoder, head: "1.2" });
  const { click, texts, one, address, sent } = page;
  const strip = ".tokens .strip button";
  const before = texts(strip);
  const [{ text }] = guessesOf(TEXTS.decoder, before.length - 1, [], "decoder").before;
  await click('[data-focus="next"]');
  assert.equal(texts(strip).length, before.length + 1);
  assert.ok(texts(strip).at(-1).startsWith(text));
  assert.deepEqual(texts(`${strip}.added`), texts(`${strip}[aria-pressed="true"]`));
  assert.deepEqual(texts(".line-token[aria-pressed=true]"), texts(strip).slice(-1));
  const { step, sentences } = stepsOf(1);
  const [{ n }] = sentences;
  const a_token = 3 * 2 * 4 * 6; // layers · keys and values · heads · columns
  const multiplications = 3 * 4 * n * (6 + 6);
  assert.deepEqual(step, {
    count: 1,
    stopped: "steps",
    read: (n - 1) * a_token,
    computed: a_token,
    products: multiplications,
    products_whole: n * multiplications,
  });
  assert.match(
    one(".next-token .hint").textContent,
    new RegExp(`${step.read.toLocaleString("en-US")} numbers of keys`),
  );
  await click('[data-focus="next"]');
  assert.equal(texts(strip).length, before.length + 2);
  assert.equal(texts(`${strip}.added`).length, 2);
  assert.equal((await address()).next, "2");
  await click('[data-focus="next back"]');
  await click('[data-focus="next back"]');
  assert.deepEqual(texts(strip), before);
  assert.equal(one('[data-focus="next back"]').disabled, true);
  assert.equal((await address()).next, undefined);
  assert.deepEqual(sent, []);
});

test("an address has the added tokens, and heads are switched off in the same text", async () => {
  const page = await models({ model: "decoder", text: TEXTS.decoder, head: "1.2", next: "1" });
  const shown = page.texts(".tokens .strip button");
  await page.click('.head-switch[data-layer="0"][data-head="1"]');
  assert.deepEqual(page.texts(".tokens .strip button"), shown);
  assert.ok(page.one(".next-token .hint").textContent.endsWith(WORDS.next_off));
});

test("no token can be added after one that ends the text, nor to a text that is as long as it may be", () => {
  const run = stepsOf(1);
  const [{ n, names }] = run.sentences;
  const next = new NextToken(WORDS, () => {});
  /** @param {Partial<ModelRun>} change */
  const shown = (change) => {
    next.update({ ...run, ...change }, { off: [] });
    return [next.add.disabled, next.told.textContent];
  };
  assert.equal(shown({})[0], false);
  const [isEnded, ending] = shown({ step: { ...run.step, stopped: "eos" } });
  assert.ok(isEnded);
  assert.ok(ending.startsWith(fill(WORDS.next_ended, { token: names[n - 1] })));
  const [isFull, full] = shown({ limit: n });
  assert.ok(isFull);
  assert.ok(full.endsWith(fill(WORDS.next_full, { count: n })));
  assert.deepEqual(shown({ limit: n, step: null }), [true, fill(WORDS.next_full, { count: n })]);
});

test("an encoder does not continue a text", async () => {
  const { one } = await models({ model: "own" });
  assert.ok(one(".next-token").hidden);
});

// --- to Explore ----------------------------------------------------------------------------------------------------

test("the shown head, or all of its layer, is opened in Explore from Q or from X", async () => {
  const { one, click, sent } = await models({ model: "own", head: "2.3" });
  const request = { model: "own", text: english, layer: 1, without: [], steps: 0 };
  await click('[data-focus="from q"]');
  await click('[data-focus="open"]');
  assert.deepEqual(sent.at(-1), ["bench", { ...request, heads: [2], start: "q" }]);
  await click('[data-focus="from x"]');
  await click('[data-focus="take all"]');
  await click('[data-focus="open"]');
  assert.deepEqual(sent.at(-1), ["bench", { ...request, heads: [0, 1, 2, 3], start: "x" }]);
  await click('[data-focus="take all"]');
  assert.equal(one('[data-focus="take 2"]').getAttribute("aria-pressed"), "true");
  assert.equal(one('[data-focus="take 0"]').getAttribute("aria-pressed"), "false");
});

test("why heads could not be opened is said below the button", async () => {
  const { one, answer } = await models();
  answer({ ...payload("models"), refused: "this model is no longer available" });
  assert.equal(one(".taking .fault").textContent, "this model is no longer available");
});

// --- the address -----------------------------------------------------------------------------------------------------

test("an address leads to its place, and another language leaves it there", async () => {
  const place = {
    model: "own",
    text: english,
    head: "2.1",
    token: "3",
    guess: "4",
    off: "1.2",
    by: "previous",
    drawn: "map",
    pair: "3.2",
    hides: "special",
  };
  const { one, address, answer, tiles, all } = await models(place, "models in Chinese");
  const shown = () => [one(".big-map"), ...all(".guesses.after"), one(".scores")].filter(Boolean).length;
  assert.equal(shown(), 3);
  assert.equal(one('[data-focus="hide special"]').getAttribute("aria-pressed"), "true");
  assert.deepEqual(await address(), place);
  const order = tiles();
  answer(payload("models"));
  await answered();
  assert.equal(one(".one h2").textContent, "Layer 2 · Head 1");
  assert.equal(shown(), 3);
  assert.deepEqual(tiles(), order);
  assert.deepEqual(await address(), place);
});

test("what an address names that does not exist is said, and everything else is shown", async () => {
  const { missing, fault, address, tile, one, field } = await models({
    head: "2.3",
    by: "<b>magic",
    off: "2.9_1.1",
  });
  assert.match(missing(), /cannot be sorted by “<b>magic”/);
  assert.match(missing(), /There is no head “2\.9” to mute/);
  assert.equal(fault(), "");
  const { head, off } = await address();
  assert.deepEqual([head, off], ["2.3", "1.1"]);
  assert.equal(tile(0).className, "tile off");
  assert.equal(one(".one h2").textContent, "Layer 2 · Head 3");
  assert.equal(field(), english);
});

test("a head that does not exist is said with the one that is shown instead", async () => {
  const { missing, one } = await models({ model: "own", head: "9.9" });
  assert.equal(missing(), `There is no head “9.9” here. Showing ${one(".one h2").textContent} instead.`);
});

test("a model that does not exist is said, and what opens first is shown", async () => {
  const { fault, field, texts } = await models({ model: "../../etc", text: chinese, head: "99.1" });
  assert.match(fault(), /there is no model/);
  assert.equal(field(), english);
  assert.deepEqual(texts(".tokens .strip button"), runOf([english]).sentences[0].names);
});

// --- what goes wrong -----------------------------------------------------------------------------------------------

test("a text that is too long is said, all stays, and what can be read of it is offered", async () => {
  const page = await models({ model: "own", text: english, head: "1.1" });
  const { read, fault, one, field, tiles, texts, address, click } = page;
  const before = [tiles(), texts(".tokens .strip button")];
  const told = `The text has ${TEXTS["too long"].length} characters; at most 100000 are allowed`;
  await read(TEXTS["too long"]);
  assert.equal(fault(), told);
  assert.ok(one(".stale-told").textContent.includes(english));
  assert.equal(field(), TEXTS["too long"]);
  assert.deepEqual([tiles(), texts(".tokens .strip button")], before);
  assert.equal((await address()).text, english);
  await click(".one .switch"); // a text that is too long is still too long
  assert.equal((await address()).off, "1.1");
  assert.equal(fault(), told);
  assert.ok(one(".stale-told").textContent.includes(english));
  await click('[data-focus="all on"]');
  assert.equal(one(".cut").textContent, said(WORDS.cut, { count: TEXTS.cut.length }));
  await click(".cut");
  assert.equal(field(), TEXTS.cut);
  assert.equal((await address()).text, TEXTS.cut);
  assert.equal(fault(), "");
  assert.ok(one(".cut").hidden);
  assert.equal(one(".stale-told").textContent, "");
});

test("a server that does not answer is said in Chinese until something is typed, and nothing is lost", async () => {
  const page = await models({ model: "own", text: english }, "models in Chinese");
  const { read, fault, type, texts } = page;
  const before = texts(".tokens .strip button");
  isSilent = true;
  await read(chinese);
  assert.equal(fault(), payload("models in Chinese").words.unreachable);
  assert.deepEqual(texts(".tokens .strip button"), before);
  type(chinese.slice(1));
  assert.equal(fault(), "");
  isSilent = false;
  await read(chinese);
  assert.equal(fault(), "");
  assert.deepEqual(texts(".tokens .strip button"), runOf([chinese]).sentences[0].names);
});
