// The page Models without a page: where its visitor stands, in which order heads come, words of pieces, pictures and
// the part of them that is shown, and what of a binary message is which array.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unpacked } from "../../web/kit/binary.js";
import { Store } from "../../web/kit/storage.js";
import { revealing, shifted, whole, zoomed } from "../../web/models/head/map_window.js";
import { kinds, measureOf, ordered } from "../../web/models/overview/head_order.js";
import {
  blended,
  contrast,
  differences,
  levelsOf,
  mostOf,
  readable,
  shaded,
  signed,
  weightsOf,
} from "../../web/models/paint.js";
import {
  aboveChance,
  counterpart,
  mapOf,
  measuresOf,
  mostShifted,
  products,
  readNumbers,
  readRun,
  restOf,
  topOf,
  unmatchedWeight,
  weightShifts,
} from "../../web/models/runs.js";
import { StoredWork } from "../../web/models/stored_work.js";
import { groups, inPieces, joined, merged, numbered } from "../../web/models/tokens/words.js";
import { fitted, missingFrom, placeIn, queryOf, START, unreadableIn } from "../../web/models/view_address.js";
import { behaviour, captionOf, percent, shuffledSentences } from "../../web/models/wording.js";

// --- places --------------------------------------------------------------------------------------------------------

const PLACE = {
  model: "own",
  texts: ["小猫 & <b>", "a=b?"],
  head: [1, 2],
  token: 4,
  off: [
    [0, 1],
    [1, 0],
  ],
  guess: 3,
  by: "-entropy",
  only: "same_word",
  drawn: "map",
  pair: { query: 2, key: 0 },
  shows: "second",
  hides: true,
  steps: 12,
};

test("an address leads where its visitor stood", () => {
  assert.deepEqual(placeIn(new URLSearchParams(queryOf(PLACE))), PLACE);
  const query = String(new URLSearchParams(queryOf(PLACE)));
  assert.deepEqual(placeIn(new URLSearchParams(query)), PLACE);
});

test("on screen and in addresses counting begins at 1, and what is as usual is left out", () => {
  assert.deepEqual(queryOf(PLACE), {
    model: "own",
    text: "小猫 & <b>",
    second: "a=b?",
    head: "2.3",
    token: "5",
    off: "1.2_2.1",
    guess: "4",
    by: "-entropy",
    only: "same_word",
    drawn: "map",
    pair: "3.1",
    shows: "second",
    hides: "special",
    next: "12",
  });
  assert.deepEqual(queryOf({ ...START, model: "own", texts: ["a"] }), { model: "own", text: "a" });
});

test("an address that says nothing of models is none", () => {
  assert.equal(placeIn(new URLSearchParams("?example=first&lang=zh&cell=2.3")), null);
  assert.deepEqual(placeIn(new URLSearchParams("head=2.3")), { ...START, head: [1, 2] });
});

test("what could be no place is passed over", () => {
  for (const [name, bad] of [
    ["head", ["0.1", "a.b", "1", "1.2.3", "-1.1", "99999.1", "__proto__"]],
    ["token", ["0", "-1", "1e3", "x", "1234567"]],
    ["off", ["_", "1.0", "x_y"]],
    ["by", ["<b>", "A", "--entropy", "x".repeat(60)]],
    ["drawn", ["<b>", "Map"]],
    ["shows", ["difference", "third", "<b>"]],
    ["hides", ["1", "true", "<b>"]],
    ["next", ["0", "-1", "1.5", "x"]],
    ["pair", ["0.1", "3", "1.2.3", "x.y"]],
  ])
    for (const value of bad) {
      const found = placeIn(new URLSearchParams({ text: "a", [name]: value }));
      assert.deepEqual(found, { ...START, texts: ["a"] }, `${name}=${value}`);
    }
});

test("what cannot be read of an address is said as it stands there", () => {
  const query = new URLSearchParams({ head: "2.x", by: "<b>magic", only: "pair", off: "1.2_x" });
  assert.deepEqual(unreadableIn(query), { head: "2.x", by: "<b>magic", only: "", off: "1.2_x" });
  assert.deepEqual(unreadableIn(new URLSearchParams()), { head: "", by: "", only: "", off: "" });
});

