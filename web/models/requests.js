// The page's requests to the server (mha_api/models.py). Of each kind only the newest is waited for: a request that
// another replaces fails with an AbortError, and so do all once the page has been left.

import { unpacked } from "../kit/binary.js";
import { belowRoot } from "../kit/root.js";
import { readNumbers, readRun } from "./runs.js";

/** The field of a request for tokens that the model adds. @param {number} steps @returns {{ steps?: number }} */
export const stepsOf = (steps) => (steps ? { steps } : {});

/** A request that was refused, or could not be sent, in one sentence. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {{ fits?: number; place?: string }} [more] how many characters are read of a text that is too long; which
   *   part of the request is wrong
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
  /** The request of each kind that is under way. @type {Map<string, AbortController>} */
  #requests = new Map();
  #stopped = new AbortController();

  /**
   * @param {string} lang
   * @param {string} unreachable what is said where no answer comes
   */
  constructor(lang, unreachable) {
    this.lang = lang;
    this.unreachable = unreachable;
  }

  stop() {
    this.#stopped.abort();
  }

  /** @returns {Promise<ModelCard[]>} */
  async cards() {
    return (await (await this.#fetch("cards", "")).json()).models;
  }

  /**
   * All heads of one sentence or two.
   * @param {RunRequest} request
   * @returns {Promise<ModelRun>}
   */
  async run(request) {
    const { header, arrays } = await this.#binary("run", "run", request);
    return readRun({ header: /** @type {RunHeader} */ (header), arrays });
  }

  /**
   * The numbers of a place's head, for each sentence.
   * @param {Pick<FittedPlace, "model" | "texts" | "head" | "off" | "steps">} place
   * @returns {Promise<HeadNumbers[]>}
   */
  async numbers({ model, texts, head: [layer, head], off, steps }) {
    return await Promise.all(
      texts.map(async (text, at) => {
        const request = { model, text, layer, head, without: off, ...stepsOf(steps) };
        return readNumbers(await this.#binary(`head ${at}`, "head", request));
      }),
    );
  }

  /** @param {TextRequest} request @returns {Promise<Shuffled>} */
  async shuffled(request) {
    const { header, arrays } = await this.#binary("shuffled", "shuffled", request);
    return { .../** @type {Shuffled} */ (header), ...arrays };
  }

  /**
   * What is guessed in each sentence; null where nothing is requested.
   * @param {((TextRequest & { place: number }) | null)[]} requests
   * @returns {Promise<(Guessed | null)[]>}
   */
  async guesses(requests) {
    return await Promise.all(
      requests.map(async (request, at) => {
        if (!request) return null;
        const answer = await this.#fetch(`guesses ${at}`, "guesses", request);
        return { place: request.place, ...(await answer.json()) };
      }),
    );
  }

  /** @param {string} kind @param {string} path @param {object} body */
  async #binary(kind, path, body) {
    const answer = await this.#fetch(kind, path, body);
    return unpacked(await answer.arrayBuffer());
  }

  /** @param {string} kind @param {string} path @param {object} [body] */
  async #fetch(kind, path, body) {
    this.#requests.get(kind)?.abort();
    const request = new AbortController();
    this.#requests.set(kind, request);
    const url = belowRoot(`api/models${path && `/${path}`}?lang=${this.lang}`);
    const post = body && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    const signal = AbortSignal.any([request.signal, this.#stopped.signal]);
    const answer = await fetch(url, { ...post, signal }).catch((error) => {
      throw isOvertaken(error) ? error : new Refusal(this.unreachable);
    });
    if (answer.ok) return answer;
    const refusal = await answer.json().catch(() => ({ error: this.unreachable }));
    throw new Refusal(refusal.error, refusal);
  }
}
