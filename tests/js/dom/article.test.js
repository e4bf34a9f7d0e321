// “Read an article”: the text with its frames and marks, the list beside it, and what each click sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshly, mount, payload } from "./page.js";

const { ofTab } = await import("../../../web/kit/storage.js");

/** @param {string} name */
async function opened(name) {
  const page = await mount("article/article.js", payload(name));
  const all = (/** @type {string} */ selector) => [...page.root.querySelectorAll(selector)];
  const one = (/** @type {string} */ selector) => /** @type {any} */ (all(selector)[0]);
  const named = (/** @type {string} */ text, within = "button") =>
    /** @type {any} */ (all(within).find(({ textContent }) => textContent === text));
  return { ...page, all, one, named, last: () => page.sent.at(-1) };
}

const text = (/** @type {string} */ name) =>
  payload(name, "article", "pieces")
    .map((/** @type {string[]} */ [piece]) => piece)
    .join("");

test("a pasted text is sent, and one that is empty is not", async () => {
  const { one, named, sent, last } = await opened("blank");
  named("Read the text").click();
  assert.equal(sent.length, 0);
  one("textarea").value = "Q = [[1]]";
  named("Read the text").click();
  const [name, act] = last() ?? [];
  assert.deepEqual([name, act.op, act.name, act.text], ["act", "read", "", "Q = [[1]]"]);
  assert.equal(one(".status").textContent, "Reading…");
});

test("a file is sent in base64, whether it is chosen or dropped, and one that is too large is not", async () => {
  const { root, one, last, sent } = await opened("blank");
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  const files = [new File(["Q = 矩"], "a.md")];
  Object.assign(drop, { dataTransfer: { files, types: ["Files"] } });
  one(".article").dispatchEvent(drop);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const act = last()?.[1];
  assert.deepEqual([act.name, Buffer.from(act.bytes, "base64").toString()], ["a.md", "Q = 矩"]);
  Object.assign(drop, { dataTransfer: { files: [{ name: "b.pdf", size: 5_000_001 }], types: ["Files"] } });
  one(".article").dispatchEvent(drop);
  assert.equal(sent.length, 1);
  assert.match(one(".status").textContent, /b\.pdf was not read.*5 MB/);
  assert.ok(root.isConnected);
});

test("a text that is refused stays in its field, with the reason", async () => {
  const { one, answer } = await opened("blank");
  one("textarea").value = "my text";
  answer(payload("refused"));
  assert.equal(one("textarea").value, "my text");
  assert.match(one(".refused").textContent, /UTF-8/);
  assert.ok(one(".opened").hidden);
});

test("another language keeps what was pasted", async () => {
  const { one, answer } = await opened("blank");
  one("textarea").value = "my text";
  answer({ ...payload("blank"), lang: "zh" });
  assert.equal(one("textarea").value, "my text");
});

test("the text is shown as it is, markup as text", async () => {
  const { one, all } = await opened("heads");
  const shown = one(".text").cloneNode(true);
  for (const node of shown.querySelectorAll(".tag, ins, .between")) node.remove();
  assert.equal(shown.textContent, text("heads"));
  assert.equal(all("img, b").length, 0);
});

test("each matrix is framed with its letter, a guess with a question mark", async () => {
  const { all } = await opened("heads");
  const tags = all(".tag").map(({ textContent }) => textContent);
  assert.deepEqual(tags.slice(0, 6), ["W_Q 1", "W_K 1", "W_V 1", "W_Q 2", "W_K 2", "W_V 2"].map(bare));
  assert.deepEqual(tags.slice(6), ["X ?", "Q 1", "not used"]);
  assert.deepEqual(
    all(".frame.guess").map(({ dataset }) => dataset.matrix),
    ["6"],
  );
});

const bare = (/** @type {string} */ letter) => letter.replace("_", "");

test("a wrong number is shown where it is printed, with the right one, and a click says why", async () => {
  const { one, all } = await opened("heads");
  const [mark] = all(".mark");
  assert.deepEqual(
    [mark.querySelector("del").textContent, mark.querySelector("ins").textContent],
    ["7", "1"],
  );
  mark.click();
  assert.match(
    one(".source .note").textContent,
    /Line 10, queries, head 1, row 3, column 2: 7, right is 1\./,
  );
  assert.equal(all("td.wrong").length, 1);
});

test("the verdict leads to the number in the text", async () => {
  const { one } = await opened("heads");
  one(".verdict .jump").click();
  assert.match(one(".source .note").textContent, /Line 10/);
  assert.equal(document.activeElement?.className, "mark own");
});

