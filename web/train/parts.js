// The parts of the page Train, in one language.

import { element } from "../kit/dom.js";
import { Ask } from "./ask.js";
import { Curves } from "./curves.js";
import { Maps } from "./maps.js";
import { Setup } from "./setup.js";
import { Switches } from "./switches.js";

/** @typedef {import("./setup.js").SetupHost & { go: (step: number) => void; choose: (head: TrainHead) => void;
 *   explore: () => void; ask: (prompt: string) => void; toggle: (head: TrainHead, isOn: boolean) => void;
 *   swap: (heads: TrainHead[]) => void }} PartsHost */

/** @param {TrainData} data @param {PartsHost} host */
export function partsOf(data, host) {
  const { words } = data;
  const setup = new Setup(data, host);
  const curves = new Curves(words, host.go);
  const maps = new Maps(words, { choose: host.choose, go: host.go, open: host.explore });
  const ask = new Ask(words, host.ask);
  const switches = new Switches(words, host);
  const side = element("div", { class: "side" }, switches.root, ask.root);
  const shown = element("div", { class: "shown", hidden: true }, curves.root, maps.root, side);
  return { setup, curves, maps, ask, switches, side, shown };
}
