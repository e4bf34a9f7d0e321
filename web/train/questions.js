// What the model of a step is asked: an answer, what is right without some heads, and with two of them swapped.

import { Refusal } from "./channel.js";

const REST = 400; // ms that the slider rests before the model of its step is asked

/** @typedef {{ send: (wish: Record<string, unknown>) => Promise<any>; show: () => void;
 *   attempt: <T>(act: () => Promise<T>) => Promise<T | null>;
 *   at: () => { recording: import("./recording.js").Recording | null; step: number; isMoving: boolean } }} QuestionsHost */

export class Questions {
  /** @type {TrainHead[]} */
  off = [];
  /** @type {import("./ask.js").Answered | null} */
  answered = null;
  /** @type {(TrainWithout & { step: number }) | null} */
  measured = null;
  /** @type {TrainSwapped | null} */
  swapped = null;
  fault = "";
  #timer = 0;

  /** @param {QuestionsHost} host */
  constructor(host) {
    this.host = host;
  }

  /** Another recording has no answers yet. */
  forget() {
    this.off = [];
    this.answered = this.measured = this.swapped = null;
    this.fault = "";
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
    if (!recording || isMoving) return;
    try {
      const { all, off, alone } = await this.host.send({ do: "without", step, off: this.off });
      if (recording !== this.host.at().recording) return;
      this.measured = { step, all, off, alone };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.measured = null;
    }
    this.host.show();
  }

  /** @param {TrainHead} head @param {boolean} isOn */
  toggle(head, isOn) {
    this.off = this.off.filter((other) => String(other) !== String(head));
    if (!isOn) this.off.push(head);
    this.host.show();
    this.#measure();
    if (this.answered) this.ask(this.answered.prompt.join(" "));
  }

  /** @param {TrainHead[]} heads */
  async swap(heads) {
    const { step } = this.host.at();
    this.swapped = null; // the answer may take a while
    this.host.show();
    const answer = await this.host.attempt(() => this.host.send({ do: "swap", step, heads }));
    if (answer) this.swapped = { step, heads, before: answer.before, after: answer.after };
    this.host.show();
  }

  /** @param {string} prompt */
  async ask(prompt) {
    const { off } = this;
    const { step } = this.host.at();
    this.fault = "";
    try {
      const { prompt: tokens, said } = await this.host.send({ do: "say", step, prompt, off: [] });
      const without = off.length ? (await this.host.send({ do: "say", step, prompt, off })).said : null;
      this.answered = { step, prompt: tokens, said, without };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.fault = capital(error.message);
    }
    this.host.show();
  }
}

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
