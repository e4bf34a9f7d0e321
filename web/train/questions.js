// What the model of a step is asked: an answer, what is right without some heads, and with two of them swapped.

import { Refusal } from "./channel.js";

const REST = 400; // ms that the slider rests before the model of its step is asked

/** `goal`: the task of the exercise.
 *  @typedef {{ goal: string; send: (wish: Record<string, unknown>) => Promise<any>; show: () => void;
 *   at: () => { recording: import("./recording.js").Recording | null; step: number; isMoving: boolean } }} QuestionsHost */

export class Questions {
  /** @type {TrainHead[]} */
  off = [];
  /** @type {import("./ask.js").Answered | null} */
  answered = null;
  /** `heads`: those that were off. @type {(TrainWithout & { step: number; heads: TrainHead[] }) | null} */
  measured = null;
  /** @type {TrainSwapped | null} */
  swapped = null;
  /** @type {TrainJudged | null} */
  judged = null;
  /** How many numbers a model of the settings would learn; null where that is not known. @type {number | null} */
  size = null;
  fault = "";
  /** Why two heads could not be swapped. */
  swapFault = "";
  isAsking = false;
  isSwapping = false;
  #timer = 0;

  /** @param {QuestionsHost} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {Record<string, unknown>} wish the settings of a model */
  async count(wish) {
    this.size = null; // the number of other settings
    this.host.show();
    try {
      this.size = (await this.host.send({ do: "size", ...wish })).parameters;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.size = null;
    }
    this.host.show();
  }

  /** Another recording has no answers yet. */
  forget() {
    this.off = [];
    this.answered = this.measured = this.swapped = this.judged = null;
    this.fault = this.swapFault = "";
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Once the step has rested: what is right without each head. */
  measureSoon() {
    if (this.measured?.step === this.host.at().step) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#measure(), REST);
  }

  async #measure() {
    const { step, recording, isMoving } = this.host.at();
    const heads = this.off;
    if (!recording || isMoving) return;
    try {
      const { all, off, alone } = await this.host.send({ do: "without", step, off: heads });
      if (recording !== this.host.at().recording) return;
      this.measured = { step, heads, all, off, alone };
      const { task, asks } = recording.begun;
      if (task === this.host.goal && !asks && this.judged?.step !== step)
        this.judged = { step, ...(await this.host.send({ do: "judge", step })) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.measured = null;
    }
    this.host.show();
  }

  /** @param {TrainHead[]} heads @param {boolean} isOn */
  toggle(heads, isOn) {
    const names = heads.map(String);
    this.off = this.off.filter((other) => !names.includes(String(other)));
    if (!isOn) this.off = [...this.off, ...heads];
    this.host.show();
    this.#measure();
    if (this.answered) this.ask(this.answered.prompt.join(" "));
  }

  /** @param {TrainHead[]} heads */
  async swap(heads) {
    const { step } = this.host.at();
    this.swapped = null;
    this.swapFault = "";
    this.isSwapping = true; // the answer may take a while
    this.host.show();
    try {
      const { before, after } = await this.host.send({ do: "swap", step, heads });
      this.swapped = { step, heads, before, after };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.swapFault = capital(error.message);
    } finally {
      this.isSwapping = false;
    }
    this.host.show();
  }

  /** @param {string} prompt */
  async ask(prompt) {
    const { off } = this;
    const { step } = this.host.at();
    this.fault = "";
    this.isAsking = true;
    this.host.show();
    try {
      const { prompt: tokens, said } = await this.host.send({ do: "say", step, prompt, off: [] });
      const without = off.length ? (await this.host.send({ do: "say", step, prompt, off })).said : null;
      this.answered = { step, prompt: tokens, said, without };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.fault = capital(error.message);
    } finally {
      this.isAsking = false;
    }
    this.host.show();
  }
}

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
