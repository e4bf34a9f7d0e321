// What the check found, in words: a summary, what to look at first, the causes, and what cannot be.

import { button, div, element, p, span, symbol } from "../mha.web/dom.js";

export class Verdict {
  #told = "";

  /** `bench` takes goTo(cell) and send(edit). */
  constructor(bench, words) {
    this.bench = bench;
    this.words = words;
    this.root = element("section", {
      class: "verdict",
      "aria-label": words.verdict,
      "aria-live": "polite",
      hidden: true,
    });
  }

  /** Show a check; `check` is missing on the bench. It stays as it stands where nothing has changed. */
  update(check) {
    this.root.hidden = !check;
    const told = JSON.stringify(check ?? null);
    if (!check || told === this.#told) return;
    this.#told = told;
    this.root.className = `verdict ${check.state}`;
    const head = div("verdict-head", element("strong", {}, check.summary));
    if (check.first) head.append(this.#jump(check.first, this.words.first_wrong));
    for (const act of check.actions ?? [])
      head.append(
        button({ data: { focus: act.op }, onclick: () => this.bench.send({ op: act.op }) }, act.label),
      );
    const parts = [head];
    if (check.hint) parts.push(p("verdict-hint", symbol(check.hint)));
    if (check.causes?.length)
      parts.push(element("ol", { class: "causes" }, ...check.causes.map((cause) => this.#cause(cause))));
    if (check.findings?.length)
      parts.push(
        element(
          "details",
          {
            class: "findings",
            open: check.findings.length < 4 || !check.causes.some((cause) => cause.right),
          },
          element("summary", {}, `${this.words.cannot_be} (${check.findings.length})`),
          element(
            "ul",
            {},
            ...check.findings.map((finding) => element("li", {}, this.#jump(finding.cell, finding.text))),
          ),
        ),
      );
    this.root.replaceChildren(...parts);
  }

  #cause(cause) {
    const step = span("step", symbol(cause.step));
    const item = element("li", {}, step, " ", this.#jump(cause.cell, cause.text));
    if (cause.right)
      item.append(
        element(
          "dl",
          {},
          element("dt", {}, this.words.right),
          element("dd", { class: "right" }, symbol(cause.right)),
          element("dt", {}, this.words.yours),
          element("dd", { class: "yours" }, symbol(cause.yours)),
        ),
      );
    if (cause.link)
      item.append(element("a", { href: cause.link, target: "_self", class: "walk" }, this.words.see_step));
    return item;
  }

  #jump(cell, text) {
    return button({ class: "quiet jump", onclick: () => this.bench.goTo(cell) }, symbol(text));
  }
}
