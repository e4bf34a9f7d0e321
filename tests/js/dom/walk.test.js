// Where keys lead in the walkthrough, and what is shown there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload, press } from "./page.js";
import { settled, stopTime, walk } from "./walking.js";

const PLACES = payload("places"); // of the first example, by depth
const NUMBERS = payload("numbers"); // of the first example, by cell

/**
 * Every computed number in the picture is Python's, rounded; one that is still to come is "·".
 * @param {any[]} cells
 */
function assertNumbers(cells) {
  const known = cells.filter(({ dataset, textContent }) => dataset.key in NUMBERS && textContent !== "·");
  for (const { dataset, textContent } of known) {
    const difference = Number(textContent.replace("−", "-")) - NUMBERS[dataset.key];
    assert.ok(Math.abs(difference) <= 0.5e-4 + 1e-9, `${dataset.key}: ${textContent}`);
  }
  return known.map(({ dataset }) => dataset.key);
}

const hasClass = (/** @type {any} */ node, /** @type {string} */ name) => node.classList.contains(name);

// --- keys ------------------------------------------------------------------------------------------------------------

for (const depth of [1, 2])
  test(`at depth ${depth} an arrow leads through every place with Python's numbers, and back`, async () => {
    const { at, keys, all } = await walk("first");
    keys(...Array(depth).fill("ArrowDown"));
    const [shown, passed] = [new Set(), [at()]];
    for (let count = 0; count < PLACES[depth].length; count++) {
      for (const key of assertNumbers(all("td[data-key]"))) shown.add(key);
      press("ArrowRight");
      if (at() !== passed.at(-1)) passed.push(at());
    }
    assert.deepEqual(passed, PLACES[depth]); // and at the end the arrow leads nowhere
    if (depth === 1) for (const key in NUMBERS) assert.ok(shown.has(key), key);
    const back = [at()];
    for (let count = 1; count < passed.length; count++) {
      press("ArrowLeft");
      back.push(at());
    }
    assert.deepEqual(back, passed.toReversed());
  });

test("before an audience a touch shows the controls of its half of the screen", async () => {
  const { root, keys } = await walk("first");
  const stage = root.querySelector(".walk");
  keys("p");
  for (const [clientY, edge] of [
    [10, "top"],
    [700, "bottom"],
  ]) {
    stage.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "touch", clientY, bubbles: true }));
    assert.ok(hasClass(stage, "awake"));
    assert.equal(stage.dataset.edge, edge);
  }
});

test("a clicker's keys, Home and End lead as arrows do", async () => {
  const { at, keys } = await walk("first");
  keys("PageDown", "PageDown");
  assert.equal(at(), "q");
  keys("PageUp");
  assert.equal(at(), "inputs");
  keys("End");
  assert.equal(at(), "closing");
  keys("Home");
  assert.equal(at(), "tokens");
});

test("at the end an arrow says that there is no further step", async () => {
  const { at, keys, text } = await walk("first", { place: { step: "closing" } });
  keys("ArrowRight");
  assert.deepEqual([at(), text(".line .refused")], ["closing", "That was the last step."]);
});

test("a digit leads to the step of that number, two soon after each other to that of both", async () => {
  const { at, keys } = await walk("first");
  keys("6");
  assert.equal(at(), "scores");
  const later = performance.now() + 2000;
  for (const key of ["1", "1"]) {
    const event = new KeyboardEvent("keydown", { key, bubbles: true });
    Object.defineProperty(event, "timeStamp", { value: later });
    document.body.dispatchEvent(event);
  }
  assert.equal(at(), "concat");
});

test("the space bar plays the walk at the chosen speed, and stops it", async (context) => {
  const passes = stopTime(context);
  const { at, keys, choose } = await walk("first");
  choose("speed", "0.5");
  keys(" ");
  await passes(520);
  assert.equal(at(), "inputs");
  await passes(500);
  assert.equal(at(), "q");
  keys(" ");
  await passes(5000);
  assert.equal(at(), "q");
});

