// One token followed through a head, and what each head does with it, in sentences. All of them are computed from the
// present numbers, so they hold for any.

import { element, fillNodes, symbol } from "../kit/dom.js";
import {
  headOf,
  isDead,
  isHidden,
  isPerHead,
  numberOf,
  requireRows,
  requireValue,
  rowsOf,
  symbolOf,
  termsOf,
} from "../kit/graph.js";
import { brief } from "../kit/numbers.js";

const MOST = 4; // numbers of a row that a sentence has in full
const NEAR = 1e-9; // weights that differ by less are equal
const PROJECTIONS = ["q", "k", "v"];
const WEIGHTS = ["w_q", "w_k", "w_v"];

/** A query and the key that it looks most at. @typedef {{ query: number; key: number; weight: number }} Glance */

/**
 * What a stage, or one of its steps, does to the token that is followed; nothing where there is no such sentence.
 * @param {WalkModel} model
 * @param {WalkStage} stage
 * @param {WalkStep | null} step
 * @returns {Child[]}
 */
export function followed(model, stage, step) {
  if (stage.kind === "closing") return severalHeads(model);
  if (stage.kind === "tokens") return fromStartToHead(model);
  if (stage.head === null) return [];
  if (stage.kind === "head" && !step) return ofHead(model, stage.head);
  const glance = glanceOf(model, stage.head);
  return glance && step && stage.kind === "step" ? ofStep(model, stage.head, step, glance) : [];
}

/**
 * The number of a step that belongs to the token that is followed; null where none is.
 * @type {(model: WalkModel, stage: WalkStage, step: WalkStep) => Cell | null}
 */
export function cellFollowed(model, stage, { name }) {
  const first = glanceOf(model, stage.kind === "step" ? (stage.head ?? 0) : 0);
  if (!first) return null;
  const glance = stage.kind === "head" ? topOf(model, stage.head ?? 0, first.query) : first;
  const [down, across] = model.matrices[name].axes;
  const row = down === "n_q" ? first.query : glance?.key;
  const col = across === "n_k" ? glance?.key : 0;
  const head = isPerHead(model, name) ? headOf(model, name, stage.head ?? 0) : null;
  return row === undefined || col === undefined ? null : { name, head, row, col };
}

/** What the token that is followed begins with, and what the first head will make of it. @param {WalkModel} model */
function fromStartToHead(model) {
  const glance = glanceOf(model, 0);
  const row = vector(model, "x", null, glance?.query ?? 0);
  const result = vector(model, "head_outputs", 0, glance?.query ?? 0);
  if (!glance || !row || !result) return [];
  const step = model.stages.findIndex(({ steps }) => steps.some(({ name }) => name === "head_outputs")) + 1;
  return fillNodes(model.words.follow_start, {
    query: nameOfQuery(model, glance.query),
    key: nameOfKey(model, glance.key),
    row: [row],
    result: [result],
    step: [String(step)],
  });
}

/** @type {(model: WalkModel, head: number, step: WalkStep, glance: Glance) => Child[]} */
function ofStep(model, head, step, glance) {
  if (PROJECTIONS.includes(step.name)) return projected(model, head, step, glance);
  if (step.name === "scores") return scored(model, head, glance);
  if (step.name === "weights") return weighted(model, head, glance);
  return step.name === "head_outputs" ? mixed(model, head, glance) : [];
}

/**
 * A row of the inputs becomes a query, a key or a value, by one row of the matrix where it has one number.
 * @type {(model: WalkModel, head: number, step: WalkStep, glance: Glance) => Child[]}
 */
function projected(model, head, { name, operands }, { query, key }) {
  const at = name === "q" ? query : key;
  const row = vector(model, operands[0][0], head, at);
  const result = vector(model, name, head, at);
  if (!row || !result) return [];
  const token = name === "q" ? nameOfQuery(model, query) : nameOfKey(model, key);
  const sentence = fillNodes(model.words[`follow_${name}`], {
    token,
    query: nameOfQuery(model, query),
    row: [row],
    result: [result],
  });
  return [...sentence, ...spaced(model.words, pickedSentence(model, head, name, at))];
}

