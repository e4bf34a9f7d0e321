// A page without a server: what it works out is what torch computes, and its history, languages and parts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshly, payload, press } from "./page.js";

const { ofBrowser } = await import("../../../web/kit/storage.js");

/** Opens a page; each has modules of its own. @param {any} data */
async function opened(data, hash = "") {
  document.querySelector("nav [data-focus=walk]")?.click(); // the tour of a page that is gone hears no key
  ofBrowser.setText("mha.page.lang", null);
  location.hash = hash;
  const styles = ["page", "explore", "walk"].map((name) => `<style id="style-${name}"></style>`);
  document.body.innerHTML = `${styles.join("")}<div id="page"></div><script type="application/json" id="data"></script>`;
  document.querySelector("#data").textContent = JSON.stringify(data);
  await freshly("page/page.js");
  const find = (/** @type {string} */ selector) => /** @type {any} */ (document.querySelector(selector));
  const all = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)];
  const texts = (/** @type {string} */ selector) => all(selector).map((node) => node.textContent);
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const click = (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`).click();
  /** Types a number, and waits until the page has it. @type {(key: string, text: string) => Promise<void>} */
  const enter = async (key, text) => {
    cell(key).focus();
    press(text[0], cell(key));
    const field = cell(key).querySelector("input");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    press("Enter", field);
    await rest();
  };
  /** What is typed is sent once no further edit follows. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 170));
  return { find, all, texts, cell, click, enter, rest };
}

const FIRST = payload("pages", "first");
const X = "x||0|0";

/** Numbers of nested lists, each with its place. @type {(value: any, place?: string) => [string, any][]} */
const flat = (value, place = "") =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, part]) => flat(part, `${place}/${name}`))
    : [[place, value]];

/** @type {(ours: any, theirs: any, what: string) => void} */
function assertClose(ours, theirs, what) {
  const mine = new Map(flat(ours));
  for (const [place, right] of flat(theirs)) {
    const value = mine.get(place);
    const isClose =
      typeof right === "number" && Math.abs(value - right) <= 1e-11 * Math.max(1, Math.abs(right));
    assert.ok(isClose || value === right, `${what}${place}: ${value}, not ${right}`);
  }
}

// --- what it works out ---------------------------------------------------------------------------------------------

/** The host of a page after an edit. @type {(data: any, ...edits: any[]) => Promise<any>} */
async function hostAfter(data, ...edits) {
  const { LocalHost } = await import("../../../web/page/local_host.js");
  const host = new LocalHost(data, "en", () => {});
  const { session } = host.explore;
  edits.forEach((edit, at) => host.receive("edits", { session, edits: [{ ...edit, seq: at + 1 }] }));
  return host;
}

test("after an edit all numbers are torch's, and so are their captions", async () => {
  for (const { name, edit, tables } of payload("edited")) {
    const { explore } = await hostAfter(payload("pages", name), edit);
    const what = `${name} ${edit.op} ${edit.matrix}: `;
    assert.equal(explore.ack, 1);
    for (const [matrix, { values, symbol, formula }] of Object.entries(tables.matrices))
      assertClose(explore.matrices[matrix], { values, symbol, formula }, what + matrix);
    const { constants, dead, shifts } = tables;
    assertClose(explore, { constants, dead, shifts }, what);
  }
});

test("a caption says where each head looks now, in both languages", async () => {
  for (const { name, edit, looks } of payload("edited"))
    for (const language of ["en", "zh"]) {
      const host = await hostAfter(payload("pages", name), edit);
      host.language = language;
      assert.deepEqual(host.explore.looks, looks[language], `${name} ${JSON.stringify(edit)}`);
    }
});

test("the tour says the same of them as the server, but for how the heads differ", async () => {
  for (const { name, edit, walk } of payload("edited")) {
    const tour = (await hostAfter(payload("pages", name), edit)).walk;
    const what = `${name} ${edit.op} ${edit.matrix}: `;
    const looks = (/** @type {any} */ { looked }) =>
      looked.map((head) => head.map((look) => look && { keys: look.keys, weight: look.weight }));
    assertClose({ looked: looks(tour.closing) }, { looked: looks(walk.closing) }, what);
    assertClose({ compare: tour.compare }, { compare: walk.compare }, what);
    const said = (/** @type {any} */ { stages }) =>
      stages.map(({ lesson: _, why, ...stage }) => ({ ...stage, why: stage.kind === "closing" ? "" : why }));
    assertClose(said(tour), said(walk), what);
  }
});

test("the example's own words come back with its numbers", async () => {
  const [undo, x] = [{ op: "undo" }, { op: "set", matrix: "x", head: null, row: 0, col: 0, values: [[9]] }];
  const [start, changed, back] = [
    await hostAfter(FIRST),
    await hostAfter(FIRST, x),
    await hostAfter(FIRST, x, undo),
  ];
  assert.notDeepEqual(changed.explore.looks, start.explore.looks);
  assert.equal(
    changed.explore.about,
    "All lines and captions follow the numbers below. Change any boxed number and watch them update.",
  );
  assert.deepEqual(back.explore.about, start.explore.about);
  assert.deepEqual(back.walk.stages, start.walk.stages);
  assert.deepEqual(back.explore.looks, start.explore.looks);
});

test("reset is a step that can be undone; a new edit forgets what could be redone", async () => {
  const set = (value) => ({ op: "set", matrix: "x", head: null, row: 0, col: 0, values: [[value]] });
  const at = async (...edits) => {
    const { explore } = await hostAfter(FIRST, ...edits);
    const { undo, redo, changed } = explore.controls;
    return [explore.matrices.x.values[0][0], undo, redo, changed];
  };
  const [undo, redo, reset] = ["undo", "redo", "reset"].map((op) => ({ op }));
  assert.deepEqual(await at(), [1, false, false, false]);
  assert.deepEqual(await at(set(5)), [5, true, false, true]);
  assert.deepEqual(await at(set(1)), [1, false, false, false]); // nothing has changed
  assert.deepEqual(await at(set(5), set(6), undo), [5, true, true, true]);
  assert.deepEqual(await at(set(5), set(6), undo, redo), [6, true, false, true]);
  assert.deepEqual(await at(set(5), undo, set(7)), [7, true, false, true]);
  assert.deepEqual(await at(set(5), reset), [1, true, false, false]);
  assert.deepEqual(await at(set(5), reset, undo), [5, true, true, true]);
  assert.deepEqual(await at(undo, redo, reset), [1, false, false, false]);
});

test("toward the goal that it came with: steps and what is typed give torch's numbers, backward too", async () => {
  const { explore, file } = await hostAfter(payload("goal"), ...payload("goal edits"));
  const { matrices, learning } = payload("goal after");
  const ofPage = Object.entries(matrices).map(([name, { values }]) => [name, values]);
  assertClose(
    Object.fromEntries(Object.entries(explore.matrices).map(([name, { values }]) => [name, values])),
    Object.fromEntries(ofPage),
    "goal ",
  );
  assert.deepEqual(explore.learning.goal, learning.goal);
  assert.deepEqual(file.learning, payload("goal file"));
});

test("a page with a goal has Step, Play and the loss, and its goal cannot be changed; undo takes a step back", async () => {
  const page = await opened(payload("goal"));
  assert.ok(!page.find(".learning").hidden);
  assert.ok(page.find(".goal-form").hidden);
  assert.deepEqual(page.texts(".goals li button"), []);
  const before = page.find(".learning .loss").textContent;
  page.click("learn step");
  await page.rest();
  assert.match(page.find(".learning .loss").textContent, /^Loss L: .* → .* after 1 step$/);
  page.click("undo");
  await page.rest();
  assert.equal(page.find(".learning .loss").textContent, before);
});

test("a step that no number can hold is refused, and it is said why", async () => {
  const rate = { ...payload("goal").languages.en.explore.learning.goal, rate: 1e6 };
  const edits = [{ op: "learning", learning: rate }, ...Array(8).fill({ op: "learn", steps: 1 })];
  const { explore } = await hostAfter(payload("goal"), ...edits);
  assert.ok(Number.isFinite(explore.matrices.loss.values[0][0]));
  assert.match(explore.message.text, /^With this η the numbers grow without bound/);
});

test("another η is in the page's address, and no other goal is taken from one", async () => {
  const { checked } = await import("../../../web/page/kept.js");
  const { goal } = payload("goal").languages.en.explore.learning;
  const { kept } = await hostAfter(payload("goal"), { op: "learning", learning: { ...goal, rate: 2 } });
  assert.deepEqual(kept, [{ op: "learning", learning: { ...goal, rate: 2 } }]);
  const start = { model: payload("goal").languages.en.explore };
  const limits = { most: 1e6, temperature: false };
  assert.deepEqual(checked(kept, start, limits), kept);
  for (const learning of [null, { ...goal, rate: 0 }, { ...goal, rate: "2" }, { ...goal, targets: [] }])
    assert.equal(checked([{ op: "learning", learning }], start, limits), null);
});

test("a page without a goal has no section for one", async () => {
  assert.ok((await opened(FIRST)).find(".learning").hidden);
});

test("the divisor: another number, and back to that of the example", async () => {
  const scales = [
    { op: "scale", value: 2 },
    { op: "scale", value: "sqrt_dk" },
  ];
  const [other, back] = [await hostAfter(FIRST, scales[0]), await hostAfter(FIRST, ...scales)];
  assert.equal(other.explore.matrices.scaled_scores.symbol, "S/2");
  assert.equal(other.explore.controls.scale, 2);
  const { matrices, constants, controls } = back.explore;
  assertClose(matrices, FIRST.languages.en.explore.matrices, "back: ");
  assert.deepEqual([constants.divisor, controls.scale], [Math.SQRT2, "sqrt_dk"]);
});

test("a block whose rows differ in length is refused, and says which row", async () => {
  const block = { op: "set", matrix: "x", head: null, row: 0, col: 0, values: [[1, 2], [3]] };
  const { explore } = await hostAfter(FIRST, block);
  const text = "Row 2 of the pasted block has 1 number, but the first row has 2. Nothing was changed.";
  assert.equal(explore.message?.text, text);
});

test("a block that has no room is refused in a sentence, and nothing changes", async () => {
  const block = {
    op: "set",
    matrix: "x",
    head: null,
    row: 1,
    col: 1,
    values: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  };
  const { explore } = await hostAfter(FIRST, block);
  const text = "This block is 3 × 2, but only 2 × 1 fits from row 2, column 2. Nothing was changed.";
  assert.equal(explore.message.text, text);
  assert.deepEqual(explore.matrices.x.values, FIRST.languages.en.explore.matrices.x.values);
});

test("a table is filled with zeros, the identity, and numbers that are drawn", async () => {
  const filled = async (/** @type {string} */ kind) => {
    const host = await hostAfter(FIRST, { op: "fill", matrix: "w_q", head: 1, with: kind, seed: 1 });
    return host.explore.matrices.w_q.values[1];
  };
  assert.deepEqual(await filled("zeros"), [
    [0, 0],
    [0, 0],
  ]);
  assert.deepEqual(await filled("identity"), [
    [1, 0],
    [0, 1],
  ]);
  assert.ok((await filled("integers")).flat().every((number) => [-2, -1, 0, 1, 2, 3].includes(number)));
  assert.ok((await filled("random")).flat().every((number) => Math.round(100 * number) / 100 === number));
});

test("the file has the present numbers, each in the form of its matrix", async () => {
  const set = (matrix, head, value) => ({ op: "set", matrix, head, row: 0, col: 0, values: [[value]] });
  const layer = await hostAfter(payload("pages", "output-projection"), set("b_q", 1, 8), set("w_o", null, 9));
  assert.deepEqual(
    [layer.file.heads[1].b_q, layer.file.heads[0].b_q],
    [
      [8, 0],
      [0, 1],
    ],
  );
  assert.deepEqual(layer.file.w_o[0], [9, 0]);
  assert.ok(!("note" in layer.file) && "note" in payload("pages", "output-projection").file);
  const rotary = await hostAfter(payload("pages", "rotary"), set("position_ids", null, 4));
  assert.deepEqual(rotary.file.positions, { kind: "rotary", ids: [4, 1, 2] });
  const alibi = await hostAfter(payload("pages", "alibi"), set("slope", 0, 2));
  assert.equal(alibi.file.heads[0].slope, 2);
  const padding = await hostAfter(payload("pages", "padding"), set("mask", null, false));
  assert.deepEqual(padding.file.mask.allow[0], [false, true, false]);
});

// --- the page ------------------------------------------------------------------------------------------------------

test("what is typed is followed by every table; undo, redo and reset lead through it", async () => {
  const { cell, enter, click, rest, find } = await opened(FIRST);
  const shown = () => [cell(X).textContent, cell("q|0|0|0").textContent];
  const before = shown();
  await enter(X, "5");
  assert.deepEqual(shown(), ["5", "5"]);
  assert.equal(find(".bench").dataset.kept, "true");
  for (const [press, numbers] of [
    ["undo", before],
    ["redo", ["5", "5"]],
    ["reset", before],
    ["undo", ["5", "5"]],
  ]) {
    click(press);
    await rest();
    assert.deepEqual(shown(), numbers);
  }
});

test("a number is pinned, and unpinned by Escape", async () => {
  const { cell, find, rest } = await opened(FIRST);
  cell("q|0|0|0").click();
  await rest();
  assert.ok(find(".explain").classList.contains("is-pinned"));
  press("Escape", find(".explain"));
  await rest();
  assert.ok(!find(".explain").classList.contains("is-pinned"));
});

test("only numbers can be changed: nothing is added, removed, renamed or chosen", async () => {
  const { all, texts } = await opened(FIRST);
  assert.deepEqual(
    all("[data-do^=add], [data-do^=remove], [data-do=copy_head], input.token, .stepper, .typing"),
    [],
  );
  assert.deepEqual(texts("select option"), [
    "√dₖ",
    "custom",
    "as many as fit",
    ..."0 1 2 3 4 5 6 8 10".split(" "),
  ]);
});

test("who opens it for the first time reads what it is and where to start, until the tour has been opened", async () => {
  const { find, click, texts } = await opened(FIRST);
  assert.match(texts(".opening")[0], /multi-head attention.*New here\? Start with the \d+ steps/);
  click("start");
  assert.equal(find("[aria-current=page]").dataset.focus, "walk");
  click("explore");
  assert.ok(find(".opening").hidden);
});

test("after the tour Explore has a task, a hint, and says when it is done", async () => {
  const { find, click, texts, enter } = await opened(payload("pages", "programming"));
  assert.ok(find(".task").hidden);
  click("start");
  press("End");
  press("ArrowRight");
  assert.match(texts(".line")[0], /That was the last step\. Explore has a task for you now\./);
  click("task");
  assert.equal(find("[aria-current=page]").dataset.focus, "explore");
  assert.match(
    texts(".task")[0],
    /change one number of WQ so that in head 1 “love” looks most at itself\. Now it looks most at “I” \(0\.89\)\./,
  );
  click("task hint");
  assert.match(texts(".task")[0], /Try the number in row 2, column 2 of WQ\.\s*$/);
  await enter("w_q|0|1|1", "2");
  assert.match(texts(".task")[0], /✓ Done: “love” looks most at “love” \(0\.89\)\./);
  click("task next");
  assert.match(texts(".task")[0], /Now it looks most at/);
});

test("every task is open at first, and the number that its hint names fulfils it", async () => {
  const { goalsOf, topOf } = await import("../../../web/page/goal.js");
  const { withEdits } = await import("../../../web/kit/local_edits.js");
  let count = 0;
  for (const data of Object.values(payload("pages"))) {
    const model = data.languages.en.explore;
    for (const { head, query, key, row, col, value } of goalsOf(model)) {
      assert.notEqual(topOf(model, head, query)?.key, key);
      const edit = /** @type {any} */ ({ op: "set", matrix: "w_q", head, row, col, values: [[value]] });
      assert.equal(topOf(withEdits(model, [edit]).model, head, query)?.key, key);
      count += 1;
    }
  }
  assert.ok(count > 5, String(count));
});

test("what a phone has no room for is shown by a button", async () => {
  const { find, click } = await opened(FIRST);
  const isOpen = () => [find("header").className, find(".more").getAttribute("aria-expanded")];
  assert.deepEqual(isOpen(), ["", "false"]);
  click("more");
  assert.deepEqual(isOpen(), ["open", "true"]);
  click("language");
  assert.deepEqual(isOpen(), ["open", "true"]);
});

test("decimals are a choice, and stay in the tour", async () => {
  const { cell, find, click, rest } = await opened(FIRST);
  const select = find("[data-focus=decimals]");
  select.value = "2";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await rest();
  assert.match(cell("weights|0|0|1").textContent, /^0\.\d\d$/);
  click("walk");
  press("End");
  assert.ok(find(".looks"));
});

test("the tour shows the numbers of Explore, leads by keys, and undoes", async () => {
  const { cell, enter, click, find, rest } = await opened(FIRST);
  await enter(X, "5");
  click("walk");
  assert.equal(find("[aria-current=page]").dataset.focus, "walk");
  press("3"); // the queries
  assert.deepEqual([find(".walk").dataset.at, cell(X).textContent], ["q", "5"]);
  press({ key: "z", ctrlKey: true });
  await rest();
  assert.deepEqual([find(".walk").dataset.at, cell(X).textContent], ["q", "1"]);
  click("explore");
  assert.equal(cell(X).textContent, "1");
});

test("what is typed last before the tour is opened is in it", async () => {
  const { cell, click } = await opened(FIRST);
  cell(X).focus();
  press("8", cell(X));
  press("Enter", cell(X).querySelector("input"));
  click("walk"); // at once
  press("3");
  assert.equal(cell(X).textContent, "8");
});

test("another language keeps the numbers, the part and the place", async () => {
  const { cell, enter, click, find, texts, rest } = await opened(FIRST);
  await enter(X, "5");
  click("language");
  assert.deepEqual([cell(X).textContent, document.documentElement.lang], ["5", "zh-CN"]);
  assert.deepEqual(texts("header nav button"), ["探索", "逐步讲解"]);
  click("walk");
  press("3");
  click("language");
  await rest();
  assert.deepEqual([find(".walk").dataset.at, texts(".walk h2")[0]], ["q", "Queries · Head 1"]);
});

test("it opens at the tour where its address says so, in the browser's language or its own", async () => {
  const { find } = await opened(FIRST, "#walk");
  assert.ok(find(".walk"));
  assert.equal(document.documentElement.lang, "en");
  const languages = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(navigator), "languages");
  Object.defineProperty(navigator, "languages", { value: ["fr-FR"], configurable: true });
  await opened(payload("zh"));
  assert.equal(document.documentElement.lang, "zh-CN");
  Object.defineProperty(navigator, "languages", { value: ["zh-TW", "en"], configurable: true });
  await opened(FIRST);
  assert.equal(document.documentElement.lang, "zh-CN");
  delete (/** @type {any} */ (navigator).languages);
  assert.ok(languages);
});

test("only one stylesheet of a part counts at a time", async () => {
  const { click, all } = await opened(FIRST);
  const media = () => all("style[id]").map((node) => /** @type {any} */ (node).media);
  assert.deepEqual(media().slice(1), ["all", "not all"]);
  click("walk");
  assert.deepEqual(media().slice(1), ["not all", "all"]);
});

test("a link opens the present numbers in the app, at the same part; without an address there is none", async () => {
  const { click, enter, find } = await opened(payload("linked"));
  const link = () => new URL(find("header a").href || "none:");
  const token = () => link().searchParams.get("s");
  /** A token is compressed in the meantime. @param {() => boolean} isThere */
  const until = async (isThere) => {
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(() => token() !== null);
  const first = token();
  assert.deepEqual([link().pathname, link().host, first[0]], ["/attention/", "course.example", "1"]);
  await enter(X, "5");
  await until(() => token() !== first);
  click("walk");
  await until(() => link().pathname === "/attention/walkthrough");
  const { all } = await opened(FIRST);
  assert.deepEqual(all("a[href]"), []);
});

// --- what is kept --------------------------------------------------------------------------------------------------

/** The edits in the page's address. */
const inAddress = () => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("numbers") ?? "[]");

test("after a reload the numbers are those that were typed, and may be reset", async () => {
  const before = await opened(FIRST);
  await before.enter(X, "7");
  const { hash } = location;
  const { cell, find, click } = await opened(FIRST, hash);
  assert.equal(cell(X).textContent, "7");
  assert.equal(find("[data-focus=undo]").disabled, true);
  click("reset");
  await before.rest();
  assert.equal(cell(X).textContent, "1");
  assert.deepEqual(inAddress(), []);
});

test("an address whose numbers are none is refused in a sentence", async () => {
  const { LocalHost } = await import("../../../web/page/local_host.js");
  const table = { op: "set", matrix: "x", head: null, row: 0, col: 0 };
  const withMiddle = (/** @type {unknown} */ value) => ({
    ...table,
    values: [
      [1, 2],
      [3, value],
      [5, 6],
    ],
  });
  const wrong = [
    null,
    { ...table, values: [[1]] },
    { ...table, matrix: "q", values: [[1]] },
    { ...table, matrix: "constructor", values: [[1]] },
    withMiddle("<b>"),
    withMiddle(1e300),
    { op: "scale", value: 0 },
    { op: "scale", value: "none" },
  ];
  for (const edit of wrong) {
    const host = new LocalHost(FIRST, "en", () => {});
    host.restore([edit]);
    assert.match(host.explore.message?.text ?? "", /could not be read/, JSON.stringify(edit));
    assert.deepEqual(host.explore.matrices.x.values, FIRST.languages.en.explore.matrices.x.values);
  }
  for (const numbers of ["[", "{}", "[null]"]) {
    const { cell, find } = await opened(FIRST, `#${new URLSearchParams({ numbers })}`);
    assert.equal(cell(X).textContent, "1", numbers);
    assert.match(find(".message").textContent, /could not be read/, numbers);
  }
});