test("a list of choices keeps its keys", async () => {
  const { at, named } = await walk("first", { place: { step: "q" } });
  for (const key of ["ArrowRight", "Home", "5"]) {
    press(key, named("speed"));
    assert.equal(at(), "q", key);
  }
});

test("down leads into a step, part and beat, and up out of it", async () => {
  const { at, keys, cell, line, all } = await walk("first", { place: { step: "scores" } });
  keys("ArrowDown");
  assert.equal(at(), "scores 1");
  const scores = all('.picture td[data-key^="scores|"]').map(({ textContent }) => textContent);
  assert.deepEqual(scores, ["5", ..."········"]);
  keys("ArrowDown");
  assert.equal(at(), "scores 1.1");
  assert.equal(cell("scores|0|0|0").textContent, "·");
  keys("ArrowRight");
  assert.equal(cell("scores|0|0|0").textContent, "5");
  keys("ArrowUp");
  assert.equal(at(), "scores 1");
  keys("ArrowUp");
  assert.equal(at(), "scores");
  assert.ok(!all('.picture td[data-key^="scores|"]').some(({ textContent }) => textContent === "·"));
  assert.ok(line().startsWith("S[计算机, 程序] = 3 · 11 + "));
});

test("beat by beat the line of arithmetic shows the terms that are reached", async () => {
  const { keys, all } = await walk("first", { place: { step: "scores", sub: "1.1" } });
  const seen = () =>
    all(".line > :not(.unseen)")
      .map(({ textContent }) => textContent)
      .join("");
  assert.equal(seen(), "S[思考, 思考] = 1 · 3");
  keys("ArrowRight");
  assert.equal(seen(), "S[思考, 思考] = 1 · 3 + 2 · 1 = 5");
});

test("softmax appears as exponentials, their sum and the division", async () => {
  const { keys, find, cell } = await walk("water", { place: { step: "weights", sub: "1.1" } });
  const [power, total] = ['td[data-power="0|0"]', 'td[data-power="0|sum"]'].map(find);
  const weight = () => cell("weights|0|0|0");
  assert.deepEqual(
    [hasClass(power, "later"), hasClass(total, "later"), weight().textContent],
    [false, true, "·"],
  );
  keys("ArrowRight");
  assert.deepEqual([hasClass(total, "later"), weight().textContent], [false, "·"]);
  keys("ArrowRight");
  const number = payload("water").matrices.weights.values[0][0][0];
  assert.ok(Math.abs(Number(power.textContent) / Number(total.textContent) - number) < 1e-3);
  assert.equal(weight().textContent, number.toFixed(4));
  assert.ok(weight().getAttribute("style").includes(number.toFixed(3)));
});

// --- the address -----------------------------------------------------------------------------------------------------

test("the address says every place, and whether numbers are predicted", async (context) => {
  const passes = stopTime(context);
  const { at, keys, check } = await walk("first");
  keys("6", "ArrowDown", "ArrowDown", "ArrowRight");
  check("predict", true);
  await passes(1000);
  assert.equal(at(), "scores 1.2");
  assert.equal(location.search, "?example=first&step=scores&sub=1.2&predict=1");
});

test("a place that does not exist opens the nearest that does", async () => {
  const opened = async (/** @type {string} */ step, /** @type {string} */ sub) =>
    (await walk("first", { place: { step, sub } })).at();
  assert.equal(await opened("nowhere", "3.1"), "tokens 1.1");
  assert.equal(await opened("q", "999.999"), "q 6.2");
  assert.equal(await opened("tokens", "7"), "tokens 1");
});

test("the page gets the walk's place once it rests", async (context) => {
  const passes = stopTime(context);
  const { keys } = await walk("first", { place: { step: "scores" } });
  /** @type {any[]} */
  const rests = [];
  window.addEventListener("mha-place", (/** @type {any} */ { detail }) => rests.push(detail));
  keys("ArrowDown");
  await passes(400);
  keys("ArrowRight");
  await passes(600);
  assert.deepEqual(rests, [{ step: "scores", sub: "2", view: "", predict: false }]);
});