/** @type {(model: WalkModel, head: number, name: string, at: number) => Child[]} */
function pickedSentence(model, head, name, at) {
  const picked = pickedRow(model, head, name, at);
  if (!picked) return [];
  const weights = [symbol(symbolOf(model, picked.weights, head))];
  const values = { col: [String(picked.row + 1)], weights, vector: [picked.vector], number: [picked.number] };
  return fillNodes(model.words.follow_picked, values);
}

/**
 * The row of a head's matrix that a query or a key is a multiple of, where the token's own row has one number that is
 * not 0. Null elsewhere.
 * @param {WalkModel} model
 * @param {number} head
 * @param {string} name
 * @param {number} at
 * @returns {{ weights: string; row: number; numbers: string; vector: string; number: string } | null}
 */
function pickedRow(model, head, name, at) {
  const operands = model.steps[name]?.operands ?? [];
  if (operands.length !== 2) return null; // a bias is added
  const [[rows], [weights]] = operands;
  const numbers = rowsOf(model, rows, isPerHead(model, rows) ? headOf(model, rows, head) : null)?.[at] ?? [];
  const used = [...numbers.keys()].filter((col) => numberOf(numbers[col]) !== 0);
  const text = used.length === 1 ? vector(model, weights, head, used[0]) : null;
  if (text === null) return null;
  const [row] = used;
  const own = String(
    rowsOf(model, weights, isPerHead(model, weights) ? headOf(model, weights, head) : null)?.[row],
  );
  return { weights, row, numbers: own, vector: text, number: shown(model, numberOf(numbers[row])) };
}

/** Query times key. @type {(model: WalkModel, head: number, glance: Glance) => Child[]} */
function scored(model, head, { query, key }) {
  const cell = { name: "scores", head, row: query, col: key };
  const [first] = termsOf(model, cell);
  const rows = requireRows(model, "scores", head);
  if (first?.length !== 2 || !isPair(model, first)) return [];
  const [left, right] = [
    vector(model, first[0].name, first[0].head, query),
    vector(model, first[1].name, first[1].head, key),
  ];
  if (!left || !right) return [];
  const score = numberOf(rows[query][key]);
  const isLargest = rows[query].every((other, at) => at === key || numberOf(other) < score);
  const sentence = fillNodes(model.words[isLargest ? "follow_scores_most" : "follow_scores"], {
    query: nameOfQuery(model, query),
    key: nameOfKey(model, key),
    left: [left],
    right: [right],
    score: [shown(model, score)],
  });
  const isPlain = first[0].name === "q" && first[1].name === "k"; // neither rotated nor scaled in between
  const why = isPlain && isLargest && score > 0 ? equalRows(model, head, { query, key }) : [];
  return [...sentence, ...spaced(model.words, why)];
}

/**
 * Why query and key match: each is a multiple of one row, and the two rows are equal.
 * @type {(model: WalkModel, head: number, at: { query: number; key: number }) => Child[]}
 */
function equalRows(model, head, { query, key }) {
  const [mine, theirs] = [pickedRow(model, head, "q", query), pickedRow(model, head, "k", key)];
  if (!mine || !theirs || mine.numbers !== theirs.numbers) return [];
  const values = {
    query: nameOfQuery(model, query),
    key: nameOfKey(model, key),
    one: [String(mine.row + 1)],
    left: [symbol(symbolOf(model, mine.weights, head))],
    other: [String(theirs.row + 1)],
    right: [symbol(symbolOf(model, theirs.weights, head))],
    vector: [mine.vector],
  };
  return fillNodes(model.words.follow_match, values);
}

/** Whether the factors of a score are a query and a key. @type {(model: WalkModel, factors: Cell[]) => boolean} */
const isPair = ({ matrices }, [left, right]) =>
  matrices[left.name].axes[0] === "n_q" && matrices[right.name].axes[0] === "n_k";

