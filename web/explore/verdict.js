// What the check found, in words: a summary, what to look at first, the causes, and what cannot be.

import { Disclosure } from "../kit/disclosure.js";
import { button, div, element, span, symbol } from "../kit/dom.js";

export class Verdict {
  #shown = "";

  #links = []; // [{link, step}]

  #address = {}; // where the links to the walkthrough lead

  /** `bench` takes goTo(cell), and promises by settled() that the page has kept every edit. */
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

  /**
   * Show a check; there is none on the bench, and in an exercise. It stays as it stands where nothing has changed.
   * `address`: where the links to the walkthrough lead.
   */
  update(check, address) {
    this.#address = address;
    this.#show(check);
    for (const { link, step } of this.#links) link.href = walkTo(address, step);
  }

  #show(check) {
    this.root.hidden = !check;
    const json = JSON.stringify(check ?? null);
    if (!check || json === this.#shown) return;
    this.#shown = json;
    this.#links = [];
    this.root.className = `verdict ${check.state}`;
    const { words } = this;
    const { first, causes = [], findings = [] } = check;
    const jump = first ? this.#jump(first, words.first_wrong) : null;
    const isOpen = findings.length < 4 || !causes.some((cause) => cause.right);
    const items = findings.map((finding) => element("li", {}, this.#jump(finding.cell, finding.text)));
    const cannot = `${words.cannot_be} (${findings.length})`;
    const parts = [
      div("verdict-head", element("strong", {}, check.summary), jump),
      causes.length && element("ol", { class: "causes" }, ...this.#causes(causes)),
      items.length &&
        new Disclosure({ name: "findings", focus: "findings", isOpen }, [cannot], element("ul", {}, ...items))
          .root,
    ];
    this.root.replaceChildren(...parts.filter(Boolean));
  }

  /** One number for each mistake: what explains the same number in another way is no further mistake. */
  #causes(causes) {
    let value = 0;
    return causes.map((cause, at) => {
      const other = at > 0 && JSON.stringify(cause.cell) === JSON.stringify(causes[at - 1].cell);
      if (!other) value += 1;
      return this.#cause(cause, { value, class: other ? "other" : null });
    });
  }

  #cause({ step, cell, text, right, yours, walk }, item) {
    const { words } = this;
    const link =
      walk &&
      element(
        "a",
        { target: "_self", class: "walk", onclick: (event) => this.#go(event, walk) },
        words.see_step,
      );
    if (link) this.#links.push({ link, step: walk });
    const line = (name, label, text) => [
      element("dt", {}, label),
      element("dd", { class: name }, symbol(text)),
    ];
    return element(
      "li",
      item,
      item.class && `${words.or} `,
      span("step", symbol(step)),
      " ",
      this.#jump(cell, text),
      link,
      right
        ? element(
            "details",
            { class: "solution" },
            element("summary", {}, words.solution),
            element("dl", {}, ...line("right", words.right, right), ...line("yours", words.yours, yours)),
          )
        : null,
    );
  }

  /** Follow a link once the page has kept what it is to show: by then the link itself may have gone for a new one. */
  async #go(event, step) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await this.bench.settled();
    window.location.assign(walkTo(this.#address, step));
  }

  #jump(cell, text) {
    return button({ class: "quiet jump", onclick: () => this.bench.goTo(cell) }, symbol(text));
  }
}

/** @type {(address: Record<string, string>, step: string) => string} */
const walkTo = (address, step) => `walkthrough?${new URLSearchParams({ ...address, step })}`;