test("a session that began without the work is sent it once, and otherwise keeps its own", () => {
  const held = new Map();
  const tab = { getItem: (key) => held.get(key) ?? null, setItem: (key, text) => held.set(key, text) };
  const loaded = (began) => new StoredWork(new Store(() => /** @type {any} */ (tab)), began);
  const [fresh, own] = [{ example: "first" }, { s: "1abc", lang: "zh" }];
  const before = loaded(true);
  assert.equal(before.update("one", fresh), null);
  assert.equal(before.update("one", own), null);
  const after = loaded(true);
  assert.deepEqual(after.update("two", fresh), own);
  assert.equal(after.update("two", fresh), null); // it has not got there yet
  assert.equal(after.update("three", { ...own, decimals: "2" }), null); // whatever became of it
  assert.deepEqual(after.update("four", fresh), { ...own, decimals: "2" }); // another server, the page still there
  assert.equal(loaded(false).update("five", fresh), null);
  held.set("mha.models.work", "{no");
  assert.equal(loaded(true).update("six", fresh), null);
});

/** A run of 2 layers × 2 heads on three tokens, with one measure. */
const run = (more = {}) => ({
  model: "own",
  layers: 2,
  heads: 2,
  guesses: true,
  masks: [[]],
  measures: ["previous", "entropy"],
  aligned: [],
  differences: null,
  sentences: [
    {
      n: 3,
      texts: ["[CLS]", "a", "b"],
      labels: ["first_token", "none", "previous", "previous"],
      unsure: ["", "", "", ""],
      measured: Float32Array.of(0.1, 0.9, 0.4, 0.8, 0.9, 0.2, 0.7, 0.3),
      chance: new Float32Array(8).fill(0.25),
      places: [2, 3],
      special: [true, false, false],
    },
  ],
  ...more,
});

test("what an address names and the model has not is left out", () => {
  const far = {
    ...PLACE,
    head: [7, 7],
    off: [
      [0, 0],
      [5, 0],
    ],
    token: 9,
    guess: 2,
    by: "magic",
    only: "pair",
    pair: { query: 1, key: 9 },
  };
  assert.deepEqual(fitted(far, run()), {
    ...far,
    head: [1, 0],
    off: [[0, 0]],
    token: null,
    by: "",
    only: "",
    pair: null,
    steps: 0,
  });
  assert.deepEqual(missingFrom(far, fitted(far, run()), run()), {
    head: "8.8",
    by: "magic",
    only: "pair",
    off: "6.1",
  });
  const none = { head: "", by: "", only: "", off: "" };
  assert.deepEqual(missingFrom(PLACE, PLACE, { layers: 2, heads: 3 }), none);
  const masked = fitted({ ...PLACE, guess: null }, run({ masks: [[1]] }));
  assert.deepEqual([masked.guess, fitted({ ...PLACE, guess: null }, run()).guess], [1, 2]);
  const cannot = fitted({ ...PLACE, token: 2, guess: 1, only: "" }, run({ guesses: false }));
  assert.deepEqual([cannot.off, cannot.guess, cannot.token, cannot.by], [[], null, 2, "-entropy"]);
});

test("to begin with a head is shown that does something among words, where there is one", () => {
  assert.deepEqual(fitted(START, run()).head, [1, 0]);
  const [sentence] = run().sentences;
  const idle = run({ sentences: [{ ...sentence, labels: ["none", "first_token", "none", "separators"] }] });
  assert.deepEqual(fitted(START, idle).head, [0, 0]);
});

test("heads can be sorted by how two sentences differ only where there are two", () => {
  assert.equal(fitted({ ...PLACE, by: "difference" }, run()).by, "");
  const two = run({ differences: Float32Array.of(0.1, 0.4, 0.2, 0.3) });
  assert.equal(fitted({ ...PLACE, by: "difference" }, two).by, "difference");
});

test("what a sentence has more than once is numbered", () => {
  const texts = ["the", "cat", "the", "mat", ",", ...Array(11).fill("so")];
  const named = numbered(texts);
  assert.deepEqual(named.slice(0, 5), ["the₁", "cat", "the₂", "mat", ","]);
  assert.equal(named.at(-1), "so₁₁");
  const tokens = { texts: ["un", "##do", "un", "##do"], words: [0, 0, 1, 1], special: Array(4).fill(false) };
  assert.deepEqual(joined(tokens, groups(tokens)), ["undo₁", "undo₂"]);
});

// --- order ---------------------------------------------------------------------------------------------------------

