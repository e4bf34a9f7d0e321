// Under a lesson's puzzle: that this browser has solved it, and with how few changes.

import { element, fill, setText } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { solvedPuzzles } from "../kit/solved_puzzles.js";

/** @typedef {{ puzzle: string; told: string }} SolvedData the puzzle's key, and the sentence with its `{count}` */

class Solved {
  /** @param {Component<SolvedData>} component */
  constructor({ parentElement }) {
    this.told = element("p", { class: "mha-solved" });
    parentElement.append(this.told);
  }

  /** @param {Component<SolvedData>} component */
  update({ data: { puzzle, told } }) {
    const count = solvedPuzzles()[puzzle];
    setText(this.told, count === undefined ? "" : `✓ ${fill(told, { count })}`);
  }

  unmount() {
    this.told.remove();
  }
}

export default mounting((/** @type {Component<SolvedData>} */ component) => new Solved(component));
