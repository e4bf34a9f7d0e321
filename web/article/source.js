// The text with each matrix in a frame, and each wrong number with the right one.

import { accent, button, element, fill, setText, span, symbol } from "../kit/dom.js";

export class Source {
  /**
   * @param {Record<string, string>} words
   * @param {(matrix: number) => void} goTo
   */
  constructor(words, goTo) {
    this.words = words;
    this.goToMatrix = goTo;
    this.text = element("pre", { class: "text", tabindex: "0", role: "region", "aria-label": words.text });
    this.note = element("p", { class: "note", role: "status" });
    this.root = element("section", { class: "source" }, this.text, this.note);
  }

  /**
   * @param {Article} article
   * @param {boolean} isNew it is another text, which begins at its first wrong number
   */
  update(article, isNew) {
    const { scrollTop } = this.text;
    this.text.replaceChildren(...this.#framed(article));
    const first = isNew ? this.text.querySelector(".mark") : null;
    const top = first instanceof HTMLElement ? first.offsetTop - this.text.clientHeight / 2 : 0;
    this.text.scrollTop = isNew ? top : scrollTop;
    setText(this.note, "");
  }

  /** @param {Article} article */
  *#framed({ pieces, matrices, marks }) {
    let frame = /** @type {HTMLElement | null} */ (null);
    let framed = /** @type {number | null} */ (null);
    for (const [text, matrix, mark] of pieces) {
      if (matrix === null) {
        yield document.createTextNode(text);
        frame = null;
      } else {
        if (!frame || framed !== matrix) {
          frame = this.#frame(matrices[matrix], matrix);
          yield frame;
        }
        frame.append(mark === null ? text : this.#mark(text, marks[mark], mark));
      }
      framed = matrix;
    }
  }

  /**
   * @param {ArticleMatrix} matrix
   * @param {number} number
   */
  #frame(matrix, number) {
    const { name, hue, head, sure } = matrix;
    const letter = name ? `${matrix.symbol}${sure ? "" : " ?"}` : this.words.unused;
    const label = fill(this.words.matrix, { symbol: letter });
    const tag = button(
      { class: "tag", "aria-label": label, title: label, onclick: () => this.goToMatrix(number) },
      symbol(letter),
    );
    const kind = !name ? "unused" : sure ? "sure" : "guess";
    const style = head === null ? null : accent(head);
    return element(
      "span",
      { class: `frame hue-${hue || "none"} ${kind}`, style, data: { matrix: number } },
      tag,
    );
  }

  /**
   * @param {string} printed
   * @param {ArticleMark} mark
   * @param {number} number
   */
  #mark(printed, { right, own, line, cause }, number) {
    const why = cause || (own ? "" : this.words.follows);
    const text = fill(this.words.wrong, { printed, line, cause: why });
    const onclick = () => setText(this.note, `${line} ${why}`);
    return button(
      {
        class: `mark ${own ? "own" : "follows"}`,
        "aria-label": text,
        title: text,
        data: { mark: number },
        onclick,
      },
      element("del", {}, printed),
      span("between", " "),
      element("ins", {}, right),
    );
  }

  /** @param {number} matrix */
  showMatrix(matrix) {
    this.#show(this.text.querySelector(`[data-matrix="${matrix}"] > .tag`));
  }

  /** Go to a wrong number, and say what is wrong there. @param {number} mark */
  goTo(mark) {
    const node = this.text.querySelector(`[data-mark="${mark}"]`);
    this.#show(node);
    if (node instanceof HTMLElement) node.click();
  }

  /** @param {Element | null} node */
  #show(node) {
    node?.scrollIntoView({ block: "center" });
    if (node instanceof HTMLElement) node.focus({ preventScroll: true });
  }
}