test("heads come in the model's order, by a measure either way, and those of one kind alone", () => {
  assert.deepEqual(ordered(run(), { by: "", only: "" }), [0, 1, 2, 3]);
  assert.deepEqual(ordered(run(), { by: "previous", only: "" }), [2, 3, 1, 0]);
  assert.deepEqual(ordered(run(), { by: "-entropy", only: "" }), [2, 3, 1, 0]);
  assert.deepEqual(ordered(run(), { by: "entropy", only: "" }), [0, 1, 3, 2]);
  assert.deepEqual(ordered(run(), { by: "", only: "previous" }), [2, 3]);
  const two = run({ differences: Float32Array.of(0.1, 0.4, 0.2, 0.3) });
  assert.deepEqual(ordered(two, { by: "difference", only: "" }), [1, 3, 2, 0]);
});

test("heads that are alike keep the model's order, and one without a number comes last", () => {
  const [sentence] = run().sentences;
  const measured = Float32Array.of(0.5, 0, 0.5, 0, Number.NaN, 0, 0.6, 0);
  const some = run({ sentences: [{ ...sentence, measured }] });
  assert.deepEqual(ordered(some, { by: "previous", only: "" }), [3, 0, 1, 2]);
  assert.deepEqual(ordered(some, { by: "-previous", only: "" }), [0, 1, 3, 2]);
});

test("of two sentences the larger measure counts", () => {
  const [sentence] = run().sentences;
  const other = { ...sentence, measured: sentence.measured.map((number) => 1 - number) };
  const two = run({ sentences: [sentence, other] });
  assert.ok(Math.abs(measureOf(two, "previous", 0) - 0.9) < 1e-6);
  assert.ok(Math.abs(measureOf(two, "previous", 2) - 0.9) < 1e-6);
});

test("what heads do is counted, the most frequent first, and last those that do nothing with a name", () => {
  assert.deepEqual(kinds(run()), [
    ["previous", 2],
    ["first_token", 1],
    ["none", 1],
  ]);
  const [sentence] = run().sentences;
  const some = { ...sentence, labels: ["none", "none", "none", "pair"], unsure: ["", "previous", "", ""] };
  const few = run({ sentences: [some] });
  assert.deepEqual(kinds(few), [
    ["pair", 1],
    ["none", 2],
    ["unsure", 1],
  ]);
  assert.deepEqual(ordered(few, { by: "", only: "unsure" }), [1]);
  assert.equal(fitted({ ...START, only: "unsure" }, few).only, "unsure");
  assert.equal(fitted({ ...START, only: "unsure" }, run()).only, "");
});

test("a head's measures stand beside what chance gives", () => {
  const [sentence] = run().sentences;
  const [first, second] = measuresOf(run(), sentence, 2);
  assert.equal(first.name, "previous");
  assert.ok(Math.abs(first.number - 0.9) < 1e-6 && Math.abs(second.number - 0.2) < 1e-6);
  assert.equal(first.chance, 0.25);
  assert.deepEqual([first.places, second.places], [2, 3]);
});

test("where nothing is certain the measure is named that is farthest above chance, if one is above it", () => {
  const [sentence] = run().sentences;
  const above = (...measured) => {
    const one = {
      ...sentence,
      measured: Float32Array.of(...measured),
      chance: new Float32Array(4).fill(0.25),
    };
    return aboveChance(run({ measures: ["previous", "next", "first_token", "entropy"] }), one, 0)?.name;
  };
  assert.equal(above(0.3, 0.4, 0.9, 1), "next");
  assert.equal(above(0.25, Number.NaN, 0.9, 1), undefined);
});

test("a head that looks mostly at what is not a word is described so, and at what", () => {
  const [sentence] = run().sentences;
  const texts = ["[CLS]", "a", "b", "[SEP]"];
  const special = [true, false, false, true];
  const resting = (...measured) => {
    const one = { ...sentence, texts, special, measured: Float32Array.of(...measured) };
    return restOf(run({ measures: ["first_token", "separators"] }), one, 0);
  };
  assert.deepEqual(resting(0.75, 0.0625), { number: 0.75, tokens: ["[CLS]"] });
  assert.deepEqual(resting(0.25, 0.5), { number: 0.75, tokens: ["[CLS]", "[SEP]"] });
  assert.equal(resting(0.25, 0.25), null);
  assert.equal(resting(Number.NaN, Number.NaN), null);
});

