// Masks of the libraries: the same pairs are hidden in all of them, and what stands in the cells differs.

import { element } from "../mha.bench/dom.js";
import { Line, redraw, Sheet } from "./sheet.js";

export class Masks {
  constructor(root) {
    this.root = root;
    this.tables = element("div", { class: "cards" });
    this.sheet = new Sheet(this.tables, (info, td, spoken) => this.#show(info, td, spoken));
  }

  update(model) {
    this.model = model;
    this.line = new Line(model.words.hint_masks);
    this.sheet.clear();
    const own = model.forms.find(({ rows }) => rows.length > 1 || rows.length === model.labels.n_q.length);
    this.hidden = own?.rows.map((row) => row.map((text) => text === "False" || text === "−∞"));
    this.tables.replaceChildren(...model.forms.map((form) => this.#card(form)));
    redraw(this.root, this.tables, this.line.root);
    this.sheet.rest();
  }

  #card(form) {
    const { words } = this.model;
    const { library, argument, polarity, error, rows, code } = form;
    const head = [
      element("h3", {}, library),
      element("p", {}, element("code", {}, argument), " ", element("span", { class: "polarity" }, polarity)),
    ];
    if (error)
      return element(
        "section",
        { class: "card", "aria-label": library },
        ...head,
        element("p", { class: "note refused" }, `${error}.`),
      );
    const copy = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-focus": `copy ${form.name}`,
        "aria-label": `${words.copy_python}: ${library}, ${argument}`,
      },
      words.copy_python,
    );
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code);
      copy.textContent = words.copied_python;
    });
    return element(
      "section",
      { class: "card", "aria-label": `${library}, ${argument}` },
      ...head,
      element("div", { class: "box" }, this.#table(form)),
      rows.length ? copy : null,
    );
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

  #show(info, td, spoken) {
    if (!info) return this.line.write(null);
    const { labels, forms, words } = this.model;
    for (const of of info.keys) this.sheet.mark(of, "twin", td);
    this.sheet.markOne(td, "current");
    const [query, to] = info.pairs[0];
    const place =
      info.column === null ? [`${words.query} `, element("bdi", {}, labels.n_q[query]), ", "] : [];
    const hidden = this.hidden?.[query]?.[to];
    const said = forms
      .filter(({ rows }) => rows.length)
      .flatMap(({ name, argument, library, rows }, i) => [
        i ? " · " : "",
        element(
          "span",
          { class: "pair" },
          element("span", { class: "quiet-text" }, `${library} `),
          element("code", {}, argument),
          " ",
          element("strong", {}, rows[name.endsWith("padding") ? 0 : query][to]),
        ),
      ]);
    const verdict = hidden === undefined ? "" : ` (${hidden ? words.hidden : words.visible})`;
    this.line.write(
      [
        element(
          "p",
          {},
          element("span", { class: "place" }, ...place, `${words.key} `, element("bdi", {}, labels.n_k[to])),
          verdict,
        ),
        element("p", {}, ...said),
      ],
      spoken,
    );
  }
}