test("links to the presenter's page and to a lesson keep the work and the place", async () => {
  const { named, element } = await walk("water in Chinese", { place: { step: "scaled_scores", sub: "2" } });
  const [presenter, lesson] = ["presenter", "lesson"].map((name) => named(name).getAttribute("href"));
  assert.equal(presenter, "?example=water&lang=zh&step=scaled_scores&sub=2&view=presenter");
  assert.equal(lesson, "lessons?lesson=sqrt-dk&example=water&lang=zh");
  assert.equal(element().lang, "zh-CN");
});

// --- what is shown ---------------------------------------------------------------------------------------------------

test("the outline fills up as the walk goes on", async () => {
  const { keys, all } = await walk("first", { place: { step: "q", view: "projector" } });
  const done = () => all(".outline li").map(({ style }) => style.getPropertyValue("--done"));
  assert.deepEqual(done(), ["1", "1", "1", ..."000000000"]);
  keys("End");
  assert.deepEqual(done(), Array(12).fill("1"));
});

test("a weight that the mask hides is hatched, and says so", async () => {
  const { cell } = await walk("causal", { place: { step: "weights" } });
  assert.equal(cell("weights|0|0|1").dataset.kind, "hidden");
  assert.equal(cell("weights|0|0|1").getAttribute("aria-description"), "this pair is masked");
  assert.equal(cell("weights|0|0|0").dataset.kind, "bar");
});

test("a colour is explained where it first means something, before an audience too", async () => {
  const { at, keys, text, cell } = await walk("first", { place: { view: "projector" } });
  /** @type {Record<string, string>} */
  const legends = {};
  for (const place of PLACES[0]) {
    assert.equal(at(), place);
    if (text(".legend")) legends[place] = text(".legend");
    keys("ArrowRight");
  }
  const meanings = { inputs: "negativepositive", q: "queries", k: "keys", v: "values", weights: "01" };
  assert.deepEqual(legends, meanings);
  keys("2");
  const tint = () => cell("x||2|1").style.getPropertyValue("--tint");
  const onProjector = tint();
  keys("Escape");
  assert.equal(tint(), onProjector);
});

test("a token's text is shown as text, whatever it contains", async () => {
  const { keys, text, all } = await walk("markup");
  const token = payload("markup").labels.n_q[0];
  assert.equal(text(".tokens bdi"), token);
  for (const _ of PLACES[0]) {
    keys("ArrowRight");
    assert.equal(all("img, b, em").length, 0);
  }
  assert.ok(text(".looks").replaceAll("\u00ad", "").includes(token));
});

// --- two heads -------------------------------------------------------------------------------------------------------

const HEADS = ["q", "k", "v", "scores", "scaled_scores", "weights", "head_outputs"];

test("two heads that share keys are shown side by side", async () => {
  const { all, choose } = await walk("grouped-query", { place: { step: "k" } });
  choose("compare first", "0");
  assert.equal(all(".picture.pair table").length, 2);
});

test("two heads are compared on one scale of colours at every step that both have", async () => {
  const { at, keys, cell, all, choose } = await walk("water", { place: { step: "q", view: "projector" } });
  choose("compare first", "1");
  choose("compare second", "0");
  const { matrices } = payload("water");
  for (const name of HEADS) {
    assert.equal(at(), name);
    const { values, scale } = matrices[name];
    const top = scale === "weights" ? 1 : Math.max(...values.flat(2).map(Math.abs));
    for (const head of [0, 1]) {
      const td = cell(`${name}|${head}|0|0`);
      assert.ok(Math.abs(Number(td.textContent.replace("−", "-")) - values[head][0][0]) < 1e-4);
      const tone = Number(td.style.getPropertyValue("--tone"));
      assert.ok(Math.abs(tone - Math.abs(values[head][0][0]) / top) <= 6e-4, `${name} ${head}`);
    }
    keys("ArrowRight");
  }
  assert.equal(at(), "head-2");
  assert.equal(all(".pair").length, 1);
  keys("ArrowRight");
  assert.equal(at(), "concat");
  assert.equal(all(".pair").length, 0);
});

