// What else there is to do with the backward tables: to check one's own numbers, to set them as an exercise, to save them.

import { button, div, download, element, p } from "../../kit/dom.js";
import { key, labelOf, rowsOf } from "../../kit/graph.js";
import { toCsv, toMarkdown } from "../../kit/numbers.js";
import { targetsOf } from "./goals.js";

/** What an exercise asks for first: the way back through the softmax to W_Q. */
const ASKED = ["softmax_sums", "d_scaled_scores", "d_scores", "d_q", "d_w_q"];

/** @typedef {{ title: string; rows: Value[][]; down: string[]; across: string[] }} Listed */

export class Ways {
  root = element("details", { class: "learning-ways" });
  #links;

  /**
   * @param {{ readonly model: ExploreModel; settled: () => unknown }} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    const save = (/** @type {string} */ type, /** @type {(tables: Listed[]) => string} */ write) => () =>
      download(
        `backward.${type === "csv" ? "csv" : "md"}`,
        `text/${type};charset=utf-8`,
        write(listed(host.model, words)),
      );
    const way = (
      /** @type {string} */ focus,
      /** @type {string} */ text,
      /** @type {() => unknown} */ onclick,
    ) => button({ data: { focus: `backward ${focus}` }, onclick }, text);
    const go = (/** @type {boolean} */ isExercise) => async () => {
      await host.settled();
      window.location.assign(checkTo(host.model, isExercise));
    };
    this.#links = [
      way("check", words.backward_check, go(false)),
      way("exercise", words.backward_exercise, go(true)),
    ];
    const files = [
      way("csv", words.backward_csv, save("csv", csvOf)),
      way("markdown", words.backward_markdown, save("markdown", markdownOf)),
    ];
    this.root.append(
      element("summary", { data: { focus: "backward ways" } }, words.backward_ways),
      div("ways", ...this.#links, ...files),
      p("quiet-text", words.backward_latex),
    );
  }

  /** @param {ExploreModel} model */
  update(model) {
    this.root.hidden = !model.learning?.stages.length;
    for (const link of this.#links) link.hidden = !model.asks; // there is no such page without a server
  }
}

/** @type {(model: ExploreModel, isExercise: boolean) => string} */
function checkTo(model, isExercise) {
  const ask = ASKED.filter((name) => model.matrices[name]).join(".");
  const query = new URLSearchParams({ ...model.address, ...(isExercise ? { ask } : {}) });
  return `check?${query}${isExercise ? "" : `#${firstSlope(model)}`}`;
}

/** The key of the first number of the first derivative. @param {ExploreModel} model */
function firstSlope({ learning, matrices }) {
  const names = (learning?.stages ?? []).flatMap((stage) => stage.matrices);
  const name = names.find((one) => one.startsWith("d_")) ?? "";
  const [{ aim }] = targetsOf(learning?.goal);
  return key({ name, head: matrices[name].perHead ? (aim.head ?? 0) : null, row: 0, col: 0 });
}

/** Every backward table in order, with its formula. @type {(model: ExploreModel, words: Record<string, string>) => Listed[]} */
export function listed(model, words) {
  const names = (model.learning?.stages ?? []).flatMap(({ matrices }) => matrices);
  return names.flatMap((name) => {
    const { perHead, axes, symbol, formula } = model.matrices[name];
    const heads = perHead ? [...Array(model.dims.h).keys()] : [null];
    return heads.flatMap((head) => {
      const rows = rowsOf(model, name, head);
      if (!rows) return [];
      const [down, across] = [rows, rows[0]].map((line, axis) =>
        line.map((_, index) => labelOf(model, axes[axis], index)),
      );
      const sign = symbol.replace("{h}", String((head ?? 0) + 1));
      const of = head === null ? "" : `${words.head} ${head + 1}: `;
      return [{ title: `${of}${sign}${formula ? ` = ${formula}` : ""}`, rows, down, across }];
    });
  });
}

/** @type {(tables: Listed[]) => string} */
const csvOf = (tables) =>
  `\ufeff${tables.map(({ title, rows, down, across }) => toCsv(rows, down, across, title)).join("\r\n")}`;

/** @type {(tables: Listed[]) => string} */
const markdownOf = (tables) =>
  tables
    .map(({ title, rows, down, across }) => `\`${title}\`\n\n${toMarkdown(rows, down, across)}`)
    .join("\n");
