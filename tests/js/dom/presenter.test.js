// A projector and a presenter's page in two windows, and the room of those who follow.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ofTab } from "../../../web/kit/storage.js";
import { payload, press } from "./page.js";
import { posted, RoomServer, receive, settled, stopTime, walk } from "./walking.js";

/** A window of the walk. @param {string} view @param {object} [place] @param {string} [name] */
const opened = (view, place = {}, name = "first") =>
  walk(name, { place: { step: "q", view, ...place }, url: `?example=first&view=${view}` });

afterEach(() => posted.length && receive("room", null)); // a room outlives the page of its walk

const place = () => posted.at(-1).place.at;

// --- two windows ---------------------------------------------------------------------------------------------------------

test("a window sends the others its place, and goes where they are", async () => {
  const { keys, at } = await opened("presenter");
  keys("ArrowRight", "ArrowDown", "ArrowRight");
  assert.deepEqual([at(), place().step, place().sub], ["k 2", "k", "2"]);
  await receive("place", { step: "scores", sub: "" });
  assert.equal(at(), "scores");
});

test("a window that shows only the page sends nothing, and stays where it is", async () => {
  const { keys } = await opened("");
  keys("ArrowRight");
  assert.deepEqual(posted, []);
});

test("the latest choice of a lecture is that of both windows", async () => {
  const { choose, named, keys, at } = await opened("presenter");
  choose("lecture", "25");
  assert.equal(posted.at(-1).lecture.at, 25);
  await receive("lecture", 50);
  assert.equal(named("lecture").value, "50");
  keys("PageDown");
  assert.equal(at(), "k 1.1");
  assert.equal(ofTab.get("mha-lecture"), 50);
});

test("a dark screen is dark in both windows, and the presenter still reads", async () => {
  const { keys, find, text } = await opened("presenter");
  keys("b");
  assert.ok(place().dark);
  assert.equal(text(".curtain"), "The screen is dark. Press any key to bring it back.");
  assert.ok(find("h2").textContent);
  await receive("place", { dark: false });
  assert.ok(find(".curtain").hidden);
});

test("the list of keys is shown in its own window alone", async () => {
  const { keys, find } = await opened("presenter");
  keys("ArrowRight");
  const sent = posted.length;
  keys("?");
  assert.deepEqual([find(".help").hidden, posted.length], [false, sent]);
});

test("both windows compare the same heads", async () => {
  const { keys, all, named } = await opened("presenter", { step: "scores" });
  keys("v");
  assert.deepEqual(place().heads, [0, 1]);
  await receive("place", { heads: null });
  assert.equal(all(".pair").length, 0);
  await receive("place", { heads: [1, 0] });
  assert.deepEqual([named("compare first").value, named("compare second").value], ["1", "0"]);
});

test("both windows count the same hands", async () => {
  const { keys, named, write, find } = await opened("presenter", { step: "scores", sub: "2" });
  keys("h");
  write("hands answer 0", "12");
  write("hands count 0", "4");
  assert.deepEqual(place().hands.answers[0], { text: "12", count: 4 });
  const { hands } = place();
  const [, second] = hands.answers;
  await receive("place", { hands: { ...hands, answers: [{ text: "12", count: 5 }, second] } });
  assert.equal(named("hands count 0").value, "5");
  await receive("place", { hands: null });
  assert.ok(find(".hands").hidden);
});

test("what is revealed in one window is revealed in the other", async () => {
  const { check, all, cell } = await opened("projector", { sub: "1" });
  check("predict", true);
  assert.equal(all("input.answer").length, 1);
  await receive("place", { revealed: ["2|0|null"] });
  assert.deepEqual([all("input.answer").length, cell("q|0|0|0").textContent], [0, "1"]);
});

// --- a room --------------------------------------------------------------------------------------------------------------

/** A window that has opened a room. @param {string} view @param {object} [at] @param {string} [name] */
async function roomOf(view, at = {}, name = "first") {
  const server = new RoomServer();
  const page = await opened(view, at, name);
  page.named("room follow").click();
  await settled();
  const sent = () => server.asked("PUT", "/K7QF2M/place").at(-1)?.body;
  return { ...page, server, sent };
}

/** The presenter's page in a room, with the question that is asked in it. */
async function questioned(view = "presenter") {
  const page = await roomOf(view);
  page.named("room question") ?? page.keys("a");
  page.write("room question", "Which <b>one</b>?");
  page.named("room choices 3").click();
  await settled();
  await page.server.send("counts", { listeners: 2, answers: {}, others: 0 });
  return page;
}

