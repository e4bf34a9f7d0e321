// The parts of the page Train, in one language.

import { element, fill, p, setRich } from "../kit/dom.js";
import { Ask } from "./ask.js";
import { Asked } from "./asked.js";
import { Curves, modelText } from "./curves.js";
import { Maps } from "./maps.js";
import { capital } from "./questions.js";
import { Setup } from "./setup.js";
import { Smallest } from "./smallest.js";
import { Switches } from "./switches.js";

/** @typedef {Omit<import("./setup.js").SetupHost, "exercise"> & { go: (step: number) => void; choose: (head: TrainHead) => void;
 *   explore: () => void; ask: (prompt: string) => void; toggle: (heads: TrainHead[], isOn: boolean) => void;
 *   swap: (heads: TrainHead[]) => void; handIn: () => void }} PartsHost */

/** What is shown of a recording: at `step`, and of the model of the step that is `asked`.
 *  `isPast`: a training has begun, and has no steps yet.
 *  @typedef {import("./curves.js").CurvesValues & { asked: number; canHandIn: boolean; isPast: boolean;
 *   questions: import("./questions.js").Questions }} Shown */

/** @param {TrainData} data @param {PartsHost} host */
export function partsOf(data, host) {
  const { words } = data;
  const curves = new Curves(words, host.go);
  const exercise = () => smallest.root.scrollIntoView({ block: "center" });
  const setup = new Setup(data, { ...host, exercise }, curves.playing);
  const maps = new Maps(words, { choose: host.choose, go: host.go, open: host.explore });
  const ask = new Ask(words, host.ask);
  const switches = new Switches(words, host);
  const smallest = new Smallest(data, { handIn: host.handIn, showSettings: () => setup.showSettings() });
  const asked = new Asked(words, host.go);
  const side = element("div", { class: "side" }, asked.root, smallest.root, ask.root, switches.root);
  const past = p("past");
  const stage = element("div", { class: "watch", data: { part: "" } }, curves.root, maps.root);
  const shown = element("div", { class: "shown", hidden: true }, past, stage, curves.about, side);

  /** @param {Shown} values */
  const show = ({ recording, before, step, asked: at, head, questions, canHandIn, isPast }) => {
    shown.classList.toggle("is-past", isPast);
    past.hidden = !isPast;
    setRich(past, capital(fill(words.before, { model: modelText(words, recording.begun) })));
    const { off, measured, swapped, answered, fault, isAsking, isSwapping, swapFault, judged, size } =
      questions;
    curves.update({ recording, before, step, head });
    maps.update({ recording, step, head, asked: at });
    asked.update({ recording, shown: step, asked: at });
    smallest.update({ recording, step: at, size, judged, canHandIn });
    switches.update({ recording, step: at, off, measured, swapped, isSwapping, swapFault });
    ask.update({ recording, step: at, head, answered, fault, isBusy: isAsking });
  };
  return { setup, curves, maps, ask, side, shown, show };
}
