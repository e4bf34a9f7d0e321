// Masks of the libraries: the same pairs are hidden in all of them, and what stands in the cells differs.

import { button, div, element, p, span } from "../kit/dom.js";
import { Section } from "./sheet.js";

export class Masks extends Section {
  constructor(part) {
    super(part, "cards");
  }

  pictures() {
    const { forms, labels } = this.model;
    const own = forms.find(({ rows }) => rows.length > 1 || rows.length === labels.n_q.length);
    this.hidden = own?.rows.map((row) => row.map((text) => text === "False" || text === "−∞"));
    return forms.map((form) => this.#card(form));
  }

  #card(form) {
    const { words } = this.model;
    const { library, argument, polarity, error, rows, code } = form;
    const head = [
      element("h3", {}, library),
      element("p", {}, element("code", {}, argument), " ", span("polarity", polarity)),
    ];
    const card = (label, ...parts) =>
      element("section", { class: "card", "aria-label": label }, ...head, ...parts);
    if (error) return card(library, p("note refused", `${error}.`));
    const label = `${words.copy_python}: ${library}, ${argument}`;
    const data = { focus: `copy ${form.name}` };
    const copy = button({ class: "quiet", "aria-label": label, data }, words.copy_python);
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code);
      copy.textContent = words.copied_python;
    });
    const box = div("box", this.#table(form));
    return card(`${library}, ${argument}`, box, rows.length ? copy : null);
  }

  #table(form) {
    const { labels } = this.model;
    const { rows, library, argument } = form;
    const whole = rows.length === labels.n_q.length && !form.name.endsWith("padding");
    return this.sheet.table({
      label: `${library}, ${argument}`,
      rowLabels: whole ? labels.n_q : [""],
      colLabels: labels.n_k,
      cell: (r, c) => {
        const pairs = whole ? [[r, c]] : labels.n_q.map((_, query) => [query, c]);
        const hidden = this.hidden?.[whole ? r : 0]?.[c];
        const keys = pairs.map(([query, to]) => `pair|${query}|${to}`);
        return {
          key: whole ? keys[0] : `keys|${c}`,
          also: whole ? [] : keys,
          text: rows[r][c],
          kind: hidden ? "hidden" : "open",
          info: { keys, pairs, column: whole ? null : c },
        };
      },
    });
  }

  explainCell({ keys, pairs, column }, td) {
    const { labels, forms, words } = this.model;
    for (const of of keys) this.sheet.mark(of, "twin", td);
    this.sheet.markOne(td, "current");
    const [query, to] = pairs[0];
    const named = (word, text) => [`${word} `, element("bdi", {}, text)];
    const place = column === null ? [...named(words.query, labels.n_q[query]), ", "] : [];
    const hidden = this.hidden?.[query]?.[to];
    const entries = forms
      .filter(({ rows }) => rows.length)
      .flatMap(({ name, argument, library, rows }, i) => {
        const value = element("strong", {}, rows[name.endsWith("padding") ? 0 : query][to]);
        const of = [span("quiet-text", `${library} `), element("code", {}, argument)];
        return [i ? " · " : "", span("pair", ...of, " ", value)];
      });
    const verdict = hidden === undefined ? "" : ` (${hidden ? words.hidden : words.visible})`;
    const key = named(words.key, labels.n_k[to]);
    return [element("p", {}, span("place", ...place, ...key), verdict), element("p", {}, ...entries)];
  }
}