test("two sentences begin with the head that differs most, and the token that differs", () => {
  const [sentence] = run().sentences;
  const two = run({
    sentences: [sentence, { ...sentence, texts: ["[CLS]", "a", "c"] }],
    aligned: [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
    differences: Float32Array.of(0.1, 0.2, 0.5, 0.3),
  });
  const place = fitted({ ...START, texts: ["a b", "a c"] }, two);
  assert.deepEqual([place.head, place.token], [[1, 0], 2]);
  assert.equal(fitted({ ...START, head: [0, 0] }, two).token, null);
});

// --- pieces and words ----------------------------------------------------------------------------------------------

const PIECES = {
  texts: ["[CLS]", "play", "##ing", "cat", "##s", "##!", "[SEP]"],
  words: [null, 0, 0, 1, 1, 1, null],
  special: [true, false, false, false, false, false, true],
};

test("pieces of a word stand together, special tokens alone", () => {
  assert.deepEqual(groups(PIECES), [[0], [1, 2], [3, 4, 5], [6]]);
  assert.deepEqual(groups({ ...PIECES, words: [null, null, 0, 0, 1, 2, 2] }), [
    [0],
    [1],
    [2, 3],
    [4],
    [5, 6],
  ]);
  assert.ok(inPieces(PIECES));
  assert.ok(!inPieces({ ...PIECES, words: [null, 0, 1, 2, 3, 4, null] }));
  assert.deepEqual(joined(PIECES, groups(PIECES)), ["[CLS]", "playing", "cats!", "[SEP]"]);
  assert.deepEqual(joined(PIECES, [[1], [2]]), ["play", "##ing"]);
});

test("to a word goes the sum over its tokens, from a word the mean of its pieces", () => {
  const words = [[0], [1, 2]];
  const weights = Float32Array.of(0.5, 0.25, 0.25, 0.2, 0.3, 0.5, 0.6, 0.1, 0.3);
  const found = [...merged(weights, 3, words)].map((number) => Math.round(number * 1e6) / 1e6);
  assert.deepEqual(found, [0.5, 0.5, 0.4, 0.6]);
});

test("rows of words add up to 1 as those of pieces do", () => {
  const n = 7;
  const weights = new Float32Array(n * n).map((_, at) => ((at * 37) % 11) + 1);
  for (let row = 0; row < n; row++) {
    const sum = weights.subarray(row * n, (row + 1) * n).reduce((a, b) => a + b, 0);
    for (let col = 0; col < n; col++) weights[row * n + col] /= sum;
  }
  const found = merged(weights, n, groups(PIECES));
  for (let row = 0; row < 4; row++)
    assert.ok(Math.abs(found.subarray(row * 4, row * 4 + 4).reduce((a, b) => a + b, 0) - 1) < 1e-5);
});

// --- pictures ------------------------------------------------------------------------------------------------------

const WHITE = [255, 255, 255];
const BLACK = [18, 22, 28]; // the dark page's background

test("in the dark every weight has at least the contrast to its ground that it has in the light", () => {
  const [light, dark] = [
    { colour: [86, 97, 113], ground: WHITE }, // the palette's `muted`, which most heads have
    { colour: [154, 165, 181], ground: BLACK },
  ];
  for (let level = 13; level < 256; level++) {
    const shown = [light, dark].map(({ colour, ground }) => {
      const pixels = shaded(Uint8Array.of(level, level), 1, { colour, ground }, 0);
      return [3, 7].map((at) => contrast(blended(colour, ground, pixels[at] / 255), ground));
    });
    for (const at of [0, 1]) assert.ok(shown[1][at] >= shown[0][at], `${level} ${at}: ${shown}`);
  }
});

test("a picture's opacity is the level, and rows step back behind the one that is chosen", () => {
  assert.deepEqual(
    [...shaded(Uint8Array.of(0, 255, 100, 50), 2, { colour: [1, 2, 3], ground: WHITE }, null)],
    [1, 2, 3, 0, 1, 2, 3, 255, 1, 2, 3, 100, 1, 2, 3, 50],
  );
  const chosen = shaded(Uint8Array.of(200, 200, 200, 200), 2, { colour: [0, 0, 0], ground: WHITE }, 1);
  assert.deepEqual([chosen[3], chosen[7], chosen[11], chosen[15]], [50, 50, 200, 200]);
});

test("a chosen row that is too low to be seen is drawn over the rows beside it, as far as there are any", () => {
  const rows = Uint8Array.from({ length: 64 }, (_, at) => at);
  const opacities = (/** @type {number} */ row) =>
    [...shaded(rows, 1, { colour: [0, 0, 0], ground: WHITE }, row)].filter((_, at) => at % 4 === 3);
  assert.deepEqual(opacities(20).slice(17, 24), [4, 20, 20, 20, 20, 20, 6]);
  assert.deepEqual(opacities(0).slice(0, 4), [0, 0, 0, 1]);
});

test("levels are 255·√weight, and lead back to the weight", () => {
  const levels = levelsOf(Float32Array.of(0, 0.25, 1));
  assert.deepEqual([...levels], [0, 127.5, 255]);
  for (let level = 0; level < 256; level++)
    assert.ok(Math.abs(weightsOf(Uint8Array.of(level))[0] - (level / 255) ** 2) < 1e-6);
});

test("differences have a colour for more and one for less", () => {
  const both = { more: [9, 0, 0], less: [0, 0, 9], ground: WHITE };
  const pixels = signed(Float32Array.of(0.25, -0.25, 0, -4), 2, both, null, 1);
  assert.deepEqual([...pixels.subarray(0, 8)], [9, 0, 0, 128, 0, 0, 9, 128]);
  assert.equal(pixels[11], 0);
  assert.equal(pixels[15], 255);
});

test("the fullest colour is that of the largest difference, of a chosen row its own", () => {
  const numbers = Float32Array.of(0.1, -0.04, 0.01, 0);
  assert.ok(Math.abs(mostOf(numbers, 2, null) - 0.1) < 1e-6);
  assert.ok(Math.abs(mostOf(numbers, 2, 1) - 0.01) < 1e-6);
  const both = { more: [9, 0, 0], less: [0, 0, 9], ground: WHITE };
  const pixels = signed(numbers, 2, both, 1, mostOf(numbers, 2, 1));
  assert.equal(pixels[11], 255);
  assert.ok(pixels[3] >= 0.5 * 255); // other rows can still be seen
});

test("a number in a cell is in the colour that is read best on it", () => {
  const [ink, paper, red] = [
    [20, 24, 30],
    [255, 255, 255],
    [200, 60, 60],
  ];
  assert.deepEqual(blended(red, paper, 0.5), [227.5, 157.5, 157.5]);
  assert.equal(readable(blended(red, paper, 0.5), [ink, paper]), ink);
  assert.equal(readable(red, [ink, paper]), paper);
  assert.equal(readable(paper, [ink, paper]), ink);
});

test("maps differ over the tokens that both have", () => {
  const first = Float32Array.of(1, 2, 3, 4);
  const second = Float32Array.of(10, 20, 30, 40, 50, 60, 70, 80, 90);
  assert.deepEqual(
    [
      ...differences(first, second, 2, 3, [
        [0, 0],
        [1, 2],
      ]),
    ],
    [9, 28, 67, 86],
  );
  assert.equal(differences(first, second, 2, 3, []).length, 0);
});

// --- what is said of tokens -------------------------------------------------------------------------------------------

const SEEN = {
  n: 2,
  side: 2,
  maps: Uint8Array.from({ length: 12 }, (_, at) => at),
  keys: Uint16Array.of(1, 0, 0, 1, 1, 1),
  tops: Float32Array.of(0.5, 0.75, 1, 0.25, 0.5, 0.5),
};

test("of each head its own map and its own top", () => {
  assert.deepEqual([...mapOf(SEEN, 2)], [8, 9, 10, 11]);
  assert.deepEqual(topOf(SEEN, 1, 0), { key: 0, weight: 1 });
  assert.deepEqual(topOf(SEEN, 0, 1), { key: 0, weight: 0.75 });
});

test("where a token looks in both, the largest difference first", () => {
  const aligned = [
    [0, 0],
    [2, 1],
  ];
  const two = run({ aligned });
  assert.equal(counterpart(two, 2), 1);
  assert.equal(counterpart(two, 1), null);
  assert.equal(counterpart(two, null), null);
  assert.deepEqual(weightShifts(aligned, Float32Array.of(0.5, 0, 0.5), Float32Array.of(0.25, 0.125)), [
    { key: 2, first: 0.5, second: 0.125 },
    { key: 0, first: 0.5, second: 0.25 },
  ]);
});

test("weight on tokens that the other sentence lacks is summed up for each sentence that has such", () => {
  const aligned = [
    [0, 0],
    [1, 2],
  ];
  const [first, second] = [Float32Array.of(0.25, 0.75), Float32Array.of(0.125, 0.5, 0.25, 0.125)];
  assert.deepEqual(unmatchedWeight(aligned, first, second), [{ first: null, second: 0.625 }]);
  const swapped = aligned.map(([one, other]) => [other, one]);
  assert.deepEqual(unmatchedWeight(swapped, second, first), [{ first: 0.625, second: null }]);
  assert.deepEqual(unmatchedWeight([[0, 0]], first, second), [
    { first: 0.75, second: null },
    { first: null, second: 0.875 },
  ]);
});

test("where a head has all its weight in one place nothing is said of the rest", () => {
  const words = {
    and: " and ",
    told_none: "none",
    told_unsure: "{kind}",
    told_rests: "{where} {number}, then {told}",
    told_rests_alone: "{where} {number}",
    kind_separators: "separators",
  };
  const [sentence] = run().sentences;
  const told = (number, unsure) => {
    const one = {
      texts: ["[CLS]", "a", "[SEP]"],
      special: [true, false, true],
      labels: ["none"],
      unsure: [unsure],
      measured: Float32Array.of(number),
      chance: Float32Array.of(0.5),
    };
    return behaviour(words, run({ measures: ["separators"], sentences: [{ ...sentence, ...one }] }), 0);
  };
  assert.equal(told(1, ""), "[SEP] 100%");
  assert.equal(told(0.75, "separators"), "[SEP] 75%");
  assert.equal(told(0.75, ""), "[SEP] 75%, then none");
});

test("a share is a percentage, and what is neither nothing nor all does not read as if it were", () => {
  const shares = [0, 0.001, 0.005, 0.0949, 0.5, 0.995, 0.999, 1];
  assert.deepEqual(shares.map(percent), ["0%", "<1%", "<1%", "9%", "50%", ">99%", ">99%", "100%"]);
});

test("of other orders only those measures are told that places or words alone decide", () => {
  const words = {
    shuffle_about: "◇",
    shuffle_places: "{names}: places",
    shuffle_words: "{names}: words",
    kind_previous: "previous token",
    kind_itself: "itself",
    kind_same_word: "same word",
    kind_pair: "pair",
  };
  const shuffled = Float32Array.of();
  const told = (...measures) => shuffledSentences(words, { measures, shuffled });
  assert.deepEqual(told("previous", "itself", "same_word", "pair"), [
    "◇",
    "previous token: places",
    "itself · same word: words",
  ]);
  assert.deepEqual(told("pair"), ["◇"]);
});

test("the head in which a token changes most is named", () => {
  const [sentence] = run().sentences;
  const two = run({
    layers: 1,
    heads: 3,
    sentences: [{ ...sentence, n: 2 }],
    shifts: Float32Array.of(0.5, 0.1, -0.75, Number.NaN, 0.25, -0.2),
  });
  assert.equal(mostShifted(two, 0), 1);
  two.shifts[3] = 0.05;
  assert.equal(mostShifted(two, 1), 2);
});

test("the products of a pair are those of its query and its key", () => {
  const numbers = { d: 2, q: Float32Array.of(1, 2, 3, 4), k: Float32Array.of(5, 6, 7, 8) };
  assert.deepEqual(products(numbers, 1, 0), [
    { q: 3, k: 5, product: 15 },
    { q: 4, k: 6, product: 24 },
  ]);
});

// --- the part of a map that is shown ----------------------------------------------------------------------------------

test("nearer and further keep what lies under the point, and stay within the map", () => {
  const start = whole(100);
  const near = zoomed(start, 0.5, { x: 0, y: 1 }, 100);
  assert.deepEqual(near, { row: 50, col: 0, size: 50 });
  assert.deepEqual(zoomed(near, 10, { x: 0.3, y: 0.8 }, 100), start);
  assert.equal(zoomed(near, 0.001, { x: 0.5, y: 0.5 }, 100).size, 8);
  assert.deepEqual(zoomed(whole(5), 0.1, { x: 0.5, y: 0.5 }, 5), whole(5));
});

test("moving stops at the edges", () => {
  const near = { row: 10, col: 10, size: 20 };
  assert.deepEqual(shifted(near, -50, 100, 64), { row: 0, col: 44, size: 20 });
  assert.deepEqual(shifted(near, 1.4, -1.6, 64), { row: 11, col: 8, size: 20 });
});

test("a pair comes into sight by the shortest way", () => {
  const near = { row: 10, col: 10, size: 20 };
  assert.deepEqual(revealing(near, { query: 12, key: 29 }, 64), near);
  assert.deepEqual(revealing(near, { query: 30, key: 9 }, 64), { row: 11, col: 9, size: 20 });
  assert.deepEqual(revealing(near, { query: 63, key: 0 }, 64), { row: 44, col: 0, size: 20 });
});

// --- messages --------------------------------------------------------------------------------------------------------

/** A message as Python packs it. */
function message(header, arrays) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil((4 + text.length) / 8) * 8 - 4;
  const parts = arrays.map((array) => new Uint8Array(array.buffer));
  const size = (bytes) => Math.ceil(bytes / 8) * 8;
  const data = new Uint8Array(4 + padded + parts.reduce((sum, part) => sum + size(part.length), 0)).fill(32);
  new DataView(data.buffer).setUint32(0, padded, true);
  data.set(text, 4);
  let at = 4 + padded;
  for (const part of parts) {
    data.set(part, at);
    at += size(part.length);
  }
  return data.buffer;
}