/** @type {(model: WalkModel, head: number, glance: Glance) => Child[]} */
function weighted(model, head, { query, key, weight }) {
  const { words } = model;
  const sentence = fillNodes(words[isSharp(model, head) ? "follow_weights" : "follow_weights_even"], {
    query: nameOfQuery(model, query),
    key: nameOfKey(model, key),
    weight: [shown(model, weight)],
    apart: [shown(model, apartIn(model, head))],
  });
  const hasSink = model.steps.weights.operands.slice(1).some(([name]) => rowsOf(model, name, head));
  if (!hasSink) return sentence;
  const taken = requireRows(model, "weights", head)
    [query].map(numberOf)
    .reduce((rest, own) => rest - own, 1);
  return [...sentence, ...spaced(words, fillNodes(words.follow_sink, { rest: [shown(model, taken)] }))];
}

/** A row of the output, and the value with the largest weight in it. @type {(model: WalkModel, head: number, glance: Glance) => Child[]} */
function mixed(model, head, { query, key, weight }) {
  const value = vector(model, "v", head, key);
  const result = vector(model, "head_outputs", head, query);
  if (!value || !result) return [];
  return fillNodes(model.words.follow_output, {
    query: nameOfQuery(model, query),
    key: nameOfKey(model, key),
    value: [value],
    result: [result],
    weight: [shown(model, weight)],
  });
}

/**
 * Where a further head looks with the token that is followed in the first, and what it has in common with that.
 * @type {(model: WalkModel, head: number) => Child[]}
 */
function ofHead(model, head) {
  const { words } = model;
  const first = glanceOf(model, 0);
  if (!first) return [];
  const here = topOf(model, head, first.query);
  if (!here) return [];
  const isSame = here.key === first.key;
  const glance = fillNodes(words[isSame ? "follow_head_same" : "follow_head"], {
    query: nameOfQuery(model, first.query),
    key: nameOfKey(model, here.key),
    first: nameOfKey(model, first.key),
    weight: [shown(model, here.weight)],
  });
  const given = WEIGHTS.filter((name) => rowsOf(model, name, head) && rowsOf(model, name, 0));
  const alike = given.filter((name) => String(rowsOf(model, name, head)) === String(rowsOf(model, name, 0)));
  const names = (/** @type {string[]} */ list) =>
    list.flatMap((name, at) => [at ? words.comma : "", symbol(symbolOf(model, name, head))]);
  const common =
    alike.length && alike.length < given.length ? fillNodes(words.follow_alike, { list: names(alike) }) : [];
  const even = isSharp(model, head)
    ? []
    : fillNodes(words.follow_even, { apart: [shown(model, apartIn(model, head))] });
  return [...glance, ...spaced(words, common), ...spaced(words, even)];
}

/**
 * Why one head would not do: a query that looks at one key in one head and at another in another. With the two weights
 * it could not look at both in one.
 * @type {(model: WalkModel) => Child[]}
 */
function severalHeads(model) {
  const best = largest(partings(model), ({ one, other }) => one.weight + other.weight);
  if (!best || best.one.weight + best.other.weight <= 1 + NEAR) return [];
  const { heads, one, other } = best;
  return fillNodes(model.words.follow_several, {
    query: nameOfQuery(model, one.query),
    one: [String(heads[0] + 1)],
    other: [String(heads[1] + 1)],
    left: nameOfKey(model, one.key),
    right: nameOfKey(model, other.key),
    most: [shown(model, one.weight)],
    also: [shown(model, other.weight)],
  });
}

/**
 * Where two heads look at different keys with the same query.
 * @type {(model: WalkModel) => { heads: number[]; one: Glance; other: Glance }[]}
 */
function partings(model) {
  const heads = [...Array(model.dims.h).keys()];
  return model.labels.n_q.flatMap((_, query) =>
    heads.flatMap((first) =>
      heads.slice(first + 1).flatMap((second) => {
        const [one, other] = [first, second].map((head) => topOf(model, head, query));
        return one && other && one.key !== other.key ? [{ heads: [first, second], one, other }] : [];
      }),
    ),
  );
}

