// A question to those who follow, on the wall and on telephones: as a sentence, and its answers as a histogram.

import { div, element, fillNodes, span } from "../mha.web/dom.js";
import { shownAs, valueAt } from "../mha.web/graph.js";
import { isRight } from "./answers.js";
import { nameNodes, unnamedOf } from "./named.js";
import { choiceOf } from "./tally.js";

/** Whether a number is the one asked for, once it is known. */
export const rightIn = (model, { cell }) =>
  cell && valueAt(model, cell) !== undefined ? (text) => isRight(text, valueAt(model, cell)) === true : null;

/**
 * The same for bars, with what the number is called.
 * @type {(model: WalkModel, question: Question) => import("./tally.js").Right | null}
 */
export function rightBar(model, question) {
  const is = rightIn(model, question);
  if (!is) return null;
  const { name, head } = question.cell;
  return { is, label: shownAs(model, name, head)(valueAt(model, question.cell)) };
}

/** The question: its own text, else what is asked of a cell, with the tokens that it is about. */
export function asked(model, { text, cell }, words) {
  if (text || !cell) return [text || words.question_open];
  const name = nameNodes(model, cell);
  const tokens = unnamedOf(model, cell).flatMap((token, n) => [n ? " → " : "", element("bdi", {}, token)]);
  const place = tokens.length ? fillNodes(words.place_with_tokens, { place: name, tokens }) : name;
  return fillNodes(words.question_cell, { place });
}

/**
 * What can be answered, before anybody sees how many did so.
 * @param {Question} question
 */
export const offered = (question) =>
  element(
    "ol",
    { class: "offered" },
    ...question.choices.map((_, at) => element("li", {}, choiceOf(question, at))),
  );

/**
 * The histogram: a row for each bar, its length the share of those who gave this answer.
 * @param {import("./tally.js").Bar[]} all
 * @param {Record<string, string>} words
 */
export const histogram = (all, words) =>
  element(
    "ol",
    { class: "histogram" },
    ...all.map(({ label, count, share, right }) =>
      element(
        "li",
        { class: right ? "right" : null, style: `--share: ${share.toFixed(4)}` },
        span("answer-label", label ?? words.others, right ? ` ✓ ${words.right}` : null),
        div("column"),
        span("count", String(count)),
      ),
    ),
  );