test("a message's arrays are found in their order, each in its own type", () => {
  const header = {
    texts: "小猫",
    arrays: [
      ["a", "uint8", [3]],
      ["b", "float32", [1, 2]],
      ["c", "uint16", [1]],
    ],
  };
  const data = message(header, [Uint8Array.of(1, 2, 3), Float32Array.of(0.5, -2), Uint16Array.of(500)]);
  const found = unpacked(data);
  assert.equal(found.header.texts, "小猫");
  assert.deepEqual([...found.arrays.a], [1, 2, 3]);
  assert.deepEqual([...found.arrays.b], [0.5, -2]);
  assert.deepEqual([...found.arrays.c], [500]);
});

test("a head's numbers have a softcap and numbers that are added, or only weights and why", () => {
  const header = { n: 2, d: 1, divisor: 4, root: false, softcap: 50, sink: 0.5, unexplained: "" };
  const arrays = {
    weights: [1, 0, 0.5, 0.5],
    scores: [3, -Infinity, 5, 6],
    q: [1, 2],
    k: [3, 4],
    added: [0, 0, -1, 0],
  };
  const typed = Object.fromEntries(Object.entries(arrays).map(([name, of]) => [name, new Float32Array(of)]));
  const { factors, m } = readNumbers({ header, arrays: typed });
  assert.deepEqual([m, factors.divisor, factors.root, factors.softcap, factors.sink], [2, 4, false, 50, 0.5]);
  assert.deepEqual([factors.score(0, 1), factors.score(1, 0), factors.added(1, 0)], [-Infinity, 5, -1]);
  const { added, ...others } = typed;
  assert.equal(readNumbers({ header, arrays: others }).factors.added(1, 0), 0);
  const alone = readNumbers({ header: { n: 2, unexplained: "Why." }, arrays: { weights: typed.weights } });
  assert.deepEqual([alone.factors, alone.unexplained], [null, "Why."]);
});