test("a divisor is kept, a negative one too unless it is a temperature, and the part that was open", async () => {
  const { LocalHost } = await import("../../../web/page/local_host.js");
  for (const value of [3, -2]) {
    const { kept } = await hostAfter(FIRST, { op: "scale", value });
    const host = new LocalHost(FIRST, "en", () => {});
    host.restore(kept);
    assert.equal(host.explore.controls.scale, value);
    assert.equal(host.explore.message, null);
  }
  const cosine = new LocalHost(payload("pages", "cosine"), "en", () => {});
  cosine.restore([{ op: "scale", value: -2 }]);
  assert.match(cosine.explore.message.text, /could not be read/);
  const first = await opened(FIRST, "#walk");
  assert.match(location.hash, /part=walk/);
  first.click("explore");
  assert.match(location.hash, /part=explore/);
});

// --- a puzzle ------------------------------------------------------------------------------------------------------

test("a puzzle's solution solves it here too, and its changes are counted as Python counts them", async () => {
  const { isMet, numberAt } = await import("../../../web/explore/puzzle/goals.js");
  const pages = Object.entries(payload("puzzles"));
  const canBeShown = pages.filter(([, data]) => data.languages.en.puzzle.solution.length);
  assert.deepEqual(
    pages.filter((page) => !canBeShown.includes(page)).map(([key]) => key),
    ["future"], // a kind of mask is chosen in the app alone
  );
  for (const [key, data] of canBeShown) {
    const { explore } = await hostAfter(data, ...data.languages.en.puzzle.solution);
    for (const goal of explore.puzzle.goals) assert.ok(isMet(goal, numberAt(explore, goal)), key);
    assert.equal(explore.puzzle.changed, payload("changed")[key], key);
  }
});

test("a puzzle is above the tables, and no task and no link to other puzzles beside it", async () => {
  const data = payload("puzzles").book;
  const { texts, find, click } = await opened(data);
  assert.deepEqual(texts(".puzzle h2"), [data.languages.en.puzzle.title]);
  assert.equal(find('[data-focus="puzzle send"]'), null);
  click("walk");
  click("explore");
  assert.ok(find(".task").hidden);
});
