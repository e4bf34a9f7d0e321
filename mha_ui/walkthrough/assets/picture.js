// One stage as a picture: the matrices that it reads and the one that it makes. Built once for a stage, then shown at
// a place: which cells stand there already, which are lit, and what the line of arithmetic says so far.

import { element, fill, symbol } from "../mha.bench/dom.js";
import { arithmetic, exponents, isEditable, isPerHead, key, rowsOf, termsOf } from "../mha.bench/graph.js";
import { brief, exact, format, isRounded } from "../mha.bench/numbers.js";

const MOST_TOLD = 6; // cells of a softmax row that the line of arithmetic tells
const MOST_ASKED = 64; // fields at once; more are hidden without asking

export class Picture {
  slot = null; // room in the picture for the words, where it has some
  owners = new Map(); // matrix that is read → its head
  cells = new Map(); // key → the <td>s that show it
  #results = []; // [{td, cell, text, kind, tone}] of what the stage makes, in order
  #extras = []; // of softmax: [{td, row, phase, text}]
  #dead = []; // [{th, row, text}] of what the stage makes: rows that are marked as dead

  /** `step` is null where nothing is computed; `inShort`: it is the last of the stage's steps, the others are named. */
  constructor(model, stage, step, decimals, { inShort = false } = {}) {
    this.model = model;
    this.words = model.words;
    this.stage = stage;
    this.step = step;
    this.head = stage.head;
    this.decimals = decimals;
    this.root = element("div", { class: "picture" }, inShort ? this.#chain() : null);
    this.root.append(this.#draw());
  }

  #draw() {
    const { kind } = this.stage;
    if (kind === "tokens") return this.#tokens();
    if (kind === "closing") return this.#closing();
    if (kind === "inputs" || kind === "given") return this.#givens();
    const { layout } = this.step;
    if (layout === "product") return this.#product();
    if (layout === "softmax") return this.#softmax();
    return this.#beside(layout === "concat");
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  #labels(axis, count) {
    return Array.from({ length: count }, (_, index) => this.model.labels[axis]?.[index] ?? String(index + 1));
  }

  /** The head that a matrix belongs to which this stage reads: as its cells' own terms say. */
  #owner(name, head) {
    if (!isPerHead(this.model, name)) return null;
    if (!this.step || name === this.step.name || this.step.layout === "concat") return head;
    if (!this.owners.size) {
      const first = {
        name: this.step.name,
        head: isPerHead(this.model, this.step.name) ? head : null,
        row: 0,
        col: 0,
      };
      for (const cell of termsOf(this.model, first).flat()) this.owners.set(cell.name, cell.head);
    }
    return this.owners.get(name) ?? head;
  }

  texts(name, head) {
    const rows = rowsOf(this.model, name, head);
    if (isEditable(this.model, name, head)) return rows.map((row) => row.map(exact));
    const whole = rows.every((row) =>
      row.every((value) => typeof value !== "number" || Number.isInteger(value)),
    );
    return rows.map((row) => row.map((value) => format(value, whole ? 0 : this.decimals)));
  }

