// What the check has found, in words: a summary, what to look at first, the causes, and what cannot be.

import { Disclosure } from "./disclosure.js";
import { button, div, element, span, symbol } from "./dom.js";

/** @typedef {NonNullable<Check["causes"]>[number]} Cause */

/**
 * `settled`: once the page has kept every edit.
 * @typedef {{ goTo: (cell: Cell) => void; settled: () => unknown }} VerdictHost
 */

export class Verdict {
  #shown = ""; // the check that is shown, as JSON
  /** @type {{ link: HTMLAnchorElement; step: string }[]} */
  #links = [];
  /** @type {Record<string, string>} */
  #address = {}; // where the links to the walkthrough lead

  /**
   * @param {VerdictHost} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.root = element("section", {
      class: "verdict",
      "aria-label": words.verdict,
      "aria-live": "polite",
      hidden: true,
    });
  }

  /**
   * Show a check. The same check is not drawn twice.
   * @param {Check | null | undefined} check null: nothing is checked, or an exercise tells of it step by step
   * @param {Record<string, string>} address where the links to the walkthrough lead
   */
  update(check, address) {
    this.#address = address;
    this.root.hidden = !check;
    if (check) this.#show(check);
    for (const { link, step } of this.#links) link.href = walkTo(address, step);
  }

  /** @param {Check} check */
  #show(check) {
    const json = JSON.stringify(check);
    if (json === this.#shown) return;
    this.#shown = json;
    this.#links = [];
    this.root.className = `verdict ${check.state}`;
    const { first, causes = [], findings = [] } = check;
    const jump = first ? this.#jump(first, this.words.first_wrong) : null;
    const isOpen = findings.length < 4 || !causes.some(({ right }) => right);
    const parts = [
      div("verdict-head", element("strong", {}, check.summary), jump),
      causes.length ? element("ol", { class: "causes" }, ...this.#causes(causes)) : "",
      findings.length ? this.#findings(findings, isOpen) : "",
    ];
    this.root.replaceChildren(...parts.filter(Boolean));
  }

  /**
   * @param {NonNullable<Check["findings"]>} findings
   * @param {boolean} isOpen
   */
  #findings(findings, isOpen) {
    const items = findings.map(({ cell, text }) => element("li", {}, this.#jump(cell, text)));
    const title = `${this.words.cannot_be} (${findings.length})`;
    const options = { name: "findings", focus: "findings", isOpen };
    return new Disclosure(options, [title], element("ul", {}, ...items)).root;
  }

  /**
   * The causes as a list. Those that explain the same number in another way are not counted as further mistakes.
   * @param {Cause[]} causes
   */
  #causes(causes) {
    let value = 0;
    return causes.map((cause, at) => {
      const isOther = at > 0 && JSON.stringify(cause.cell) === JSON.stringify(causes[at - 1].cell);
      if (!isOther) value += 1;
      return this.#cause(cause, value, isOther);
    });
  }

  /**
   * @param {Cause} cause
   * @param {number} value its number in the list
   * @param {boolean} isOther
   */
  #cause({ step, cell, text, right, yours, walk }, value, isOther) {
    return element(
      "li",
      { value, class: isOther ? "other" : null },
      isOther ? `${this.words.or} ` : "",
      span("step", symbol(step)),
      " ",
      this.#jump(cell, text),
      walk ? this.#walkLink(walk) : null,
      right && yours !== undefined ? this.#solution(right, yours) : null,
    );
  }

  /** @param {string} step */
  #walkLink(step) {
    const link = element("a", { target: "_self", class: "walk" }, this.words.see_step);
    link.addEventListener("click", (event) => this.#follow(event, step));
    this.#links.push({ link, step });
    return link;
  }

  /**
   * @param {string} right
   * @param {string} yours
   */
  #solution(right, yours) {
    const { words } = this;
    const lines = [
      ["right", words.right, right],
      ["yours", words.yours, yours],
    ].flatMap(([name, label, text]) => [
      element("dt", {}, label),
      element("dd", { class: name }, symbol(text)),
    ]);
    return element(
      "details",
      { class: "solution" },
      element("summary", {}, words.solution),
      element("dl", {}, ...lines),
    );
  }

  /**
   * Follow a link once the page has kept every edit. The link itself may have been replaced by then.
   * @param {MouseEvent} event
   * @param {string} step
   */
  async #follow(event, step) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await this.host.settled();
    window.location.assign(walkTo(this.#address, step));
  }

  /**
   * @param {Cell} cell
   * @param {string} text
   */
  #jump(cell, text) {
    return button({ class: "quiet jump", onclick: () => this.host.goTo(cell) }, symbol(text));
  }
}

/** @type {(address: Record<string, string>, step: string) => string} */
const walkTo = (address, step) => `walkthrough?${new URLSearchParams({ ...address, step })}`;