test("a sentence says in which cell two heads differ most", async () => {
  const { text, choose } = await walk("water", { place: { step: "scores" } });
  choose("compare first", "1");
  choose("compare second", "0");
  const { matrices, labels } = payload("water");
  const [second, first] = [1, 0].map((head) => matrices.scores.values[head]);
  const apart = second.map((row, i) => row.map((number, j) => Math.abs(number - first[i][j])));
  const most = Math.max(...apart.flat());
  const row = apart.findIndex((numbers) => numbers.includes(most));
  const col = apart[row].indexOf(most);
  const place = `[${labels.n_q[row]}, ${labels.n_k[col]}]`;
  const sentence = `They differ most at ${place}: ${second[row][col]} in head 2, ${first[row][col]} in head 1.`;
  assert.equal(text(".pair .differ"), sentence);
});

test("of weights the sentence says how much attention two heads share, and where they part", async () => {
  const { text, choose } = await walk("water", { place: { step: "weights" } });
  choose("compare first", "0");
  const [share] = payload("water").compare[0][1];
  assert.equal(
    text(".pair .differ"),
    `Heads 1 and 2 spend ${share} of their attention on the same tokens. They differ most for “toxic”: head 1 looks ` +
      "most at “is”, head 2 at “toxic”.",
  );
});

test("tokens at which two heads part alike are counted, and so are cells", async () => {
  const weights = await walk("programming", { place: { step: "weights" } });
  weights.choose("compare first", "0");
  assert.ok(weights.text(".pair .differ").includes("Their largest difference occurs for 2 tokens."));
  const queries = await walk("water", { place: { step: "q" } });
  queries.choose("compare first", "0");
  assert.ok(
    queries.text(".pair .differ").startsWith("Their largest difference occurs in 2 places. The first is ["),
  );
});

test("the title, the words before an audience and the line name the heads that are compared", async () => {
  const page = await walk("programming", { place: { step: "weights" } });
  page.choose("compare first", "1");
  page.choose("compare second", "2");
  assert.equal(page.text(".walk h2"), "Softmax · Heads 2 and 3");
  assert.match(page.line(), /^A\S*\[love, programming\] = /);
  assert.equal(page.text(".example:not([hidden])"), undefined);
  const shown = await walk("programming", { place: { step: "weights", view: "projector" } });
  shown.choose("compare first", "2");
  assert.match(shown.text(".about"), /Heads 3 and 2$/);
});

test("while two heads are compared nothing moves, and a sentence says why", async () => {
  const { named, find, text, all, choose } = await walk("water", { place: { step: "q" } });
  choose("compare first", "0");
  assert.ok(named("motion").disabled);
  const reason = "Animations show one head at a time.";
  assert.deepEqual([find(".motion-bar .reason").hidden, text(".motion-bar .reason")], [false, reason]);
  choose("compare first", "");
  assert.equal(all(".pair").length, 0);
  assert.deepEqual([named("motion").disabled, find(".motion-bar .reason").hidden], [false, true]);
});

test("two heads are not shown where they would tell what is to be predicted", async () => {
  const { all, check, choose } = await walk("water", { place: { step: "q" } });
  check("predict", true);
  choose("compare first", "0");
  assert.equal(all(".pair").length, 0);
  assert.ok(all("input.answer").length > 0);
});

// --- before an audience ----------------------------------------------------------------------------------------------

const audience = (/** @type {object} */ place = {}, view = "projector") =>
  walk("first", { place: { step: "q", view, ...place } });

test("either key darkens the screen; any key brings it back, and does nothing else", async () => {
  const { at, keys, find } = await audience();
  for (const [key, place, next] of [
    ["b", "q", "k"],
    [".", "k", "v"],
  ]) {
    keys(key);
    assert.equal(find(".curtain").hidden, false);
    keys("PageDown");
    assert.deepEqual([find(".curtain").hidden, at()], [true, place]);
    keys("PageDown");
    assert.equal(at(), next);
  }
});

test("a key shows a dot, and then the pointer brings no controls", async () => {
  const { keys, find, element } = await audience();
  assert.ok(find(".dot").hidden);
  keys("l");
  element().dispatchEvent(new PointerEvent("pointermove", { clientX: 400, clientY: 5, bubbles: true }));
  assert.deepEqual([find(".dot").hidden, find(".dot").style.translate], [false, "400px 5px"]);
  assert.ok(!hasClass(element(), "awake"));
  keys("l");
  assert.ok(find(".dot").hidden);
});