  /** {node, width}: a table; `turned` lays rows across, `result` makes its cells those that the stage makes. */
  matrix(name, head, { turned = false, result = false, bars = false, label = true } = {}) {
    const of = this.#owner(name, head);
    const matrix = this.model.matrices[name];
    const rows = rowsOf(this.model, name, of);
    const texts = this.texts(name, of);
    const [down, across] = matrix.axes.map((axis, i) =>
      axis === "1" ? [""] : this.#labels(axis, i ? rows[0].length : rows.length),
    );
    const dead = (index) =>
      !turned && ["weights", "head_outputs"].includes(name) && this.model.dead?.[of]?.[index];
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const sign = fill(matrix.symbol, { h: (of ?? 0) + 1 });
    const top = this.#top(rows, bars);
    const body = rowLabels.map((text, r) => {
      const tds = colLabels.map((_, c) => {
        const [row, col] = turned ? [c, r] : [r, c];
        return this.#cell({ name, head: of, row, col }, texts[row][col], rows[row][col], {
          top,
          result,
          bars,
        });
      });
      const th = element("th", { scope: "row" }, element("bdi", {}, text));
      if (dead(r) && result) this.#dead.push({ th, row: r, text });
      else this.#label(th, text, dead(r));
      return element("tr", {}, th, ...tds);
    });
    const heads = colLabels.map((text, c) => {
      const block = matrix.axes[1] === "h·d_v" && !turned ? Math.floor(c / this.model.dims.d_v) : null;
      return element(
        "th",
        {
          scope: "col",
          title: text,
          style: block === null ? null : `box-shadow: inset 0 -3px 0 var(--mha-head-${block})`,
        },
        element("bdi", {}, text),
      );
    });
    const caption = element(
      "caption",
      {},
      symbol(sign + (turned ? "ᵀ" : "")),
      element("span", { class: "shape" }, ` ${rowLabels.length} × ${colLabels.length}`),
    );
    const hue = matrix.hue ? `hue-${matrix.hue}` : "";
    const node = element(
      "table",
      {
        class: `matrix ${hue} ${label ? "" : "bare"}`,
        style: this.#size(
          rowLabels.map((text, r) => (dead(r) ? `${text} ∅` : text)),
          colLabels,
          texts,
        ),
        "aria-label": `${matrix.word} ${sign.replaceAll("_", "")}${turned ? "ᵀ" : ""}, ${rowLabels.length} × ${colLabels.length}`,
      },
      caption,
      element("thead", {}, element("tr", {}, element("td", { class: "corner" }), ...heads)),
      element("tbody", {}, ...body),
    );
    return node;
  }

  /** A row's label; a query that may attend to nothing is marked. */
  #label(th, text, dead) {
    th.title = dead ? this.words.dead_row : text;
    th.firstChild.textContent = dead ? `${text} ∅` : text;
  }

  /** Widths in characters, so that tables that belong together can share them. */
  #size(rowLabels, colLabels, texts) {
    const cell = Math.max(
      2.2,
      ...longest(texts.flat()).map(width),
      ...colLabels.map((text) => Math.min(14, width(text) - 0.8)),
    );
    return `--cols: ${colLabels.length}; --cell: ${cell.toFixed(1)}; --label: ${Math.min(14, Math.max(1, ...rowLabels.map(width)) + 0.3).toFixed(1)}`;
  }

  #cell(cell, text, value, { top, result, bars }) {
    const of = key(cell);
    const tone = typeof value === "number" ? Math.min(1, Math.abs(value) / top) : 0;
    const kind =
      value === "-inf" || value === false
        ? "hidden"
        : value === true
          ? "visible"
          : value < 0
            ? "negative"
            : bars
              ? "bar"
              : "positive";
    const td = element(
      "td",
      { "data-key": of, "data-kind": kind, style: `--tone: ${tone.toFixed(3)}` },
      element("span", {}, text),
    );
    if (!this.cells.has(of)) this.cells.set(of, []);
    this.cells.get(of).push(td);
    if (result) this.#results.push({ td, cell, text, value, kind, tone: tone.toFixed(3) });
    return td;
  }

  #top(rows, bars) {
    if (bars) return 1;
    return (
      rows
        .flat()
        .reduce((most, value) => (typeof value === "number" ? Math.max(most, Math.abs(value)) : most), 0) || 1
    );
  }

  // --- layouts ---------------------------------------------------------------------------------------------------

  #product() {
    const [left, right, ...bias] = this.step.operands.filter(([name]) =>
      rowsOf(this.model, name, this.#owner(name, this.head)),
    );
    const factor = this.matrix(left[0], this.head, { bars: this.#isSoftmax(left[0]) });
    const above = [
      this.matrix(right[0], this.head, { turned: right[1] === "jk" }),
      ...bias.map(([name]) => this.matrix(name, this.head)),
    ];
    const result = this.matrix(this.step.name, this.head, { result: true });
    shareWidth([...above, result]);
    const deep = rowsOf(this.model, left[0], this.#owner(left[0], this.head))[0].length >= 8;
    const corner = element("div", { class: "corner" });
    if (deep) this.slot = corner;
    return element(
      "div",
      { class: "product" },
      corner,
      element("div", { class: "above" }, ...above),
      element("div", { class: "left" }, factor),
      element("div", { class: "result" }, result),
    );
  }

  #isSoftmax(name) {
    return this.model.steps[name]?.op === "softmax";
  }

  /** Scores, right of them their powers, and below those the weights: each power stands above what it becomes. */
  #softmax() {
    const [source] = this.step.operands[0];
    const scores = this.matrix(source, this.head);
    const weights = this.matrix(this.step.name, this.head, { result: true, bars: true });
    if (!this.stage.powers) return element("div", { class: "beside" }, scores, arrow(), weights);
    const powers = this.#powers();
    shareWidth([powers, weights]);
    this.slot = element("div", { class: "slot" });
    const sum = element("span", { class: "operator" }, `↓ ÷ ${this.words.sum}`);
    return element(
      "div",
      { class: "softmax" },
      scores,
      arrow(),
      powers,
      this.slot,
      element("span", {}),
      element("div", {}, sum, weights),
    );
  }

  /** The exponentials and their sum, row by row. */
  #powers() {
    const { powers } = this.stage;
    const flat = powers.flatMap((row) => [...row.powers, row.total]);
    const whole = flat.every(Number.isInteger);
    const show = (value) => format(value, whole ? 0 : this.decimals);
    const [rows, cols] = this.model.matrices[this.step.name].axes;
    const columns = [...this.#labels(cols, powers[0].powers.length), this.words.sum];
    const labels = this.#labels(rows, powers.length);
    const shifted = powers.some((row) => row.shift);
    const body = powers.map((row, index) => {
      const tds = [...row.powers, row.total].map((value, col) => {
        const phase = col === row.powers.length ? 1 : 0;
        const td = element("td", {
          "data-kind": phase ? "sum" : "power",
          "data-power": `${index}|${phase ? "sum" : col}`,
        });
        this.#extras.push({ td, row: index, phase, text: show(value) });
        return td;
      });
      return element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, labels[index])), ...tds);
    });
    const caption = element(
      "caption",
      {},
      element("span", { class: "symbol" }, "e", element("sup", {}, shifted ? "s − max" : "s")),
    );
    return element(
      "table",
      {
        class: "matrix powers",
        style: this.#size(labels, columns, [flat.map(show)]),
        "aria-label": this.words.power,
      },
      caption,
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td", { class: "corner" }),
          ...columns.map((text) => element("th", { scope: "col" }, element("bdi", {}, text))),
        ),
      ),
      element("tbody", {}, ...body),
    );
  }

  #beside(concat) {
    const heads = concat ? [...Array(this.model.dims.h).keys()] : [this.head];
    const operands = this.step.operands.flatMap(([name]) => heads.map((head) => this.matrix(name, head)));
    const divisor =
      this.step.op === "divide"
        ? [element("span", { class: "operator" }, "÷ ", symbol(this.step.formula.split("÷ ")[1] ?? ""))]
        : [];
    const sign = element("span", { class: "operator", "aria-hidden": "true" }, "=");
    const result = this.matrix(this.step.name, this.head, { result: true });
    const between = { add: "+" }[this.step.op];
    const laid = operands.flatMap((node, i) =>
      i && between ? [element("span", { class: "operator" }, between), node] : [node],
    );
    if (operands.length === 1) return element("div", { class: "beside" }, ...laid, ...divisor, sign, result);
    this.slot = element("div", { class: "slot" });
    shareWidth(concat ? [result] : [operands[0], result]);
    return element(
      "div",
      { class: "rows" },
      element("div", { class: "beside" }, ...laid),
      element("div", { class: "beside" }, result, this.slot),
    );
  }

  #givens() {
    const names = [...new Set(this.stage.parts.map(([name]) => name))];
    return element(
      "div",
      { class: "beside" },
      ...names.map((name) => this.matrix(name, this.head, { result: true, bars: name === "weights" })),
    );
  }

  #tokens() {
    const { labels, matrices } = this.model;
    const rows = [
      labels.n_q,
      ...(matrices.context || labels.n_k.length !== labels.n_q.length ? [labels.n_k] : []),
    ];
    return element(
      "div",
      { class: "tokens" },
      ...rows.map((tokens) =>
        element("ol", {}, ...tokens.map((token) => element("li", {}, element("bdi", {}, token)))),
      ),
    );
  }

  /** The steps of a further head by their letters. */
  #chain() {
    return element(
      "div",
      { class: "chain" },
      ...this.stage.steps.flatMap((step, i) => [
        i ? arrow() : null,
        element("span", { class: "link" }, symbol(step.symbol)),
      ]),
    );
  }

  #closing() {
    const { matrix, looked, keys } = this.model.closing;
    const shown = rowsOf(this.model, "weights", 0);
    const rows = shown.map((_, query) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, element("bdi", {}, this.model.labels.n_q[query])),
        ...looked.map((head) => this.#looked(head[query], keys)),
      ),
    );
    const heads = looked.map((_, head) =>
      element(
        "th",
        { scope: "col", style: `box-shadow: inset 0 -3px 0 var(--mha-head-${head})` },
        `${this.words.head} ${head + 1}`,
      ),
    );
    const table = element(
      "table",
      { class: "matrix looks" },
      element("caption", {}, this.words.looks_at),
      element("thead", {}, element("tr", {}, element("td", { class: "corner" }), ...heads)),
      element("tbody", {}, ...rows),
    );
    this.slot = element("div", { class: "slot" });
    return element(
      "div",
      { class: "rows" },
      element("div", { class: "beside" }, ...(matrix ? [this.matrix(matrix, null)] : []), this.slot),
      table,
    );
  }

  #looked(found, keys) {
    if (!found) return element("td", {}, this.words.nothing);
    const [index, weight] = found;
    return element(
      "td",
      { "data-kind": "bar", style: `--tone: ${weight.toFixed(3)}` },
      element("bdi", {}, keys[index]),
      ` ${format(weight, this.decimals)}`,
    );
  }

  // --- showing a place -------------------------------------------------------------------------------------------

  /**
   * Bring the picture to a place. `hiding`: what this place makes is asked for, not shown; `answers`: what was filled
   * in; `ask` is called with a cell's field when it is made.
   */
  show(place, { hiding, revealed, answers, onAnswer }) {
    const state = this.#stateAt(place, hiding || revealed);
    const asked = hiding || revealed ? this.#results.filter((one) => state(one.cell) === "now") : [];
    const fields = hiding && asked.length <= MOST_ASKED;
    const askedCells = new Set(asked);
    for (const one of this.#results) {
      const when = state(one.cell);
      const { td } = one;
      td.classList.toggle("later", when === "later");
      td.classList.toggle("now", when === "now" && place.part !== null);
      this.#fillCell(
        one,
        askedCells.has(one)
          ? hiding
            ? fields
              ? "field"
              : "hidden"
            : "told"
          : when === "later"
            ? "hidden"
            : "shown",
        answers,
        onAnswer,
      );
    }
    const unknown = new Set(
      this.#results.filter((one) => ["field", "hidden"].includes(one.look)).map(({ cell }) => cell.row),
    );
    for (const { th, row, text } of this.#dead) this.#label(th, text, !unknown.has(row));
    this.#showPhases(place, hiding);
    this.#light(place);
    return asked;
  }

  #fillCell(one, how, answers, onAnswer) {
    const of = key(one.cell);
    const answer = answers.get(of);
    const look = how === "told" ? `told ${answer?.text ?? ""}` : how;
    if (one.look === look || (one.look === undefined && look === "shown")) return;
    one.look = look;
    one.td.classList.remove("right", "wrong", "asked");
    const { words } = this;
    const unknown = how === "field" || how === "hidden"; // then neither the colour nor the bar may tell
    one.td.dataset.kind = unknown ? "unknown" : one.kind;
    one.td.style.setProperty("--tone", unknown ? 0 : one.tone);
    if (how === "field") {
      one.td.classList.add("asked");
      const place = `[${one.cell.row + 1}, ${one.cell.col + 1}]`;
      const input = element("input", {
        class: "answer",
        inputmode: "decimal",
        autocomplete: "off",
        spellcheck: "false",
        size: 4,
        "data-of": of,
        "aria-label": fill(words.your_number, { place }),
      });
      input.value = answer?.text ?? "";
      input.addEventListener("input", () => onAnswer(one, input.value));
      one.td.replaceChildren(input);
    } else if (how === "told" && answer?.text) {
      one.td.classList.add(answer.right ? "right" : "wrong");
      const mark = element(
        "span",
        { class: "mark", role: "img", "aria-label": answer.right ? words.right : words.wrong },
        answer.right ? "✓" : "✗",
      );
      const was = answer.right
        ? null
        : element("s", { "aria-label": fill(words.was, { text: answer.text }) }, answer.text);
      one.td.replaceChildren(mark, element("span", {}, one.text), was ?? "");
    } else if (how === "hidden") {
      one.td.replaceChildren(
        element("span", { class: "unknown", role: "img", "aria-label": words.unfilled }, "·"),
      );
    } else one.td.replaceChildren(element("span", {}, one.text));
  }

  /** Whether the beats of a part lead to one result, as terms to their sum: not to a cell each. */
  isOneResult(place) {
    return this.step.layout === "softmax" || (this.step.layout !== "concat" && this.#isCell(place));
  }

  /** cell → "before", "now" or "later", at this place; `asked`: a result is asked for before what leads to it. */
  #stateAt(place, asked) {
    if (place.part === null) return () => "now";
    const whole = this.stage.kind === "head";
    const [name, , top, bottom, left, right] = this.stage.parts[place.part];
    const isNow = ({ row, col }) => row >= top && row < bottom && col >= left && col < right;
    if (whole) return () => "now";
    const index = (cell) =>
      this.stage.parts.findIndex(
        ([matrix, , t, b, l, r]) =>
          matrix === cell.name && cell.row >= t && cell.row < b && cell.col >= l && cell.col < r,
      );
    return (cell) => {
      if (cell.name === name && isNow(cell))
        return asked && this.isOneResult(place) ? "now" : this.#beatState(cell, place);
      return index(cell) < place.part ? "before" : "later";
    };
  }

  #beatState(cell, { part, beat }) {
    if (beat === null || !this.step) return "now";
    const [, , top, , left, , beats] = this.stage.parts[part];
    const concat = this.step.layout === "concat";
    if (this.isOneResult({ part })) return beat === beats - 1 ? "now" : "later";
    const at = concat ? cell.row - top : cell.col - left;
    return at < beat ? "before" : at === beat ? "now" : "later";
  }

  #showPhases(place, hiding) {
    for (const { td, row, phase, text } of this.#extras) {
      const part = place.part ?? Infinity;
      const reached = row < part || (row === part && (place.beat === null || place.beat >= phase));
      const later = !reached || (hiding && (place.part === null || row === part));
      td.classList.toggle("later", later);
      td.replaceChildren(element("span", {}, later ? "" : text));
      td.classList.toggle("now", row === part);
    }
  }

  /** The cell whose arithmetic is told at this place: the part's own, or the first of what appears now. */
  focus(place) {
    if (!this.step || this.stage.kind === "closing") return null;
    const head = this.#owner(this.step.name, this.head);
    if (place.part === null || this.stage.kind === "head")
      return { name: this.step.name, head, row: 0, col: 0 };
    const [, , top, , left, right] = this.stage.parts[place.part];
    const concat = this.step.layout === "concat";
    const single = (right - left === 1 && !concat) || this.step.layout === "softmax" || place.beat === null;
    if (single) return { name: this.step.name, head, row: top, col: left };
    return {
      name: this.step.name,
      head,
      row: top + (concat ? place.beat : 0),
      col: left + (concat ? 0 : place.beat),
    };
  }

  #lit = [];

  #light(place) {
    for (const [td, name] of this.#lit) td.classList.remove(name);
    this.#lit = [];
    if (place.part === null || this.stage.kind === "head") return;
    const cell = this.focus(place);
    if (!cell) return;
    const summed = this.step.layout === "product" && this.#isCell(place);
    termsOf(this.model, cell).forEach((term, k) => {
      const name =
        !summed || place.beat === null || k < place.beat ? "operand" : k === place.beat ? "term" : null;
      if (name) for (const one of term) this.#mark(one, name);
    });
    this.#mark(cell, "current");
  }

  #isCell({ part }) {
    const [, , top, bottom, left, right] = this.stage.parts[part];
    return bottom - top === 1 && right - left === 1;
  }

  #mark(cell, name) {
    for (const td of this.cells.get(key(cell)) ?? []) {
      td.classList.add(name);
      this.#lit.push([td, name]);
    }
  }

  /** The arithmetic of a place as nodes: terms not yet reached keep their room, unseen; what is asked for, not at all. */
  line(place, { hiding }) {
    const cell = this.focus(place);
    if (!cell || (hiding && place.part === null)) return [];
    const how = {
      show: (number) => brief(number, this.decimals),
      rounds: (number) => isRounded(number, this.decimals),
      most: place.part === null ? 10 : Infinity,
    };
    const terms = termsOf(this.model, cell).length;
    const reached =
      this.step.layout === "product" && place.beat !== null && this.#isCell(place) ? place.beat : Infinity;
    const matrix = this.model.matrices[cell.name];
    const sign = fill(matrix.symbol, { h: (this.head ?? 0) + 1 });
    const softmax = this.step.layout === "softmax" && place.part !== null && this.stage.powers;
    const where = softmax ? `[${cell.row + 1}, …]` : `[${cell.row + 1}, ${cell.col + 1}]`;
    const named =
      softmax && place.beat !== null && place.beat < 2
        ? place.beat
          ? `${this.words.sum} ${cell.row + 1}`
          : ""
        : null;
    if (hiding) return [element("span", { class: "place" }, symbol(sign), `${where} = ?`)];
    const nodes = [
      element(
        "span",
        { class: "place" },
        ...(named === null ? [symbol(sign), `${where} = `] : [named && `${named} = `]),
      ),
    ];
    let group = 0;
    const pieces = this.#pieces(cell, how, place);
    pieces.forEach((piece, index) => {
      if (piece.text === " + ") group += 1;
      const last = index >= pieces.length - 2 && pieces.at(-1).strong;
      const unseen = last ? reached < terms - 1 : group > reached;
      nodes.push(this.#piece(piece, unseen, group === reached && !last && piece.text !== " + "));
    });
    return nodes;
  }

  /** Softmax is told as it is computed, for the whole row: powers, their sum, the divisions. */
  #pieces(cell, how, place) {
    const powers = this.step.layout === "softmax" && place.part !== null && this.stage.powers?.[cell.row];
    if (!powers || !powers.total) return arithmetic(this.model, cell, how);
    const told = (number) => ({ number: how.show(number), cell });
    const equals = (number) => ({ text: how.rounds(number) ? " ≈ " : " = " });
    const each = powers.powers
      .slice(0, MOST_TOLD)
      .map((power, col) => this.#told({ ...cell, col }, power, powers, place.beat, { ...how, told, equals }));
    if (place.beat === 1) {
      const terms = powers.powers.flatMap((power, i) => [...(i ? [{ text: " + " }] : []), told(power)]);
      return [...terms, equals(powers.total), { ...told(powers.total), strong: true }];
    }
    const more = powers.powers.length > MOST_TOLD ? [{ text: ", …", quiet: true }] : [];
    return [...each.flatMap((pieces, i) => [...(i ? [{ text: ", " }] : []), ...pieces]), ...more];
  }

  /** One cell of a softmax row: its power, or its division. */
  #told(cell, power, powers, beat, { show, told, equals }) {
    const value = rowsOf(this.model, cell.name, cell.head)[cell.row][cell.col];
    if (beat !== 0)
      return [
        told(power),
        { text: ` ÷ ${show(powers.total)}` },
        equals(value),
        { ...told(value), strong: true },
      ];
    return [
      { text: "e" },
      { power: exponents(this.model, cell, show)[cell.col], cell },
      equals(power),
      told(power),
    ];
  }

  #placed({ name, head, row, col }) {
    return [
      symbol(fill(this.model.matrices[name].symbol, { h: (head ?? 0) + 1 })),
      `[${row + 1}, ${col + 1}]`,
    ];
  }

  #piece(piece, unseen, fresh) {
    const classes =
      [unseen ? "unseen" : "", fresh ? "fresh" : "", piece.quiet ? "quiet" : ""].join(" ").trim() || null;
    if (piece.text !== undefined) return element("span", { class: classes }, piece.text);
    if (piece.place) return element("span", { class: classes }, ...this.#placed(piece.place));
    const hue = this.model.matrices[piece.cell?.name]?.hue;
    const name = [classes, "number", hue ? `hue-${hue}` : ""].filter(Boolean).join(" ");
    return element(
      piece.power !== undefined ? "sup" : piece.strong ? "strong" : "span",
      { class: name },
      piece.power ?? piece.number,
    );
  }
}

const arrow = () => element("span", { class: "operator", "aria-hidden": "true" }, "→");

/** How wide a text stands, in digits of the page's own font. */
function width(text) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!widths.size) ruler.font = `16px ${getComputedStyle(document.body).fontFamily}`;
  if (!widths.has(text)) widths.set(text, ruler.measureText(text).width / ruler.measureText("0").width);
  if (widths.size > 20_000) widths.clear();
  return widths.get(text) ?? text.length;
}
/** Of numbers it is enough to measure the longest. */
function longest(texts) {
  const most = texts.reduce((length, text) => Math.max(length, text.length), 0);
  return [...new Set(texts.filter((text) => text.length >= most - 1))].slice(0, 40);
}
let ruler = null;
const widths = new Map();

/** Tables that stand above one another share their columns. */
function shareWidth(tables) {
  for (const name of ["--cell", "--label"]) {
    const most = Math.max(...tables.map((table) => Number(table.style.getPropertyValue(name))));
    for (const table of tables) table.style.setProperty(name, most);
  }
}
