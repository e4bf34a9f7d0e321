// The page's websocket (mha_api/trainings.py). It is opened for the first request, and again for the next one after it
// was lost. Its ticket leads a later page of this browser to the training that it started.

import { unframed, unpacked } from "../kit/binary.js";
import { belowRoot } from "../kit/root.js";

const TAKEN = 4001; // why the socket is closed: another page of this browser shows the training now
const PART = 1_000_000; // bytes of a file that are sent in one message

/** What the server refused, in a sentence. */
export class Refusal extends Error {
  /** @param {string} sentence @param {string} [place] what it is about, with which the sentence begins */
  constructor(sentence, place = "") {
    super(sentence);
    this.place = place;
  }
}

export class Channel {
  /** @type {WebSocket | null} */
  #socket = null;
  #id = 0;
  /** @type {Map<number, { resolve: (answer: any) => void; reject: (why: Refusal) => void }>} */
  #pending = new Map();
  /** Parts of a file that is being saved. @type {ArrayBuffer[]} */
  #parts = [];
  /** @type {Promise<Blob> | null} */
  #saving = null;
  #isStopped = false;
  ticket = newTicket();

  /**
   * @param {string} lang
   * @param {string} unreachable what is said where no answer comes
   * @param {{ told: (message: any) => void; stepped: (header: TrainSteps, arrays: Record<string, any>) => void;
   *   lost: (isTaken: boolean) => void }} host
   */
  constructor(lang, unreachable, host) {
    this.lang = lang;
    this.unreachable = unreachable;
    this.host = host;
  }

  stop() {
    this.#isStopped = true;
    this.#socket?.close();
  }

  /** Go on with another page's training, from the next wish on. @param {string} ticket */
  goOn(ticket) {
    const socket = this.#socket;
    [this.ticket, this.#socket] = [ticket, null];
    this.#pending.clear();
    socket?.close();
  }

  /** What the server says is in another language from now on. @param {string} lang @param {string} unreachable */
  speak(lang, unreachable) {
    this.lang = lang;
    this.unreachable = unreachable;
    if (this.#socket) this.send({ do: "language", lang });
  }

  /** The answer to a wish. Rejects with a `Refusal`. @param {Record<string, unknown>} wish @returns {Promise<any>} */
  ask(wish) {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.send({ ...wish, id });
    });
  }

  /** @param {Record<string, unknown> | ArrayBuffer} wish */
  send(wish) {
    const socket = this.#socket ?? this.#connect();
    const data = wish instanceof ArrayBuffer ? wish : JSON.stringify(wish);
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
    else socket.addEventListener("open", () => socket.send(data));
  }

  /** Send a file, which the next wish is about. @param {Blob} file */
  async upload(file) {
    const data = await file.arrayBuffer();
    for (let at = 0; at < data.byteLength; at += PART) this.send(data.slice(at, at + PART));
  }

  /** The current training as a file, without its recordings where it is to be light. @param {boolean} [light] @returns {Promise<Blob>} */
  file(light = false) {
    this.#saving ??= this.#saved(light).finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  /** @param {boolean} light */
  async #saved(light) {
    this.#parts = [];
    await this.ask({ do: "save", light });
    return new Blob(this.#parts);
  }

  #connect() {
    const url = belowRoot(`api/train?lang=${this.lang}&ticket=${this.ticket}`);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", ({ code }) => this.#lose(socket, code === TAKEN));
    this.#socket = socket;
    return socket;
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    if (typeof data === "string") return this.#takeText(JSON.parse(data));
    const { header, at } = unframed(data);
    if (Object.hasOwn(/** @type {object} */ (header), "part")) this.#parts.push(data.slice(at));
    else {
      const { header: steps, arrays } = unpacked(data);
      this.host.stepped(/** @type {TrainSteps} */ (steps), arrays);
    }
  }

  /** @param {{ id?: number; error?: string; place?: string }} message */
  #takeText(message) {
    if (message.id === undefined) return this.host.told(message);
    const asked = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) asked?.reject(new Refusal(message.error, message.place));
    else asked?.resolve(message);
  }

  /** @param {WebSocket} socket @param {boolean} isTaken */
  #lose(socket, isTaken) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    if (isTaken) this.ticket = newTicket();
    if (this.#isStopped) return;
    for (const { reject } of pending) reject(new Refusal(this.unreachable));
    this.host.lost(isTaken);
  }
}

/** 32 digits that nobody guesses. */
const newTicket = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