test("a question mark lists the keys of the view, and any key or click closes the list", async () => {
  const { at, keys, find, all, texts, text, element } = await audience();
  keys("?");
  assert.deepEqual([find(".help").hidden, all(".help tr").length], [false, 18]);
  for (const td of all(".help td")) assert.ok(td.textContent.trim());
  for (const key of "ABCEFHLMQV.[]+−0?") assert.ok(text(".help tbody").includes(key), key);
  keys("Escape");
  assert.deepEqual([find(".help").hidden, at(), element().dataset.view], [true, "q", "projector"]);
  keys("Escape", "?");
  assert.deepEqual([element().dataset.view, all(".help tr").length], ["page", 20]);
  const [names] = [texts(".help th")];
  assert.equal(names.indexOf("P"), 6);
  for (const key of "QHVE") assert.ok(names.slice(8).includes(key), key);
  find(".help").click();
  assert.ok(find(".help").hidden);
  keys("ArrowRight");
  assert.equal(at(), "k");
});

test("Escape leaves the projector", async () => {
  const { keys, element } = await audience();
  keys("Escape");
  assert.equal(element().dataset.view, "page");
  assert.ok(!document.documentElement.classList.contains("mha-projecting"));
  keys("p");
  assert.equal(element().dataset.view, "projector");
  assert.ok(document.documentElement.classList.contains("mha-projecting"));
});

test("a lecture takes as many presses as it says, shows every step, and leads back", async () => {
  const { at, keys, named, choose, text, all } = await audience({ step: "" }, "presenter");
  const label = named("lecture").querySelector('option[value="10"]').textContent;
  const presses = Number(/^10 min: (\d+) key presses$/.exec(label)?.[1]);
  choose("lecture", "10");
  assert.equal(text(".counter"), `press 0 of ${presses}`);
  const passed = [at()];
  for (let press = 0; press < presses; press++) {
    keys("PageDown");
    assertNumbers(all(".stage td[data-key]"));
    passed.push(at());
  }
  assert.deepEqual([at(), text(".counter")], ["closing", `press ${presses} of ${presses}`]);
  assert.equal(new Set(passed).size, presses + 1);
  assert.ok(presses <= Math.max(2 * 10, PLACES[0].length - 1));
  assert.deepEqual([...new Set(passed.map((place) => place.split(" ")[0]))], PLACES[0]);
  const back = [at()];
  for (let press = 0; press < presses; press++) {
    keys("PageUp");
    back.push(at());
  }
  assert.deepEqual(back, passed.toReversed());
});

test("in a lecture a digit leads to where it begins that step", async () => {
  const { at, keys, choose } = await audience({ step: "" });
  choose("lecture", "50");
  keys("6");
  assert.equal(at(), "scores 1.1");
  keys("ArrowRight");
  assert.equal(at(), "scores 1.2");
});

test("a tab that is reloaded goes on with its lecture", async () => {
  const { named, text } = await walk("first", {
    place: { step: "q", view: "projector" },
    stored: { "mha-lecture": 50 },
  });
  assert.equal(named("lecture").value, "50");
  assert.ok(/^press \d+ of \d+$/.test(text(".counter")));
});

test("a lecture that is chosen on the page is walked once it is before an audience", async () => {
  const { keys, choose, text, named } = await walk("first");
  choose("lecture", "10");
  assert.ok(!text(".counter").startsWith("press"));
  assert.ok(named("presenter").getAttribute("href").includes("lecture=10"));
  assert.ok(text(".teaching").includes("Lecture:"));
  keys("p");
  assert.ok(/^press \d+ of \d+$/.test(text(".counter")));
});

test("a link brings its lecture along", async () => {
  const { named } = await walk("first", { url: "?example=first&lecture=25" });
  assert.equal(named("lecture").value, "25");
});

