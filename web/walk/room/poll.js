// A question to those who follow, before the audience and on telephones: as a sentence, and its answers as a histogram.

import { div, element, fillNodes, span } from "../../kit/dom.js";
import { shownAs, valueAt } from "../../kit/graph.js";
import { isRight } from "../picture/answers.js";
import { nameNodes, unnamedOf } from "../picture/cell_name.js";
import { choiceOf } from "./tally.js";

/** @typedef {import("./tally.js").Right | null} Right */

let last = { id: "", right: /** @type {Right} */ (null) }; // of the latest question: one for a tab, as rooms are

/**
 * What is right, and what it is called. That goes by the numbers that were there while the question was open: they may
 * be edited afterwards.
 * @type {(model: WalkModel, question: Question) => Right}
 */
export function rightOf(model, question) {
  const { cell } = question;
  const id = [question.question, cell?.name, cell?.row, cell?.col].join(" "); // another room counts from 1 again
  if (question.open || last.id !== id || !last.right) last = { id, right: rightIn(model, question) };
  return last.right;
}

/** @type {(model: WalkModel, question: Question) => Right} */
function rightIn(model, { cell }) {
  const value = cell ? valueAt(model, cell) : undefined;
  if (!cell || value === undefined) return null;
  const label = shownAs(model, cell.name, cell.head)(value);
  return { is: (text) => isRight(text, value) === true, label };
}

/**
 * A question as a sentence: its own text, or what is asked of a cell, with the tokens that it is about.
 * @type {(model: WalkModel, question: Pick<Question, "text" | "cell">, words: Record<string, string>) => Child[]}
 */
export function questionNodes(model, { text, cell }, words) {
  if (text || !cell) return [text || words.question_open];
  const name = nameNodes(model, cell);
  const tokens = unnamedOf(model, cell).flatMap((token, n) => [n ? " → " : "", element("bdi", {}, token)]);
  const place = tokens.length ? fillNodes(words.place_with_tokens, { place: name, tokens }) : name;
  return fillNodes(words.question_cell, { place });
}

/**
 * What can be answered, before anybody sees how many did so.
 * @param {Question} question
 * @returns {HTMLElement}
 */
export const choiceList = (question) =>
  element(
    "ol",
    { class: "offered" },
    ...question.choices.map((_, at) => element("li", {}, choiceOf(question, at))),
  );

/**
 * The histogram: a row for each bar, its length the share of those who gave this answer.
 * @param {import("./tally.js").Bar[]} bars
 * @param {Record<string, string>} words
 * @returns {HTMLElement}
 */
export const histogram = (bars, words) =>
  element(
    "ol",
    { class: "histogram" },
    ...bars.map(({ label, count, share, right }) =>
      element(
        "li",
        { class: right ? "right" : null, style: `--share: ${share.toFixed(4)}` },
        span("answer-label", label ?? words.others, right ? ` ✓ ${words.right}` : null),
        div("column"),
        span("count", String(count)),
      ),
    ),
  );
