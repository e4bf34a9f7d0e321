// Ask it: a sample is answered token by token, and each token shows where the chosen head looked before it was said.

import { accent, button, div, element, fill, p, setAttribute, setText, span } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { headName, indexOf } from "./maps.js";

/** What was said of a prompt, with all heads on and, where some are off, without them.
 *  @typedef {{ step: number; prompt: string[]; said: TrainSaid[]; without: TrainSaid[] | null }} Answered */

/** @typedef {{ recording: import("./recording.js").Recording; step: number; head: TrainHead; isBusy: boolean;
 *   answered: Answered | null; fault: string }} AskValues */

export class Ask {
  /** The token of the answer that is looked at. */
  #chosen = 0;
  /** @type {Answered | null} */
  #answered = null;
  #isBusy = false;

  /**
   * @param {Record<string, string>} words
   * @param {(prompt: string) => void} ask
   */
  constructor(words, ask) {
    this.words = words;
    this.field = element("input", {
      type: "text",
      "aria-label": words.prompt,
      data: { focus: "prompt" },
      autocomplete: "off",
    });
    this.about = p("hint");
    this.fault = p("fault");
    this.fault.setAttribute("role", "alert");
    this.line = div("line");
    this.looked = p("looked");
    this.looked.setAttribute("role", "status");
    this.asks = element(
      "button",
      { class: "main", type: "submit", data: { focus: "ask" } },
      words.ask_button,
    );
    this.root = element(
      "section",
      { class: "card ask", data: { part: "" }, "aria-labelledby": "train-ask" },
      element("h2", { id: "train-ask" }, words.ask),
      this.about,
      element(
        "form",
        {
          class: "asking",
          onsubmit: (event) => {
            event.preventDefault();
            if (!this.#isBusy) ask(this.field.value);
          },
        },
        this.field,
        this.asks,
      ),
      this.fault,
      this.line,
      this.looked,
    );
  }

  /** Begin with the sample of a recording. @param {TrainBegun} begun */
  begin({ prompt }) {
    this.field.value = prompt.filter((token) => token !== "→").join(" ");
  }

  /** @param {AskValues} values */
  update(values) {
    const { words } = this;
    const { answered, step, fault, isBusy } = values;
    setText(this.about, fill(words.ask_about, { step }));
    setText(this.fault, fault);
    this.#isBusy = isBusy;
    setText(this.asks, isBusy ? words.asking : words.ask_button);
    setAttribute(this.root, "aria-busy", String(isBusy));
    if (answered !== this.#answered) this.#chosen = 0;
    this.#answered = answered;
    this.line.hidden = this.looked.hidden = !answered;
    if (answered) this.#show(answered, values);
  }

  /** @param {Answered} answered @param {AskValues} values */
  #show(answered, values) {
    const { words } = this;
    const { recording, head } = values;
    const { prompt, said, without, step } = answered;
    const at = Math.min(this.#chosen, said.length - 1);
    const { begun } = recording;
    const right = String(prompt) === String(begun.prompt) ? begun.answer : null;
    const tokens = [...prompt, ...said.map(({ token }) => token)];
    const before = Array(recording.firstKey(head[0], prompt.length)).fill(0);
    const row = [...before, ...(said[at]?.looked[head[0]]?.[head[1]] ?? [])];
    this.line.style.cssText = accent(indexOf(recording, head));
    const answer = said.map(({ token, probability }, number) =>
      button(
        {
          class: right && right[number] !== token ? "token said wrong" : "token said",
          "aria-pressed": String(number === at),
          "aria-label": fill(words.said_label, { token, probability: format(probability, 2) }),
          data: { focus: `said ${number}` },
          style: `--weight: ${(row[prompt.length + number] ?? 0).toFixed(3)}`,
          onclick: () => {
            this.#chosen = number;
            this.#show(answered, values);
            this.line.querySelectorAll("button")[number]?.focus();
          },
        },
        token,
        span("probability", format(probability, 2)),
      ),
    );
    this.line.replaceChildren(
      ...prompt.map((token, number) =>
        element("span", { class: "token", style: `--weight: ${(row[number] ?? 0).toFixed(3)}` }, token),
      ),
      ...answer,
    );
    const most = row.indexOf(Math.max(...row));
    const looked = said[at]
      ? fill(words.looked, {
          token: said[at].token,
          head: headName(words, recording, head),
          key: tokens[most],
          position: most + 1,
          weight: format(row[most] ?? 0, 2),
        })
      : "";
    const off = without
      ? fill(words.said_without, { said: without.map(({ token }) => token).join(" ") })
      : "";
    const correct = right ? fill(words.right_would_be, { answer: right.join(" ") }) : "";
    const old = step === values.step ? "" : fill(words.of_step, { step });
    this.looked.replaceChildren(
      ...[looked, off, correct, old].filter(Boolean).map((text) => element("span", {}, text)),
    );
  }
}