test("an arrow that is pressed on a button walks on", async () => {
  const { at, named } = await audience();
  named("play").focus();
  press("ArrowRight", named("play"));
  await settled();
  assert.equal(at(), "k");
});

// --- a number that is clicked ------------------------------------------------------------------------------------------

const click = (/** @type {any} */ node) => node.dispatchEvent(new MouseEvent("click", { bubbles: true }));

test("a click on a number shows its arithmetic until the walk moves", async () => {
  const { keys, cell, line } = await walk("first", { place: { step: "scores" } });
  const before = line();
  click(cell("scores|0|2|1").querySelector("span"));
  assert.match(line(), /^S\S*\[程序, 计算机\] = 5 · 7 \+ 6 · 3 = 53$/);
  assert.ok(hasClass(cell("scores|0|2|1"), "current"));
  assert.ok(hasClass(cell("q|0|2|0"), "operand"));
  keys("ArrowRight", "ArrowLeft");
  assert.equal(line(), before);
});

test("a click on a number that an earlier step has computed shows its arithmetic", async () => {
  const { at, cell, line } = await walk("first", { place: { step: "scores", sub: "1" } });
  click(cell("q|0|2|0"));
  assert.match(line(), /^Q\S*\[程序, \S+\] = /);
  assert.equal(at(), "scores 1");
});

test("a click says that a number is given, and nothing of one that is still to come", async () => {
  const { cell, line, keys } = await walk("first", { place: { step: "q" } });
  click(cell("x||0|0"));
  assert.match(line(), /^X\[思考, \S+\] = \d+ ?This number is given, not calculated\.$/);
  keys("ArrowDown");
  const first = line();
  click(cell("q|0|2|1"));
  assert.equal(line(), first);
});

test("a power of e and a weight of the closing table lead to the weight's arithmetic", async () => {
  const softmax = await walk("first", { place: { step: "weights" } });
  click(softmax.find('td[data-power="1|2"]'));
  assert.match(softmax.line(), /^A\S*\[计算机, 程序\] = e/);
  const closing = await walk("first", { place: { step: "closing" } });
  click(closing.find("td[data-weight]"));
  assert.match(closing.line(), /^A\S*\[思考, 程序\] = e/);
});

// --- one token that is followed ----------------------------------------------------------------------------------------

/** The sentence about one token at a step of an example. @param {string} name @param {string} step */
const followed = async (name, step) => (await walk(name, { place: { step } })).text(".example:not([hidden])");

test("the first step has each token's row, and says what head 1 will make of one", async () => {
  const page = await walk("programming", { place: { step: "tokens" } });
  assert.deepEqual(
    page.all(".given-row").map((row) => row.textContent),
    ["↓ (2, 0, 0)", "↓ (0, 2, 0)", "↓ (0, 1, 2)"],
  );
  assert.equal(
    page.text(".example:not([hidden])"),
    "Follow “love”: it begins as the row (0, 2, 0). By step 9, head 1 has made (1.7886, 0.1586) of it, mostly from “I”.",
  );
});

test("one token is followed from its row to the output, in its own numbers", async () => {
  assert.equal(await followed("first", "q"), "Follow “计算机”: its row (3, 4) becomes the query (3, 4).");
  assert.equal(
    await followed("first", "k"),
    "“程序” is the token that “计算机” looks at most in this head. Its row (5, 6) becomes the key (11, 5).",
  );
  assert.equal(
    await followed("first", "scores"),
    "The query (3, 4) of “计算机” and the key (11, 5) of “程序” give 53, the largest score in the row.",
  );
  assert.equal(
    await followed("first", "head_outputs"),
    "“计算机” becomes (6.0000, 5.0000). The largest weight, 1.0000, belongs to “程序”, whose value is (6, 5).",
  );
});

test("where a token's row has one number, the rows of the matrices say why query and key match", async () => {
  assert.match(await followed("programming", "q"), /so this is 2 times row 2 of WQ, \(1, 0\)\.$/);
  assert.match(
    await followed("programming", "scores"),
    /They match because row 2 of WQ and row 1 of WK are both \(1, 0\): that is how this head makes “love” look at “I”\.$/,
  );
});

