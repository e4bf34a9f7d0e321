// Which model answers where the step that is shown has none, and buttons that show a step that has one.

import { button, div, fill, p, setText } from "../kit/dom.js";

export class Asked {
  #steps = "";

  /** @param {Record<string, string>} words @param {(step: number) => void} go */
  constructor(words, go) {
    this.words = words;
    this.go = go;
    this.said = p("only");
    this.steps = div("acts");
    this.root = div("asked", this.said, this.steps);
  }

  /** @param {{ recording: import("./recording.js").Recording; shown: number; asked: number }} values */
  update({ recording, shown, asked }) {
    const { words } = this;
    const steps = recording.begun.asks ?? [];
    this.root.hidden = !steps.length;
    this.root.classList.toggle("is-away", shown === asked); // its room stays, so that nothing moves
    setText(this.said, fill(words.only, { shown, step: asked, steps: steps.join(", ") }));
    if (this.#steps === String(steps)) return;
    this.#steps = String(steps);
    this.steps.replaceChildren(
      ...steps.map((step) =>
        button(
          { data: { focus: `asked ${step}` }, onclick: () => this.go(step) },
          fill(words.to_step, { step }),
        ),
      ),
    );
  }
}