test("a room shows its address and code, and sends the server the place with the room's key", async () => {
  const { named, text, find, sent, server } = await roomOf("projector");
  assert.ok(text(".room-card .way").endsWith("/follow/K7QF2M"));
  assert.equal(text(".room-card .way strong"), "K7QF2M");
  assert.ok(find(".room-card img.code").src.includes("api/qr?link="));
  assert.deepEqual([sent().example, sent().step, sent().away], ["first", "q", false]);
  assert.equal(server.asked("PUT", "/place")[0].headers.Authorization, "Bearer secret");
  assert.equal(named("room follow").getAttribute("aria-label"), "Room K7QF2M");
});

test("places that follow fast are sent the server once, the latest of them", async (context) => {
  const passes = stopTime(context);
  const { keys, sent, server } = await roomOf("projector");
  await passes(100);
  const before = server.requests.length;
  keys("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  await passes(200);
  assert.equal(sent().step, "scaled_scores");
  assert.ok(server.requests.length - before <= 2);
});

test("a walk on its own page is followed as well once it has a room", async (context) => {
  const passes = stopTime(context);
  const { keys, sent } = await roomOf("");
  await passes(100); // the place where the room was opened is sent
  keys("ArrowRight");
  await passes(100);
  assert.equal(sent().step, "k");
});

test("who follows is counted", async () => {
  const { server, text } = await roomOf("projector");
  await server.send("counts", { listeners: 3, answers: {}, others: 0 });
  assert.equal(text(".room-entry .following"), "3");
});

test("how to get in moves to a corner as the walk goes on, and a key shows it large again", async () => {
  const { keys, all, find, element } = await roomOf("projector");
  keys("ArrowRight");
  assert.deepEqual([all("img.code").length, find(".room-card").classList.contains("corner")], [0, true]);
  keys("c");
  assert.equal(all("img.code").length, 1);
  keys("Escape");
  assert.deepEqual([all("img.code").length, element().dataset.view], [0, "projector"]);
});

test("the window that closes the code closes it in both", async () => {
  const { find, named, all } = await roomOf("projector");
  named("room card").click();
  assert.ok(find(".room-card").hidden);
  assert.equal(posted.at(-1).room.at.card, "");
  await receive("room", { card: "code" });
  assert.equal(all("img.code").length, 1);
});

test("a presenter's button says whether the code is shown", async () => {
  const { named } = await roomOf("presenter");
  assert.equal(named("room show code").getAttribute("aria-pressed"), "true");
  named("room show code").click();
  assert.equal(named("room show code").getAttribute("aria-pressed"), "false");
});

test("a room is ended at the second press, which does not wait for long", async (context) => {
  const passes = stopTime(context);
  const { named, server, text } = await roomOf("presenter");
  const end = named("room end");
  end.focus();
  end.click();
  assert.equal(end.textContent, "Press again to end the room");
  end.blur();
  assert.equal(end.textContent, "End the room");
  end.click();
  await passes(5000);
  assert.equal(end.textContent, "End the room");
  end.click();
  end.click();
  await settled();
  assert.equal(server.asked("DELETE", "/K7QF2M").length, 1);
  assert.equal(text('[data-focus="room follow"]'), "Invite audience");
});

test("a room that another window has ended is gone here, without a word", async () => {
  const { text, find } = await roomOf("projector");
  await receive("room", null);
  assert.equal(text('[data-focus="room follow"]'), "Invite audience");
  assert.ok(find(".room-card").hidden);
});

test("a tab that is reloaded keeps its room", async () => {
  const server = new RoomServer();
  const room = { code: "K7QF2M", key: "secret", card: "code", exercise: "", link: "" };
  const { text } = await walk("first", {
    place: { step: "q", view: "projector" },
    stored: { "mha-room": room },
  });
  await settled();
  assert.equal(text(".room-card .way strong"), "K7QF2M");
  assert.equal(server.streams.size, 1);
});

test("a room that the server no longer knows is said to be gone, and another can be opened", async (context) => {
  const passes = stopTime(context);
  const { server, text } = await roomOf("projector");
  server.status = 404;
  await server.lose();
  await passes(1000);
  assert.ok(text(".room-card [role=alert]").includes("Open another room"));
  assert.equal(text('[data-focus="room follow"]'), "Invite audience");
});

test("numbers that no link holds are not followed: the lecturer sees that, and the room sees that something else is shown", async (context) => {
  const passes = stopTime(context);
  const { server, answer, text, sent } = await roomOf("projector");
  await passes(100);
  server.requests.length = 0;
  answer({ ...payload("too large"), place: { step: "q", sub: "", view: "projector", predict: false } });
  await passes(100);
  assert.equal(text(".room-card [role=alert]"), "Too large to share: phones cannot show these numbers.");
  assert.equal(sent().away, true);
});

test("who follows sees that a projector was left, and not that a presenter's page moved", async (context) => {
  const passes = stopTime(context);
  const { keys, sent } = await roomOf("presenter");
  await receive("room", { away: true });
  await passes(100);
  keys("ArrowRight");
  await passes(100);
  assert.deepEqual([sent().step, sent().away], ["k", true]);
});

// --- questions ------------------------------------------------------------------------------------------------------------

test("choices need the words of a question first", async () => {
  const { named, text, server } = await roomOf("presenter");
  named("room choices 3").click();
  assert.ok(text(".room-desk [role=alert]").includes("Write the question first"));
  assert.equal(document.activeElement, named("room question"));
  assert.equal(server.asked("POST", "/questions").length, 0);
});

test("a question is sent with its choices, and shown as text without how many gave which", async () => {
  const page = await roomOf("projector");
  page.keys("a");
  assert.equal(document.activeElement, page.named("room question"));
  page.write("room question", "Which <b>one</b>?");
  page.write("room choice 1", "K <b>and</b> V");
  page.named("room choices 3").click();
  await settled();
  const question = { text: "Which <b>one</b>?", choices: ["", "K <b>and</b> V", ""] };
  assert.deepEqual(page.server.asked("POST", "/questions")[0].body, question);
  assert.equal(page.text(".room-card h3"), "Which <b>one</b>?");
  assert.deepEqual(page.texts(".room-card .offered li"), ["A", "B · K <b>and</b> V", "C"]);
  assert.ok(page.find(".walk > .room-desk").hidden);
  await page.server.send("counts", { listeners: 2, answers: { 2: 2 }, others: 0 });
  assert.equal(page.text(".room-card .answered"), "Answers: 2, phones: 2");
  assert.equal(page.all(".room-card .histogram").length, 0);
});

test("Escape closes the room's desk on the projector, which stays", async () => {
  const { keys, named, find, element } = await roomOf("projector");
  keys("a");
  press("Escape", named("room question"));
  assert.deepEqual([find(".walk > .room-desk").hidden, element().dataset.view], [true, "projector"]);
});

test("without a room phones cannot be asked, and a sentence says so", async () => {
  new RoomServer();
  const { keys, line } = await opened("projector");
  keys("a");
  assert.ok(line().includes("To poll the audience, open a room first"));
});

test("the presenter sees who answered what, and shows it to the audience or not", async () => {
  const { server, texts, named } = await questioned();
  await server.send("counts", { listeners: 2, answers: { 2: 2 }, others: 0 });
  assert.deepEqual(texts(".room-question .histogram .count"), ["0", "0", "2"]);
  assert.equal(named("room show poll").getAttribute("aria-pressed"), "false");
  named("room show poll").click();
  assert.deepEqual(
    [named("room show poll").getAttribute("aria-pressed"), posted.at(-1).room.at.early],
    ["true", 1],
  );
  named("room show poll").click();
  assert.deepEqual(
    [named("room show poll").getAttribute("aria-pressed"), posted.at(-1).room.at.early],
    ["false", 0],
  );
});

test("a question that is open is not replaced: by a number, by hands, or by another", async () => {
  const sentence = "A question is open on the phones. Close it first, or reveal its number.";
  const { named, text, all, find, keys, server } = await questioned();
  for (const focus of ["room predict cell", "hands"]) {
    named(focus).click();
    assert.equal(text(".room-question [role=alert]"), sentence);
    assert.ok(find(".hands").hidden);
    keys("ArrowRight", "ArrowLeft");
    assert.equal(all(".room-question [role=alert]").length, 0);
  }
  assert.equal(server.asked("POST", "/questions").length, 1);
});

test("while a question is open the projector offers to close it, and no other", async () => {
  const { named, keys, text, texts, server, all } = await questioned("projector");
  assert.ok(named("hands").hidden && named("ask").hidden && !named("room close").hidden);
  keys("h");
  assert.ok(text(".room-card [role=alert]").includes("A question is open"));
  await server.send("counts", { listeners: 2, answers: { 2: 2 }, others: 0 });
  named("room close").click();
  await settled();
  assert.equal(server.asked("DELETE", "/questions/1").length, 1);
  assert.ok(named("room close").hidden);
  assert.equal(all(".room-card [role=alert]").length, 0);
  assert.deepEqual(texts(".room-card .histogram .count"), ["0", "0", "2"]);
});

test("the lecturer's own question of a step is asked with one press", async () => {
  const { named, text, texts } = await roomOf("presenter", {}, "questions");
  assert.equal(named("room question").value, "What does it look for?");
  named("room choices 3").click();
  await settled();
  assert.equal(text(".room-question h3"), "What does it look for?");
  assert.deepEqual(texts(".room-question .answer-label"), ["A · <i>X</i>", "B", "C"]);
});

test("a number is hidden and asked for, and its answers are shown once it is revealed", async () => {
  const { named, server, text, texts, all, cell, keys, find, line } = await roomOf("projector", {
    step: "k",
    sub: "2",
  });
  keys("q");
  await settled();
  const asked = { text: "", cell: { name: "k", head: 0, row: 0, col: 1 } };
  assert.deepEqual(server.asked("POST", "/questions")[0].body, asked);
  assert.equal(text(".room-card h3"), "Which number goes in K[思考, 2] of head 1?");
  assert.ok(line().includes("K[思考, 2] = ?"));
  const right = String(payload("first").matrices.k.values[0][0][1]);
  await server.send("counts", { listeners: 2, answers: { [right]: 1, "-4": 1 }, others: 0 });
  assert.deepEqual([text(".answered"), all(".room-card .histogram").length], ["Answers: 2, phones: 2", 0]);
  keys("c");
  assert.equal(all("img.code").length, 1);
  keys("c");
  assert.deepEqual([all("img.code").length, text(".answered")], [0, "Answers: 2, phones: 2"]);
  named("reveal").click();
  await settled();
  assert.equal(all(".room-card .histogram li").length, 2);
  assert.ok(text(".room-card .histogram .right").includes(`${right} ✓`));
  assert.equal(cell("k|0|0|1").textContent, right);
  assert.equal(server.asked("DELETE", "/questions/1").length, 1);
  keys("ArrowRight");
  await settled();
  const next = server.asked("POST", "/questions")[1].body;
  assert.deepEqual(next.cell, { ...asked.cell, row: 1, col: 0 }); // each number that the walk comes to
  assert.equal(texts(".room-card .histogram li").length, 0);
  assert.ok(find(".room-card"));
});

test("a presenter asks for the number of one place, and for none after it", async () => {
  const { named, server, keys, cell, find } = await roomOf("presenter", { step: "k", sub: "2" });
  named("room predict cell").click();
  await settled();
  assert.equal(server.asked("POST", "/questions").length, 1);
  await server.send("counts", { listeners: 2, answers: { "-4": 1 }, others: 0 });
  keys("Enter");
  await settled();
  named("hands").click();
  const right = String(payload("first").matrices.k.values[0][0][1]);
  assert.deepEqual([find(".hands").hidden, cell("k|0|0|1").textContent], [false, right]); // what is revealed stays so
  keys("ArrowRight");
  assert.equal(cell("k|0|1|0").textContent, String(payload("first").matrices.k.values[0][1][0]));
});

// --- the exercise of the day ------------------------------------------------------------------------------------------------

test("an exercise is handed out by its step, or by the link of any", async (context) => {
  const passes = stopTime(context);
  const { choose, write, sent, text, all, named } = await roomOf("presenter");
  await passes(100);
  choose("room exercise", "weights");
  await passes(100);
  assert.deepEqual([sent().exercise, sent().link], ["weights", ""]);
  write("room link", "https://elsewhere.example/check?example=first&ask=weights");
  const refused = "This is not a link to an exercise on this server. Copy one from “Check my numbers”.";
  assert.equal(text(".room-desk [role=alert]"), refused);
  const { href } = new URL("check", new URL("../../../web/kit/root.js", import.meta.url));
  write("room link", `${href}?example=causal&ask=scores&seed=7&lang=zh`);
  await passes(100);
  assert.equal(all(".room-desk [role=alert]").length, 0);
  assert.deepEqual([sent().exercise, new URLSearchParams(sent().link).get("ask")], ["", "scores"]);
  choose("room exercise", "");
  await passes(100);
  assert.deepEqual([sent().exercise, sent().link, named("room exercise").value], ["", "", ""]);
});
