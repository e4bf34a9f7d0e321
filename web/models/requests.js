// What the server is asked of models (mha_api/models.py). Of each kind the newest question alone is waited for: those
// that it takes the place of fail with an AbortError, as all do once the page has gone.

import { unpacked } from "../kit/binary.js";
import { belowRoot } from "../kit/root.js";
import { readRun } from "./runs.js";

/** A question that was refused, or could not be asked, in one sentence. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {{ fits?: number; place?: string }} [more] of a text that is too long, how many of its characters are read;
   *   what of the question is wrong
   */
  constructor(message, { fits = 0, place = "" } = {}) {
    super(message);
    this.fits = fits;
    this.place = place;
  }
}

/** @param {unknown} error */
export const isOvertaken = (error) => error instanceof DOMException && error.name === "AbortError";

export class Server {
  /** @type {Map<string, AbortController>} */
  #asking = new Map();
  #gone = new AbortController();

  /**
   * @param {string} lang
   * @param {string} unreachable what is said where no answer comes
   */
  constructor(lang, unreachable) {
    this.lang = lang;
    this.unreachable = unreachable;
  }

  stop() {
    this.#gone.abort();
  }

  /** @returns {Promise<ModelCard[]>} */
  async cards() {
    return (await (await this.#fetch("cards", "")).json()).models;
  }

  /**
   * All heads of one sentence or two.
   * @param {Record<string, any>} asked
   * @returns {Promise<ModelRun>}
   */
  async run(asked) {
    return readRun(await this.#binary("run", "run", asked));
  }

  /**
   * One head's numbers for each sentence.
   * @param {Record<string, any>[]} asked
   * @returns {Promise<HeadNumbers[]>}
   */
  async head(asked) {
    const one = async (of, at) => {
      const { header, arrays } = await this.#binary(`head ${at}`, "head", of);
      return { ...header, ...arrays };
    };
    return await Promise.all(asked.map(one));
  }

  /**
   * @param {Record<string, any>} asked
   * @returns {Promise<Shuffled>}
   */
  async shuffled(asked) {
    const { header, arrays } = await this.#binary("shuffled", "shuffled", asked);
    return { ...header, ...arrays };
  }

  /**
   * What is guessed in each sentence; null where nothing is asked.
   * @param {(Record<string, any> | null)[]} asked
   * @returns {Promise<(Guessed | null)[]>}
   */
  async guesses(asked) {
    const one = async (of, at) => {
      if (!of) return null;
      const answer = await this.#fetch(`guesses ${at}`, "guesses", of);
      return { place: of.place, ...(await answer.json()) };
    };
    return await Promise.all(asked.map(one));
  }

  async #binary(kind, path, asked) {
    const answer = await this.#fetch(kind, path, asked);
    return unpacked(await answer.arrayBuffer());
  }

  /**
   * @param {string} kind
   * @param {string} path
   * @param {Record<string, any>} [asked]
   */
  async #fetch(kind, path, asked) {
    this.#asking.get(kind)?.abort();
    const asking = new AbortController();
    this.#asking.set(kind, asking);
    const url = belowRoot(`api/models${path && `/${path}`}?lang=${this.lang}`);
    const post = asked && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(asked),
    };
    const signal = AbortSignal.any([asking.signal, this.#gone.signal]);
    const answer = await fetch(url, { ...post, signal }).catch((error) => {
      throw isOvertaken(error) ? error : new Refusal(this.unreachable);
    });
    if (answer.ok) return answer;
    const refusal = await answer.json().catch(() => ({ error: this.unreachable }));
    throw new Refusal(refusal.error, refusal);
  }
}
