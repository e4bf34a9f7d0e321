// The live channel: edits go over a websocket, and the numbers that change come back (mha_api/channel.py describes the
// messages). One request is under way at a time. Of those made meanwhile only the newest is sent next. Without a
// websocket the page's own answers serve alone.

import { unframed } from "./binary.js";
import { rowsIn } from "./graph.js";
import { belowRoot } from "./root.js";

const PATIENCE = 3000; // ms until a request counts as lost
const RETRIES = [500, 1000, 2000, 5000, 15000, 30000]; // ms until the socket is opened again

/** @typedef {Record<string, string>} Query an address */
/** @typedef {number | Query} Base what edits are made to: the id of an answer, or an address */

/**
 * What has been asked for. `quiet`: only that the example is got ready; `late`: the page has answered more meanwhile.
 * @typedef {{
 *   id: number; seq: number; edits: Edit[]; base: Base; lens: string | undefined; quiet: boolean; late: boolean;
 * }} Request
 */

/**
 * Whether an edit changes numbers alone, so that no table comes, goes or changes its size.
 * @param {Edit} edit
 */
const isSteady = (edit) =>
  (edit.op === "set" && !edit.grow) ||
  edit.op === "fill" ||
  edit.op === "claim" ||
  (edit.op === "scale" && typeof edit.value === "number");

export class Live {
  /** @type {WebSocket | null} */
  #socket = null;
  #id = 0;
  /** @type {Request | null} */
  #request = null; // under way
  /** @type {{ edits: Edit[]; seq: number } | null} */
  #next = null;
  /** @type {{ id: number; seq: number } | null} */
  #shown = null; // the answer whose numbers the page shows
  /** @type {Base | null} */
  #base = null; // what the pending edits are made to
  /** @type {{ id: number; text: string | undefined } | null} */
  #lens = null; // the last lens that the server was given, and in which request
  /** @type {Query | null} */
  #address = null;
  #acked = 0;
  #timer = 0;
  #tries = 0;
  #isStopped = false;

