// The matrices as tables: built once for a structure, then patched cell by cell.

import { element, fill, rich, setText, symbol } from "./dom.js";
import { headOf, isClaim, isEditable, key, rowsOf } from "./graph.js";
import { lensAt, markOf, told, toneOf, topOf, topOfAll } from "./lens.js";
import { exact, format } from "./numbers.js";

/** What must be equal for the tables that stand to be patched instead of built anew. */
export function structureOf(model) {
  const shapes = Object.entries(model.matrices).map(([name, m]) => {
    const lists = m.perHead ? m.values : [m.values];
    return [name, m.edit, m.formula, m.symbol, lists.map((rows) => rows && [rows.length, rows[0].length])];
  });
  return JSON.stringify([model.lang, Boolean(model.check), shapes, model.stages, model.dims]);
}

/** A matrix's letter; head outputs are named after their head. */
export const symbolOf = (matrix, head) => fill(matrix.symbol, { h: head + 1 });

/** What a cell is called, in every sentence: X[1, 2], or A[1, 3] of head 2. The server's places.py says the same. */
export function nameOf(model, cell) {
  const matrix = model.matrices[cell.name];
  const place = `${symbolOf(matrix, cell.head)}[${cell.row + 1}, ${cell.col + 1}]`;
  const named = cell.head === null || matrix.symbol.includes("{h}");
  return named ? place : fill(model.words.place_of_head, { place, head: cell.head + 1 });
}

export class View {
  cells = new Map(); // key → <td>
  #tables = new Map(); // matrix and head → rows of <td>s
  #shown = new WeakMap(); // <td> → what it shows now
  #labels = []; // [{node, axis, index}]

  /** `bare`: no stages are laid out; `matrix` gives single tables to whoever lays them out. */
  constructor(model, words, { bare = false } = {}) {
    this.words = words;
    this.root = element("div", { class: "stages", style: `--heads: ${model.dims.h}` });
    if (bare) return;
    if (model.dims.h > 0) this.root.append(this.#headers(model));
    for (const stage of model.stages)
      if (stage.matrices.some((name) => model.matrices[name])) this.root.append(this.#stage(model, stage));
    this.patch(model);
  }

  #headers(model) {
    const fixed = Boolean(model.check) || !model.controls;
    const heads = [...Array(model.dims.h).keys()].map((head) =>
      element(
        "div",
        { class: "head-title", style: `--accent: var(--mha-head-${head})` },
        element("h3", {}, `${this.words.head} ${head + 1}`),
        fixed
          ? null
          : element(
              "button",
              {
                type: "button",
                class: "quiet",
                "data-do": "copy_head",
                "data-head": head,
                "data-focus": `copy_head ${head}`,
              },
              this.words.copy_head,
            ),
        fixed
          ? null
          : element(
              "button",
              {
                type: "button",
                class: "quiet",
                "data-do": "remove_head",
                "data-head": head,
                "data-focus": `remove_head ${head}`,
                disabled: model.dims.h === 1,
              },
              this.words.remove,
            ),
      ),
    );
    return element("div", { class: "stage head-titles" }, element("div", { class: "stage-title" }), ...heads);
  }

  #stage(model, stage) {
    const names = stage.matrices.filter((name) => model.matrices[name]);
    const shared = names.filter((name) => !model.matrices[name].perHead);
    const own = names.filter((name) => model.matrices[name].perHead);
    const row = element("section", { class: "stage", "aria-label": stage.title });
    row.append(
      element(
        "div",
        { class: "stage-title" },
        element("h3", {}, ...rich(stage.title)),
        element("p", {}, ...rich(stage.hint)),
      ),
    );
    if (shared.length)
      row.append(element("div", { class: "layer" }, ...shared.map((name) => this.matrix(model, name, null))));
    if (own.length) {
      if (shared.length) row.append(element("div", { class: "stage-title" }));
      for (let head = 0; head < model.dims.h; head++) {
        const present = own.filter((name) => rowsOf(model, name, head));
        const label = `${this.words.head} ${head + 1}`;
        row.append(
          element(
            "div",
            { class: "head", style: `--accent: var(--mha-head-${head})`, role: "group", "aria-label": label },
            element("span", { class: "chip", "aria-hidden": "true" }, label),
            ...present.map((name) => this.matrix(model, name, head)),
            this.#shared(model, own, head),
          ),
        );
      }
    }
    return row;
  }