test("a guess is confirmed, set aside or changed in one click", async () => {
  const { one, all, named, last } = await opened("heads");
  const guess = one(".card.guess");
  assert.match(guess.querySelector(".why").textContent, /^guess/);
  const choice = () => last()?.[1].choices.matrices[0];
  named("That is right").click();
  assert.deepEqual(choice(), { at: 6, name: "x", head: null, turned: false });
  guess.querySelectorAll(".why button")[1].click();
  assert.notEqual(choice().name, "x");
  [...guess.querySelectorAll(".why button")].at(-1).click();
  assert.equal(choice().name, "");
  assert.equal(all(".card.guess").length, 1);
});

test("the name, the head and the orientation of any matrix can be changed", async () => {
  const { one, last } = await opened("heads");
  const choice = () => last()?.[1].choices.matrices.at(-1);
  const [name, head] = one('[data-card="7"]').querySelectorAll("select");
  name.value = "k";
  name.dispatchEvent(new Event("change"));
  assert.deepEqual(choice(), { at: 7, name: "k", head: 0, turned: false });
  head.value = "1";
  head.dispatchEvent(new Event("change"));
  assert.deepEqual(choice(), { at: 7, name: "q", head: 1, turned: false });
  one('[data-card="7"] [aria-pressed]').click();
  assert.deepEqual(choice(), { at: 7, name: "q", head: 0, turned: true });
});

test("two clicks in a row are both sent", async () => {
  const { named, one, last } = await opened("heads");
  named("That is right").click();
  one('[data-card="7"] [aria-pressed]').click();
  assert.deepEqual(
    last()?.[1].choices.matrices.map((/** @type {any} */ { at }) => at),
    [6, 7],
  );
});

test("what was chosen can be taken back", async () => {
  const { named, last } = await opened("chosen");
  named("Undo my choice").click();
  assert.equal(last()?.[1].choices.matrices.length, 1);
});

test("what is not used is listed with why", async () => {
  const { one, all } = await opened("heads");
  assert.match(one(".said").textContent, /1 matrix is a guess\. 1 matrix is not used; the end/);
  assert.match(one(".matrices h3").textContent, /Not used \(1\)/);
  assert.match(all(".card.unused")[0].textContent, /another matrix has this name/);
});

test("a tag in the text leads to the card, and the card's line to the text", async () => {
  const { one } = await opened("heads");
  one('[data-matrix="7"] > .tag').click();
  assert.equal(document.activeElement?.getAttribute("data-card"), "7");
  one('[data-card="7"] .line').click();
  assert.equal(document.activeElement?.className, "tag");
});

test("of two examples each has its verdict, and the chosen one is opened", async () => {
  const { all, one, named, last } = await opened("two");
  assert.deepEqual(
    all(".tabs button").map(({ textContent }) => textContent),
    ["Example 1 ✓", "Example 2 ✗"],
  );
  named("Example 2 ✗").click();
  assert.ok(one(".verdict").classList.contains("wrong"));
  named("Open as an exercise").click();
  const { op, example, to } = last()?.[1] ?? {};
  assert.deepEqual([op, example, to], ["open", 1, "exercise"]);
});

test("the divisor and the convention are chosen", async () => {
  const { one, last } = await opened("heads");
  const [form, scale] = one(".settings").querySelectorAll("select");
  scale.value = "none";
  scale.dispatchEvent(new Event("change"));
  assert.equal(last()?.[1].choices.scale, "none");
  form.value = "columns";
  form.dispatchEvent(new Event("change"));
  assert.equal(last()?.[1].choices.form, "columns");
});

test("a text without an example says what is missing", async () => {
  const { one } = await opened("nothing");
  assert.match(one(".said").textContent, /no matrix of numbers/);
});

test("a text that no link can contain is opened again after a reload, until another one is wanted", async () => {
  const { one, named, answer, last, sent } = await opened("blank");
  one("textarea").value = "a long text";
  named("Read the text").click();
  answer({ ...payload("heads"), token: "" });
  assert.equal(ofTab.get("mha.article").text, "a long text");
  const parentElement = document.createElement("div");
  document.body.append(parentElement);
  const { default: mounted } = await freshly("article/article.js");
  const send = (/** @type {string} */ name, /** @type {any} */ act) => sent.push([name, act]);
  const reloaded = (/** @type {any} */ data) =>
    mounted({ parentElement, data, setTriggerValue: send, setStateValue: send });
  reloaded(payload("blank"));
  assert.deepEqual([last()?.[1].op, last()?.[1].text], ["read", "a long text"]);
  reloaded(payload("heads"));
  assert.equal(ofTab.get("mha.article"), null);
});

test("an article that its address holds is where this browser leads back to", async () => {
  await opened("heads");
  const { lastPlaces } = await freshly("kit/last_work.js");
  const [{ page, query, what }] = lastPlaces();
  const { token, name } = payload("heads");
  assert.equal(query, String(new URLSearchParams({ article: token })));
  assert.equal(page, "check");
  assert.ok(name ? what === name : what);
});