test("further heads and the end say what differs, and why one head would not do", async () => {
  assert.match(
    await followed("programming", "head-2"),
    /WQ: the same as in head 1\. The other matrices differ\.$/,
  );
  assert.match(await followed("programming", "head-3"), /its scores in a row differ by 0\.4243 at most\.$/);
  assert.match(
    await followed("programming", "closing"),
    /One head could not give both that much: each row of weights sums to 1\.$/,
  );
});

test("a weight that is clicked beside the arrows of the values is explained, and its row has them", async () => {
  const { cell, line, all } = await walk("programming", { place: { step: "head_outputs" } });
  click(cell("weights|0|2|1"));
  assert.match(line(), /^A\S*\[programming, love\] = e/);
  assert.equal(all(".plane .arrow").length, 4);
  click(cell("v|0|1|0"));
  assert.match(line(), /^V\S*\[love, 1\] = /);
});

test("the second token is followed whatever the numbers are, unless it has no largest weight", async () => {
  const after = async (/** @type {number[]} */ ...row) => {
    /** @param {any} data */
    const change = (data) => {
      data.matrices = structuredClone(data.matrices);
      data.matrices.weights.values[0][1] = row;
    };
    return (await walk("programming", { place: { step: "q" }, change })).text(".example:not([hidden])");
  };
  assert.match(await after(0.2, 0.5, 0.3), /^Follow “love”/);
  assert.match(await after(0.4, 0.2, 0.4), /^Follow “programming”/);
});

test("on a phone a button shows the other controls", async () => {
  const { named, find, choose } = await walk("first");
  const isOpen = () => [
    find(".controls").classList.contains("open"),
    named("others").getAttribute("aria-expanded"),
  ];
  assert.deepEqual(isOpen(), [false, "false"]);
  named("others").click();
  assert.deepEqual(isOpen(), [true, "true"]);
  choose("compare first", "0"); // which needs the room
  assert.deepEqual(isOpen(), [false, "false"]);
});

/** The cell whose arithmetic is shown at a step. @param {object} place @param {string} name */
const explained = async (place, name = "programming") => (await walk(name, { place })).line().split(" = ")[0];

test("where a whole step is shown, the line explains a number of the token that is followed", async () => {
  assert.equal(await explained({ step: "q" }), "Q[love, 1]");
  assert.equal(await explained({ step: "k" }), "K[I, 1]");
  assert.equal(await explained({ step: "weights" }), "A[love, I]");
  assert.equal(await explained({ step: "head_outputs" }), "head1[love, 1]");
  assert.equal(await explained({ step: "head-3" }), "head3[love, 1]");
  assert.equal(await explained({ step: "concat" }), "Concat[love, 1]");
  assert.equal(await explained({ step: "weights", sub: "1" }), "A[I, …]");
});

test("before an audience nothing is said of one token", async () => {
  const place = { step: "q", view: "projector" };
  const { text } = await walk("first", { place });
  assert.equal(text(".example:not([hidden])"), undefined);
  assert.equal(await explained(place), "Q[I, 1]");
});

// --- a sink ----------------------------------------------------------------------------------------------------------

test("a sink is a column of the exponentials, and a sentence says what it takes", async () => {
  const { all } = await walk("sinks", { place: { step: "weights" } });
  const heads = all(".powers thead th").map(({ textContent }) => textContent);
  assert.deepEqual(heads.slice(-2), ["s₀", "sum"]);
  const row = all('[data-power^="1|"]').map(({ textContent }) => Number(textContent));
  const sum = row.pop();
  assert.equal(row.length, 4);
  assert.ok(Math.abs(row.reduce((total, number) => total + number, 0) - sum) < 2e-4);
  const weights = all('td[data-key^="weights|0|1|"]').map(({ textContent }) => Number(textContent));
  const [, taken] = (await followed("sinks", "weights")).match(/The sink takes ([\d.]+) of this query/) ?? [];
  const rest = 1 - weights.reduce((total, number) => total + number, 0);
  assert.ok(Math.abs(Number(taken) - rest) < 2e-4, `${taken} ${rest}`);
});
