// What stands in a cell of a result: its number, room for one's own, what was filled in, or nothing yet.

import { element, fill, setAttribute } from "../../kit/dom.js";
import { key } from "../../kit/graph.js";
import { nameText } from "./cell_name.js";

/**
 * `how`: "shown", "hidden", a "field" to be filled in, or "checked" once it is revealed.
 * @param {WalkModel} model
 * @param {any} one of a picture's results
 * @param {string} how
 * @param {Map<string, { text: string; right: boolean | undefined }>} answers
 * @param {(one: any, text: string) => void} onAnswer
 */
export function fillCell(model, one, how, answers, onAnswer) {
  const { words } = model;
  const of = key(one.cell);
  const answer = answers.get(of);
  const look = how === "checked" ? `checked ${answer?.text ?? ""}` : how;
  if (one.look === look || (one.look === undefined && look === "shown")) return;
  one.look = look;
  one.td.classList.remove("right", "wrong", "asked");
  const unknown = how === "field" || how === "hidden"; // then neither the colour nor the bar may tell
  one.td.dataset.kind = unknown ? "unknown" : one.kind;
  one.td.style.setProperty("--tone", unknown ? 0 : one.tone);
  setAttribute(one.td, "aria-description", unknown ? "" : one.told);
  if (how === "field") {
    one.td.classList.add("asked");
    const input = element("input", {
      class: "answer",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      size: 4,
      "data-of": of,
      "aria-label": fill(words.your_number, { place: nameText(model, one.cell) }),
    });
    input.value = answer?.text ?? "";
    input.addEventListener("input", () => onAnswer(one, input.value));
    one.td.replaceChildren(input);
  } else if (how === "checked" && answer && answer.right !== undefined) {
    one.td.classList.add(answer.right ? "right" : "wrong");
    const mark = element(
      "span",
      { class: "mark", role: "img", "aria-label": answer.right ? words.right : words.wrong },
      answer.right ? "✓" : "✗",
    );
    const was = answer.right
      ? null
      : element(
          "s",
          { title: answer.text, "aria-label": fill(words.was, { text: answer.text }) },
          answer.text,
        );
    one.td.replaceChildren(
      element("span", {}, one.text),
      element("span", { class: "said" }, mark, was ?? ""),
    );
  } else if (how === "hidden") {
    one.td.replaceChildren(
      element("span", { class: "unknown", role: "img", "aria-label": words.unfilled }, "·"),
    );
  } else one.td.replaceChildren(element("span", {}, one.text));
}