  /**
   * `painted` is given each answer that is to be shown, `drawn` the pictures that follow it, and `asking` says what
   * else is requested. `lost` is called where the page must answer instead, `stateChanged` where `state` may have
   * changed.
   * @param {LiveHost} host
   */
  constructor(host) {
    this.host = host;
    this.#connect();
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Whether these edits can be answered here: they change numbers alone, and there is an address to start from.
   * @param {Edit[]} edits
   */
  takes(edits) {
    return this.isOpen && this.#base !== null && edits.every(isSteady);
  }

  /** "off"; "busy" while a request is under way or waits; "still". */
  get state() {
    if (!this.isOpen || this.#base === null) return "off";
    return this.#request || this.#next || typeof this.#base !== "number" ? "busy" : "still";
  }

  /** The last edit whose numbers the page shows, by its number. */
  get answered() {
    return this.#shown?.seq ?? -1;
  }

  /**
   * The page has answered: all edits up to `acked` are part of `address`, or of what holds the work where no address
   * does. `kept`: the page still shows the last answer of this channel, and not its own.
   * @param {Query} address
   * @param {number} acked
   * @param {boolean} kept
   */
  settle(address, acked, kept) {
    const same = this.#shown?.seq === acked ? this.#shown : null;
    if (acked !== this.#acked || !sameExample(address, this.#address))
      this.#base = same ? same.id : onlyExample(address);
    if (acked !== this.#acked) this.#outdate(acked);
    this.#acked = acked;
    this.#address = address;
    if (!kept && !same) this.#shown = null;
    if (!this.#request) this.#send();
  }

  /**
   * The page's answer holds these edits: an older answer of this channel must not be painted over it.
   * @param {number} acked
   */
  #outdate(acked) {
    if (this.#request && this.#request.seq <= acked) this.#request.late = true;
    if (this.#next && this.#next.seq <= acked) this.#next = null;
  }

  /**
   * Ask for the numbers after these edits, the last of which has the number `seq`.
   * @param {Edit[]} edits
   * @param {number} seq
   */
  ask(edits, seq) {
    this.#next = { edits, seq };
    if (!this.#request) this.#send();
  }

  /**
   * Send the next request; where there is none, have the server get ready the example that the next edit is made to.
   */
  #send() {
    if (!this.isOpen || this.#base === null) return;
    const quiet = !this.#next;
    if (quiet && typeof this.#base === "number") return;
    const { edits, seq } = this.#next ?? { edits: [], seq: this.#acked };
    this.#next = null;
    const { lens: wanted, ...others } = this.host.asking();
    const text = JSON.stringify(wanted);
    const lens = wanted && text === this.#lens?.text ? this.#lens?.id : wanted;
    this.#request = { id: ++this.#id, seq, edits, base: this.#base, lens: text, quiet, late: false };
    const since = this.#shown ? { since: this.#shown.id } : {};
    const more = quiet ? { quiet } : others;
    this.#socket?.send(JSON.stringify({ id: this.#id, from: this.#base, edits, ...since, lens, ...more }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.close(), PATIENCE);
    this.host.stateChanged();
  }

  /** @param {ArrayBuffer} data */
  #answered(data) {
    const { header, at } = unframed(data);
    const answer = /** @type {LiveMessage} */ (header);
    if ("figures" in answer) return this.host.drawn(answer.figures);
    const request = this.#request;
    if (answer.id !== request?.id) return;
    this.#request = null;
    this.#tries = 0;
    clearTimeout(this.#timer);
    if ("gone" in answer) {
      this.#forget();
      if (!request.quiet) this.#next ??= request;
    } else if ("error" in answer) this.#refused(request);
    else {
      if (request.lens !== this.#lens?.text) this.#lens = { id: request.id, text: request.lens };
      this.#take(request, answer, new Float64Array(data.slice(at)));
    }
    this.#send();
    this.host.stateChanged();
  }

  /**
   * @param {Request} request
   * @param {LiveAnswer} answer
   * @param {Float64Array} numbers
   */
  #take(request, answer, numbers) {
    if (request.quiet) {
      if (this.#base === request.base) this.#base = request.id;
    } else if (request.lens !== JSON.stringify(this.host.asking().lens)) {
      this.#next ??= request; // another lens has been chosen meanwhile
    } else if (!request.late) {
      this.#shown = { id: request.id, seq: request.seq };
      this.host.painted(answer, numbers);
    }
  }

  /**
   * The page will say why. An address that cannot be opened is not asked for again.
   * @param {{ quiet: boolean }} request
   */
  #refused({ quiet }) {
    if (quiet) this.#base = null;
    else this.host.lost();
  }

  /** The server no longer has our answers: the page's address alone says what the next edit is made to. */
  #forget() {
    this.#shown = this.#lens = null;
    this.#base = onlyExample(this.#address);
  }

  #connect() {
    if (this.#isStopped) return;
    const url = belowRoot("api/live");
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#send();
    socket.onmessage = ({ data }) => this.#answered(data);
    socket.onclose = () => this.#closed();
    this.#socket = socket;
  }

  #closed() {
    const isLost = (this.#request && !this.#request.quiet) || this.#next;
    this.#request = this.#next = null;
    this.#forget();
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    if (isLost) this.host.lost();
    this.host.stateChanged();
    setTimeout(() => this.#connect(), RETRIES[Math.min(this.#tries++, RETRIES.length - 1)]);
  }
}

/**
 * The part of an address that holds the numbers; null where it holds none.
 * @param {Query | null} address
 * @returns {Query | null}
 */
function onlyExample(address) {
  if (address?.s) return { s: address.s };
  return address?.example ? { example: address.example } : null;
}

/** @type {(one: Query | null, other: Query | null) => boolean} */
const sameExample = (one, other) => one?.s === other?.s && one?.example === other?.example;

/**
 * Write an answer's numbers into a model, and return the names of the matrices that have changed. Numbers of a matrix
 * that the model lacks, or has in another shape, are passed over: the page's own answer will bring it.
 * @param {Pick<Model, "matrices">} model
 * @param {Block[]} blocks
 * @param {Float64Array} numbers
 * @returns {Set<string>}
 */
export function layOver(model, blocks, numbers) {
  const changed = new Set();
  let at = 0;
  for (const [name, head, first, rows, cols] of blocks) {
    const matrix = model.matrices[name];
    const values = matrix && rowsIn(matrix.perHead, matrix.values, head);
    for (let row = first; row < first + rows; row++, at += cols) {
      const cells = values?.[row];
      if (!cells || cells.length !== cols) continue;
      const isMask = typeof cells[0] === "boolean";
      for (let col = 0; col < cols; col++) {
        const number = numbers[at + col];
        cells[col] = isMask ? number !== 0 : number === -Infinity ? "-inf" : number;
      }
      changed.add(name);
    }
  }
  return changed;
}

/**
 * Write what a lens shows into a model; matrices that the model lacks are passed over.
 * @param {Pick<Model, "matrices">} model
 * @param {Seen} seen
 */
export function laySeen(model, { matrices, ...whole }) {
  Object.assign(model, whole);
  for (const [name, parts] of Object.entries(matrices))
    if (model.matrices[name]) Object.assign(model.matrices[name], parts);
}