test("a run is read sentence by sentence", () => {
  const header = { model: "own", sentences: [{ texts: ["a", "b"] }, { texts: ["c"] }], arrays: [] };
  const arrays = { "0.tops": 1, "1.tops": 2, differences: 3 };
  const found = readRun({ header, arrays });
  assert.deepEqual(
    found.sentences.map(({ n, tops }) => [n, tops]),
    [
      [2, 1],
      [1, 2],
    ],
  );
  assert.equal(found.differences, 3);
  assert.equal(readRun({ header, arrays: {} }).differences, null);
});

test("below heads that were chosen for what they do is how much they do it", () => {
  const sentence = { labels: ["same_word", "none"], measured: Float32Array.of(0.4, 0.9, 0.1, 0.2) };
  const run = /** @type {any} */ ({
    layers: 1,
    heads: 2,
    measures: ["previous", "same_word"],
    sentences: [sentence],
  });
  const words = { kind_same_word: "same word", kind_unsure: "too few" };
  /** @type {(only: string, by?: string) => string[]} */
  const caption = (only, by = "") => captionOf(words, run, { token: null, by, only }, 0, "first");
  assert.deepEqual(caption("same_word"), ["", "90%"]);
  assert.deepEqual(caption("same_word", "previous"), ["", "40%"]);
  assert.deepEqual(caption(""), ["same word", ""]);
  assert.deepEqual(caption("unsure"), ["same word", ""]); // no measure has this name
});