  /** Says whose keys and values this head uses, where it has none of its own. */
  #shared(model, names, head) {
    const borrowed = names.filter(
      (name) => headOf(model, name, head) !== head && rowsOf(model, name, headOf(model, name, head)),
    );
    if (!borrowed.length) return null;
    const list = borrowed.map((name) => model.matrices[name].symbol).join(", ");
    const owner = headOf(model, borrowed[0], head) + 1;
    return element("p", { class: "shared" }, symbol(fill(this.words.shared, { list, head: owner })));
  }

  /** One matrix as a table with its caption. */
  matrix(model, name, head) {
    const matrix = model.matrices[name];
    const rows = rowsOf(model, name, head);
    const editable = isEditable(model, name, head);
    const where = head === null ? "" : `, ${this.words.head} ${head + 1}`;
    const shape = `${rows.length} × ${rows[0].length}`;
    const sign = symbolOf(matrix, head);
    const claim = isClaim(model, name);
    const formula = symbol((editable && !claim) || !matrix.formula ? sign : `${sign} = ${matrix.formula}`);
    const caption = element(
      "figcaption",
      {},
      formula,
      element("span", { class: "shape" }, shape),
      element(
        "button",
        {
          type: "button",
          class: "menu quiet",
          "data-do": "menu",
          "data-matrix": name,
          "data-head": head ?? "",
          "data-focus": `menu ${name} ${head}`,
          "aria-label": `${this.words.menu}: ${matrix.word}${where}`,
          "aria-haspopup": "menu",
        },
        "⋯",
      ),
    );
    const table = element("table", {
      role: "grid",
      "aria-label": `${matrix.word} ${sign.replaceAll("_", "")}${where}, ${shape}`,
      "aria-readonly": editable ? null : "true",
      "data-matrix": name,
      "data-head": head ?? "",
    });
    table.append(
      this.#columnHeads(model, matrix, rows[0].length),
      this.#body(model, name, head, rows, editable),
    );
    const classes = [
      "matrix",
      `hue-${matrix.hue || "none"}`,
      `scale-${matrix.scale}`,
      editable ? "editable" : "computed",
      claim ? "claim" : "",
    ];
    const parts = [caption, element("div", { class: "scroller" }, table)];
    if (editable && matrix.axes[0] === "n_q" && name === "x") parts.push(this.#addToken("tokens"));
    if (editable && name === "context") parts.push(this.#addToken("context_tokens"));
    const size = `--rows: ${rows.length}; --cols: ${rows[0].length}`;
    return element("figure", { class: classes.join(" "), style: size }, ...parts);
  }

  #addToken(which) {
    return element(
      "button",
      {
        type: "button",
        class: "quiet add",
        "data-do": "add_token",
        "data-which": which,
        "data-focus": `add ${which}`,
      },
      `+ ${this.words.token}`,
    );
  }

  #columnHeads(model, matrix, cols) {
    const line = element("tr", {}, element("td", { class: "corner" }));
    for (let col = 0; col < cols; col++) {
      const head = element("th", { scope: "col" }, element("span", { class: "label" }));
      if (matrix.axes[1] === "h·d_v") {
        head.style.setProperty("--accent", `var(--mha-head-${Math.floor(col / model.dims.d_v)})`);
        head.classList.add("accented");
        if (col % model.dims.d_v === 0 && col) head.classList.add("first");
      }
      this.#labels.push({ node: head.firstChild, axis: matrix.axes[1], index: col });
      line.append(head);
    }
    return element("thead", {}, line);
  }

  #body(model, name, head, rows, editable) {
    const matrix = model.matrices[name];
    const which = editable && { x: "tokens", context: "context_tokens" }[name];
    const body = element("tbody");
    const tds = rows.map(() => []);
    this.#tables.set(`${name} ${head}`, tds);
    rows.forEach((cells, row) => {
      const header = element("th", { scope: "row" });
      if (which) header.append(...this.#tokenEditor(which, row, rows.length));
      else {
        header.append(element("span", { class: "label" }));
        this.#labels.push({
          node: header.firstChild,
          axis: matrix.axes[0],
          index: row,
          dead: ["weights", "head_outputs"].includes(name) ? head : null,
        });
      }
      if (matrix.axes[0] === "h·d_v") {
        header.style.setProperty("--accent", `var(--mha-head-${Math.floor(row / model.dims.d_v)})`);
        header.classList.add("accented");
      }
      const line = element("tr", {}, header);
      cells.forEach((_, col) => {
        const of = key({ name, head, row, col });
        const cell = element("td", { "data-key": of, "data-focus": of, tabindex: row + col ? -1 : 0 });
        this.cells.set(of, cell);
        tds[row].push(cell);
        line.append(cell);
      });
      body.append(line);
    });
    return body;
  }

  #tokenEditor(which, index, count) {
    const name = `${this.words.token} ${index + 1}`;
    const input = element("input", {
      class: "token",
      dir: "auto",
      maxlength: 1000,
      "data-which": which,
      "data-index": index,
      "data-focus": `token ${which} ${index}`,
      "aria-label": name,
      spellcheck: "false",
      autocomplete: "off",
    });
    this.#labels.push({ node: input, axis: which === "tokens" ? "n_q" : "n_k", index });
    const remove = element(
      "button",
      {
        type: "button",
        class: "quiet remove",
        "data-do": "remove_token",
        "data-which": which,
        "data-index": index,
        "data-focus": `remove ${which} ${index}`,
        "aria-label": `${this.words.remove}: ${name}`,
        disabled: count === 1,
      },
      "×",
    );
    return [remove, input];
  }

  /** Bring every number, label and colour up to date; `drafts` hold what was typed but is no number. */
  patch(model, drafts = new Map()) {
    for (const { node, axis, index, dead } of this.#labels) {
      const text = model.labels[axis]?.[index] ?? String(index + 1);
      if (node.tagName === "INPUT") {
        if (node.getRootNode().activeElement !== node && node.value !== text) node.value = text;
        node.size = Math.min(12, Math.max(3, [...text].length + 1));
        node.title = text;
      } else {
        const isDead = dead !== null && dead !== undefined && model.dead?.[dead]?.[index];
        setText(node, isDead ? `${text} ∅` : text);
        node.title = isDead ? this.words.dead_row : text;
      }
    }
    const common = model.lens?.kind === "gradient" ? topOfAll(model) : null;
    for (const [name, matrix] of Object.entries(model.matrices)) {
      const heads = matrix.perHead ? matrix.values.keys() : [null];
      const own = () =>
        model.lens ? topOf(matrix.lens) : matrix.scale === "weights" ? 1 : topOf(matrix.values);
      const top = common ?? own();
      for (const head of heads) this.#patchMatrix(model, name, head, top, drafts);
    }
  }

  #patchMatrix(model, name, head, top, drafts) {
    const rows = rowsOf(model, name, head);
    const tds = this.#tables.get(`${name} ${head}`);
    if (!rows || !tds) return;
    const editable = isEditable(model, name, head);
    const whole =
      editable || rows.every((row) => row.every((v) => typeof v !== "number" || Number.isInteger(v)));
    const look = `${top} ${whole ? 0 : model.decimals} ${model.lens?.kind}`;
    rows.forEach((cells, row) =>
      cells.forEach((value, col) => {
        const td = tds[row][col];
        const draft = drafts.size ? drafts.get(td.dataset.key) : undefined;
        const shown = this.#shown.get(td);
        this.#mark(td, model.marks?.[td.dataset.key], model.words);
        const by = lensAt(model, { name, head, row, col });
        const sign = model.lens && markOf(model, { name, head, row, col }, by);
        if (
          shown?.value === value &&
          shown.look === look &&
          shown.draft === draft &&
          shown.by === by &&
          shown.sign === sign
        )
          return;
        if (td.firstElementChild) return; // being edited
        this.#shown.set(td, { value, look, draft, by, sign });
        setText(td, draft ?? (editable ? exact(value) : format(value, whole ? 0 : model.decimals)));
        const tone = model.lens
          ? toneOf(model, by, top)
          : typeof value === "number"
            ? Math.min(1, Math.abs(value) / top)
            : 0;
        this.#tint(td, value, tone);
        if (model.lens || shown?.sign !== undefined)
          this.#sign(td, sign, model.lens && told(model, { name, head, row, col }));
        if (shown?.draft === draft) return;
        td.classList.toggle("invalid", draft !== undefined);
        if (draft === undefined) td.removeAttribute("aria-invalid");
        else td.setAttribute("aria-invalid", "true");
      }),
    );
  }

  /** Whether what stands here is right: own, follows, doubtful or right. */
  #mark(td, mark, words) {
    if (td.dataset.mark === mark) return;
    if (mark) td.dataset.mark = mark;
    else delete td.dataset.mark;
    if (mark) td.setAttribute("aria-description", words[`mark_${mark}`]);
    else td.removeAttribute("aria-description");
  }

  /** The cell's own text is gone (an editor stood in it): show it anew at the next patch. */
  forget(td) {
    td.replaceChildren();
    this.#shown.delete(td);
  }

  #tint(td, value, tone) {
    const kind =
      value === "-inf" || value === false
        ? "hidden"
        : value === true
          ? "visible"
          : value < 0
            ? "negative"
            : "positive";
    if (td.dataset.kind !== kind) td.dataset.kind = kind;
    const step = String(Math.ceil(tone * 24) / 24); // few shades: fewer cells to style anew
    if (td.style.getPropertyValue("--tone") !== step) td.style.setProperty("--tone", step);
  }

  /** What a lens shows of a cell besides its colour, and in words. */
  #sign(td, sign, words) {
    if (sign) td.dataset.lens = sign;
    else delete td.dataset.lens;
    if (words) td.setAttribute("aria-description", words);
    else td.removeAttribute("aria-description");
  }
}
