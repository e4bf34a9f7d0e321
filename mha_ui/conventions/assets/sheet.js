// Tables that light each other: a number is one key wherever it stands, and a key may stand in several tables.

import { element, symbol } from "../mha.bench/dom.js";
import { format } from "../mha.bench/numbers.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Sheet {
  cells = new Map(); // key → the <td>s that it lights
  #info = new WeakMap(); // <td> → what it is
  #lit = [];
  #hovered = null;

  /** `show(info, td)` is told what is pointed at, or null; it marks cells and writes the line. */
  constructor(root, show) {
    this.root = root;
    this.show = show;
    root.addEventListener("pointerover", (event) => this.#hover(event.target.closest?.("td[data-key]")));
    root.addEventListener("pointerleave", () => this.#hover(null));
    root.addEventListener("focusin", (event) => this.#focus(event.target.closest?.("td[data-key]")));
    root.addEventListener("focusout", () => this.#rest());
    root.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Before the tables are drawn anew: what lay in the old ones is forgotten. */
  clear() {
    this.cells.clear();
    this.#lit = [];
    this.#hovered = null;
  }

  /** Nothing is pointed at in the new tables yet. */
  rest() {
    this.#rest();
  }

  mark(key, name, except = null) {
    for (const td of this.cells.get(key) ?? []) {
      if (td === except) continue;
      td.classList.add(name);
      this.#lit.push([td, name]);
    }
  }

  markOne(td, name) {
    td.classList.add(name);
    this.#lit.push([td, name]);
  }

  #hover(td) {
    this.#hovered = td ?? null;
    this.#rest();
  }

  #focus(td) {
    if (!td) return;
    for (const other of td.closest("table").querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    td.tabIndex = 0;
    this.#hovered = null;
    this.#rest(true);
  }

  #rest(spoken = false) {
    for (const [td, name] of this.#lit) td.classList.remove(name);
    this.#lit = [];
    const active = this.root.getRootNode().activeElement?.closest?.("td[data-key]");
    const td = this.#hovered ?? (active && this.root.contains(active) ? active : null);
    const info = td ? this.#info.get(td) : null;
    this.show(info ?? null, td, spoken);
  }

  #move(event) {
    const step = ARROWS[event.key];
    const td = event.target.closest?.("td[data-key]");
    if (!step || !td || event.ctrlKey || event.metaKey || event.altKey) return;
    const line = td.parentElement;
    const lines = [...line.parentElement.rows];
    const cells = (row) => [...row.querySelectorAll("td[data-key]")];
    const at = cells(line).indexOf(td);
    const to = cells(lines[lines.indexOf(line) + step[0]] ?? line)[at + step[1]];
    event.preventDefault();
    to?.focus();
  }

  /**
   * One matrix as a table. `cell(r, c)`: {key, text, kind, tone, info, also} or null where nothing stands.
   * `down`, `across`: [{label, start, stop, accent}], whose lines the rows and the columns are.
   */
  table({
    sign,
    shape,
    label,
    hue = "",
    scale = "signed",
    rowLabels,
    colLabels,
    down = [],
    across = [],
    cell,
    name = "",
  }) {
    const accentOf = (groups, at) => groups.find(({ start, stop }) => at >= start && at < stop)?.accent;
    const accented = (node, accent) => {
      if (accent === undefined) return node;
      node.classList.add("accented");
      node.style.setProperty("--accent", `var(--mha-head-${accent})`);
      return node;
    };
    const corner = () => element("td", { class: "corner" });
    const stub = down.length ? [corner(), corner()] : [corner()];
    const top = across.length
      ? element(
          "tr",
          {},
          ...stub.map(() => corner()),
          ...across.map(({ label: text, start, stop, accent }) =>
            accented(
              element("th", { scope: "colgroup", colspan: stop - start, class: "group" }, text),
              accent,
            ),
          ),
        )
      : null;
    const heads = element(
      "tr",
      {},
      ...stub,
      ...colLabels.map((text, c) => accented(labelled("col", text), accentOf(across, c))),
    );
    const body = rowLabels.map((text, r) => {
      const group = down.find(({ start }) => start === r);
      const before = group
        ? accented(
            element(
              "th",
              { scope: "rowgroup", rowspan: group.stop - group.start, class: "group" },
              element("span", {}, group.label),
            ),
            group.accent,
          )
        : null;
      const tds = colLabels.map((_, c) => this.#cell(cell(r, c), r + c ? -1 : 0));
      return element("tr", {}, before, accented(labelled("row", text), accentOf(down, r)), ...tds);
    });
    const table = element(
      "table",
      { role: "grid", "aria-label": label, "aria-readonly": "true" },
      element("thead", {}, top, heads),
      element("tbody", {}, ...body),
    );
    const caption = sign
      ? element("figcaption", {}, symbol(sign), element("span", { class: "shape" }, shape))
      : null;
    return element(
      "figure",
      { class: `matrix computed hue-${hue || "none"} scale-${scale} ${name}`.trim() },
      caption,
      table,
    );
  }

  #cell(spec, tabindex) {
    if (!spec) return element("td", { class: "corner" });
    const { key, text, kind, tone = 0, info, also = [] } = spec;
    const td = element(
      "td",
      { "data-key": key, "data-kind": kind, tabindex, style: `--tone: ${tone.toFixed(3)}` },
      text,
    );
    this.adopt(td, key, info, also);
    return td;
  }

  /** Take a cell in that was made elsewhere: it lights with these keys and tells this when pointed at. */
  adopt(td, key, info, also = []) {
    for (const of of [key, ...also]) {
      if (!this.cells.has(of)) this.cells.set(of, []);
      this.cells.get(of).push(td);
    }
    this.#info.set(td, info);
  }
}

function labelled(scope, text) {
  return element("th", { scope, title: text }, element("span", { class: "label" }, element("bdi", {}, text)));
}

/** What colours a number: its sign and its size against the largest. */
export function tint(value, top) {
  if (value === "nan") return { kind: "nan" };
  const tone = typeof value === "number" ? Math.min(1, Math.abs(value) / top) : 0;
  const kind =
    value === "-inf" || value === false
      ? "hidden"
      : value === true
        ? "visible"
        : value < 0
          ? "negative"
          : "positive";
  return { kind, tone };
}

export const show = (value, decimals) => (value === "nan" ? "NaN" : format(value, decimals));

/** The largest magnitude in these rows, or 1. */
export const largest = (rows) =>
  rows
    .flat()
    .reduce((most, value) => (typeof value === "number" ? Math.max(most, Math.abs(value)) : most), 0) || 1;

/** A choice among a few: buttons of which one is pressed. */
export function choice(label, options, chosen, choose) {
  const buttons = options.map(({ value, text, accent }) => {
    const style = accent === undefined ? null : `--accent: var(--mha-head-${accent})`;
    return element(
      "button",
      {
        type: "button",
        "aria-pressed": String(value === chosen),
        "data-focus": `${label} ${value}`,
        style,
        class: accent === undefined ? "" : "accented",
        onclick: () => choose(value),
      },
      text,
    );
  });
  return element(
    "div",
    { class: "choice", role: "group", "aria-label": label },
    element("span", { class: "choice-label", "aria-hidden": "true" }, label),
    ...buttons,
  );
}

/** Draw anew, and give the focus back to the button that had it. */
export function redraw(root, ...nodes) {
  const focus = root.getRootNode().activeElement?.dataset?.focus;
  root.replaceChildren(...nodes.filter(Boolean));
  if (focus) root.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}

/** The line at the foot of a section, and what a screen reader hears of it. */
export class Line {
  constructor(hint) {
    this.hint = hint;
    this.line = element("div", { class: "line" });
    this.live = element("div", { class: "visually-hidden", "aria-live": "polite", role: "status" });
    this.root = element("div", { class: "explain" }, this.line, this.live);
  }

  write(nodes, spoken) {
    if (!nodes) this.line.replaceChildren(element("p", { class: "hint" }, this.hint));
    else this.line.replaceChildren(...nodes);
    if (spoken) this.live.textContent = this.line.innerText.replace(/\s+/g, " ").trim();
  }
}