/**
 * The first of the largest; null of none.
 * @template What
 * @param {What[]} list
 * @param {(what: What) => number} size
 * @returns {What | null}
 */
function largest(list, size) {
  /** @type {What | null} */
  let best = null;
  for (const next of list) if (best === null || size(next) > size(best) + NEAR) best = next;
  return best;
}

/**
 * The query that is followed, and where it looks: the second one, so that it stays the same when numbers change. Where it
 * may attend to one key alone, or several have its largest weight, the next query takes its place. Null where no query has
 * a single key with its largest weight.
 * @type {(model: WalkModel, head: number) => Glance | null}
 */
function glanceOf(model, head) {
  const queries = [...model.labels.n_q.keys()];
  const glances = [...queries.slice(1), 0].flatMap((query) => topOf(model, head, query) ?? []);
  const keys = visible(model, "weights", head);
  return glances.find(({ query }) => keys[query].length > 1) ?? glances[0] ?? null;
}

/** The key with a query's largest weight; null where none or several have it. @type {(model: WalkModel, head: number, query: number) => Glance | null} */
function topOf(model, head, query) {
  if (isDead(model, "weights", head, query)) return null;
  const row = requireRows(model, "weights", head)[query].map(Number);
  const weight = Math.max(...row);
  const keys = [...row.keys()].filter((key) => row[key] >= weight - NEAR);
  return keys.length === 1 && weight > 0 ? { query, key: keys[0], weight } : null;
}

/**
 * Whether some weight of a head is more than twice another of its row that no mask hides. Given weights count as sharp,
 * since there are no scores to explain them.
 * @type {(model: WalkModel, head: number) => boolean}
 */
const isSharp = (model, head) =>
  !model.steps.weights ||
  visible(model, "weights", head).some((row) => Math.max(...row) > 2 * Math.min(...row));

/** By how much the scores that softmax gets differ within a row, at most. @type {(model: WalkModel, head: number) => number} */
function apartIn(model, head) {
  const [[scores]] = model.steps.weights.operands;
  const rows = visible(model, scores, head).filter((row) => row.length);
  return Math.max(...rows.map((row) => Math.max(...row) - Math.min(...row)));
}

/** The numbers of a matrix of pairs, without those that a mask hides. @type {(model: WalkModel, name: string, head: number) => number[][]} */
const visible = (model, name, head) =>
  requireRows(model, name, isPerHead(model, name) ? headOf(model, name, head) : null).map((row, query) =>
    row
      .filter((_, key) => {
        const cell = { name: "weights", head, row: query, col: key };
        return !isHidden(model, cell, requireValue(model, cell));
      })
      .map(numberOf),
  );

/** @type {(model: WalkModel, number: number) => string} */
const shown = (model, number) => brief(number === -Infinity ? "-inf" : number, model.decimals);

/** A row as "(2, 0)"; null where it is too long. @type {(model: WalkModel, name: string, head: number | null, row: number) => string | null} */
function vector(model, name, head, row) {
  const numbers = rowsOf(model, name, isPerHead(model, name) ? headOf(model, name, head) : null)?.[row];
  if (!numbers || numbers.length > MOST) return null;
  return `(${numbers.map((number) => shown(model, numberOf(number))).join(", ")})`;
}

/** @type {(model: WalkModel, query: number) => Child[]} */
const nameOfQuery = ({ labels }, query) => [element("bdi", {}, labels.n_q[query])];

/** @type {(model: WalkModel, key: number) => Child[]} */
const nameOfKey = ({ labels }, key) => [element("bdi", {}, labels.n_k[key])];

/** A further sentence; full-width ones follow without a space. @type {(words: Record<string, string>, sentence: Child[]) => Child[]} */
const spaced = (words, sentence) => (sentence.length ? [words.stop === "。" ? "" : " ", ...sentence] : []);
