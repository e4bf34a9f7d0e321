// “Read an article”: a text is pasted or opened, its matrices are shown as they were read, and its wrong numbers are
// marked where they are printed.

import { div, element, setText } from "../kit/dom.js";
import { storePlace } from "../kit/last_work.js";
import { mounting } from "../kit/mount.js";
import { ofTab } from "../kit/storage.js";
import { Intake, receiveDrops } from "./intake.js";
import { Reading } from "./reading.js";
import { Source } from "./source.js";

/** @typedef {{ at: number; name: string; head: number | null; turned: boolean }} Choice */
/** @typedef {{ matrices: Choice[]; form: string | null; scale: string | number | null; mask: string | null }} Choices */

const STORED = "mha.article"; // the text that no link can contain: a reload opens it again

const MOST_NAMED = 40; // characters of a text without a name

class ArticlePage {
  /** The text that was sent last. @type {import("./intake.js").Sent | null} */
  #sent = ofTab.get(STORED);
  #isNew = true;
  /** @type {Choices} what was chosen, also what the server does not know yet */
  #choices = { matrices: [], form: null, scale: null, mask: null };
  /** @type {(act: Record<string, unknown>) => void} */
  #send = () => {};
  #shown = "";
  #text = "";

  #lang = "";
  /** All that is made for one language. @type {ReturnType<ArticlePage["build"]>} */
  #parts;

  /** @param {Component<ArticleData>} component */
  constructor({ parentElement, data }) {
    this.root = div("bench article");
    this.#parts = this.build(data);
    receiveDrops(this.root, (file) => this.#parts.intake.openFile(file));
    parentElement.append(this.root);
  }

  /** @param {ArticleData} data */
  build(data, draft = "") {
    const intake = new Intake(data, draft, (text) => this.#read(text));
    const refused = element("p", { class: "refused", role: "alert" });
    const source = new Source(data.words, (matrix) => reading.goTo(matrix));
    const reading = new Reading(data, {
      choose: (choice) => this.#choose(choice),
      undo: (at) => this.#undo(at),
      set: (name, value) => this.#change({ [name]: value }),
      open: (example, to) => this.#send({ op: "open", example, to }),
      show: (matrix) => source.showMatrix(matrix),
      goTo: (mark) => source.goTo(mark),
    });
    const opened = div("opened", source.root, reading.root);
    this.root.replaceChildren(intake.root, refused, opened);
    this.#lang = data.lang;
    return { intake, refused, source, reading, opened };
  }

  unmount() {
    this.root.remove();
  }

  /** @param {Component<ArticleData>} component */
  update({ data, setTriggerValue }) {
    this.#send = (act) => setTriggerValue("act", { ...act, at: Date.now() }); // the same twice is sent twice
    this.#choices = /** @type {Choices} */ (data.choices);
    if (data.lang !== this.#lang) this.#parts = this.build(data, this.#parts.intake.draft);
    const { article } = data;
    if (this.#isNew && !article && this.#sent) this.#read(this.#sent);
    else if (!data.refused) ofTab.set(STORED, article && !data.token ? this.#sent : null);
    this.#isNew = false;
    const { intake, refused, source, reading, opened } = this.#parts;
    intake.update(article !== null);
    setText(refused, data.refused);
    refused.hidden = !data.refused;
    opened.hidden = !article;
    const shown = JSON.stringify(data);
    if (!article || shown === this.#shown) return;
    this.#shown = shown;
    const text = article.pieces.map(([piece]) => piece).join("");
    source.update(article, text !== this.#text);
    this.#text = text;
    if (data.token)
      storePlace(
        "check",
        { article: data.token },
        data.name || text.replace(/^[#\s]+/, "").slice(0, MOST_NAMED),
      );
    reading.update(data, article);
  }

  /** @param {import("./intake.js").Sent} text */
  #read(text) {
    this.#sent = text;
    this.#send({ op: "read", ...text });
  }

  /** @param {Choice} choice */
  #choose(choice) {
    const others = this.#choices.matrices.filter(({ at }) => at !== choice.at);
    this.#change({ matrices: [...others, choice] });
  }

  /** @param {number} at the matrix that is again what was read */
  #undo(at) {
    this.#change({ matrices: this.#choices.matrices.filter((one) => one.at !== at) });
  }

  /** @param {Partial<Choices>} change */
  #change(change) {
    this.#choices = { ...this.#choices, ...change };
    this.#send({ op: "choose", choices: this.#choices });
  }
}

export default mounting((component) => new ArticlePage(/** @type {Component<ArticleData>} */ (component)));
