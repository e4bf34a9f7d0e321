// What a cell of a result shows: its number, a field for a prediction, what was predicted, or nothing yet.

import { element, fill, setAttribute } from "../../kit/dom.js";
import { key } from "../../kit/graph.js";
import { nameText } from "./cell_name.js";

/**
 * @param {WalkModel} model
 * @param {ResultCell} result
 * @param {ResultMode} mode
 * @param {Map<string, Prediction>} answers by key of a cell
 * @param {OnAnswer} onAnswer
 */
export function fillCell(model, result, mode, answers, onAnswer) {
  const { td } = result;
  const answer = answers.get(key(result.cell));
  const look = mode === "checked" ? `checked ${answer?.text ?? ""}` : mode;
  if (result.look === look || (result.look === undefined && look === "shown")) return;
  result.look = look;
  td.classList.remove("right", "wrong", "asked");
  const isUnknown = mode === "field" || mode === "hidden"; // then neither the colour nor the bar may give it away
  td.dataset.kind = isUnknown ? "unknown" : result.kind;
  td.style.setProperty("--tone", isUnknown ? "0" : result.tone);
  setAttribute(td, "aria-description", isUnknown ? "" : result.description);
  if (mode === "field") {
    td.classList.add("asked");
    td.replaceChildren(fieldOf(model, result, answer, onAnswer));
  } else if (mode === "checked" && answer) {
    if (answer.right !== undefined) td.classList.add(answer.right ? "right" : "wrong");
    td.replaceChildren(element("span", {}, result.text), checked(model.words, answer));
  } else if (mode === "hidden") {
    const label = model.words.unfilled;
    td.replaceChildren(element("span", { class: "unknown", role: "img", "aria-label": label }, "·"));
  } else td.replaceChildren(element("span", {}, result.text));
}

/** @type {(model: WalkModel, result: ResultCell, answer: Prediction | undefined, onAnswer: OnAnswer) => HTMLElement} */
function fieldOf(model, result, answer, onAnswer) {
  const input = element("input", {
    class: "answer",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    size: 4,
    "data-of": key(result.cell),
    "aria-label": fill(model.words.your_number, { place: nameText(model, result.cell) }),
  });
  input.value = answer?.text ?? "";
  input.addEventListener("input", () => onAnswer(result, input.value));
  return input;
}

/**
 * Whether a prediction was right, and what it was where it was not. Anything but a number is neither right nor wrong.
 * @type {(words: Record<string, string>, answer: Prediction) => HTMLElement}
 */
function checked(words, { text, right }) {
  const [sign, label] =
    right === undefined ? ["?", words.not_marked] : right ? ["✓", words.right] : ["✗", words.wrong];
  const mark = element("span", { class: "mark", role: "img", "aria-label": label, title: label }, sign);
  const predicted = right
    ? null
    : element("s", { title: text, "aria-label": fill(words.was, { text }) }, text);
  return element("span", { class: "said" }, mark, predicted);
}
