// The live channel: while a number is dragged it brings what only the server can say, pictures and what a lens or a check
// shows (mha_api/channel.py describes the messages). The socket is opened when there is something to ask for. One
// request is under way at a time. Of those made meanwhile only the newest is sent next. Without a websocket the page's
// own answers serve alone.

import { belowRoot } from "./root.js";

const PATIENCE = 3000; // ms until a request counts as lost
const RETRIES = [500, 1000, 2000, 5000, 15000, 30000]; // ms until the socket is opened again

/** @typedef {Record<string, string>} Query an address */
/** @typedef {number | Query} Base what edits are made to: the id of an answer, or an address */

/**
 * What has been asked for. `quiet`: only that the example is got ready.
 * @typedef {{ id: number; seq: number; edits: Edit[]; base: Base; lens: string | undefined; quiet: boolean }} Request
 */

export class Live {
  /** @type {WebSocket | null} */
  #socket = null;
  #id = 0;
  /** @type {Request | null} */
  #request = null; // under way
  /** @type {{ edits: Edit[]; seq: number } | null} */
  #next = null;
  /** @type {{ id: number; seq: number } | null} */
  #answered = null; // the last answer
  /** @type {Base | null} */
  #base = null; // what the pending edits are made to
  /** @type {{ id: number; text: string | undefined } | null} */
  #lens = null; // the last lens that the server was given, and in which request
  /** @type {Query | null} */
  #address = null;
  #acked = 0;
  #timer = 0;
  #retry = 0; // the timer until the socket may be opened again
  #tries = 0;
  #isStopped = false;

  /**
   * `seen` is given what the lens shows after the edit of this number, `drawn` the pictures that follow it, and `asking`
   * says what is requested. `lost` is called where the page must answer instead, `stateChanged` where `isBusy` may have
   * changed.
   * @param {LiveHost} host
   */
  constructor(host) {
    this.host = host;
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  get #isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Whether there is anything to ask for. */
  get #isNeeded() {
    const { lens, figures } = this.host.asking();
    return Boolean(lens || figures);
  }

  /** Whether an answer is under way. */
  get isBusy() {
    return this.#isOpen && Boolean(this.#next || (this.#request && !this.#request.quiet));
  }

  /**
   * The page has answered: all edits up to `acked` are part of `address`, or of what holds the work where no address
   * does.
   * @param {Query} address
   * @param {number} acked
   */
  settle(address, acked) {
    const isSame = this.#answered?.seq === acked;
    if (acked !== this.#acked || !sameExample(address, this.#address))
      this.#base = isSame && this.#answered ? this.#answered.id : onlyExample(address);
    this.#acked = acked;
    this.#address = address;
    if (this.#next && this.#next.seq <= acked) this.#next = null;
    this.#send();
  }

  /**
   * Ask what there is to say after these edits, the last of which has the number `seq`.
   * @param {Edit[]} edits
   * @param {number} seq
   */
  ask(edits, seq) {
    if (!this.#isNeeded || this.#base === null) return;
    this.#next = { edits, seq };
    this.#send();
  }

  /**
   * Send the next request; where there is none, have the server get ready the example that the next edit is made to.
   */
  #send() {
    if (this.#request || this.#base === null || !this.#isNeeded) return;
    if (!this.#socket && !this.#retry) this.#connect();
    if (!this.#isOpen) return;
    const quiet = !this.#next;
    if (quiet && typeof this.#base === "number") return;
    const { edits, seq } = this.#next ?? { edits: [], seq: this.#acked };
    this.#next = null;
    const { lens: wanted, ...others } = this.host.asking();
    const text = wanted ? JSON.stringify(wanted) : undefined;
    const lens = wanted && text === this.#lens?.text ? this.#lens?.id : wanted;
    this.#request = { id: ++this.#id, seq, edits, base: this.#base, lens: text, quiet };
    const more = quiet ? { quiet } : others;
    this.#socket?.send(JSON.stringify({ id: this.#id, from: this.#base, edits, lens, ...more }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.close(), PATIENCE);
    this.host.stateChanged();
  }

  /** @param {LiveMessage} answer */
  #take(answer) {
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
    else this.#receive(request, answer);
    this.#send();
    this.host.stateChanged();
  }

  /**
   * @param {Request} request
   * @param {LiveAnswer} answer
   */
  #receive(request, { seen }) {
    const { id, seq, base, lens, quiet } = request;
    if (lens !== this.#lens?.text) this.#lens = { id, text: lens };
    const { lens: wanted } = this.host.asking();
    if (quiet) {
      if (this.#base === base) this.#base = id;
    } else if (lens !== (wanted ? JSON.stringify(wanted) : undefined)) {
      this.#next ??= request; // another lens has been chosen meanwhile
    } else {
      this.#answered = { id, seq };
      if (seen) this.host.seen(seen, seq);
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
    this.#answered = this.#lens = null;
    this.#base = onlyExample(this.#address);
  }

  #connect() {
    const url = belowRoot("api/live");
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    socket.onopen = () => this.#send();
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = () => this.#closed();
    this.#socket = socket;
  }

  #closed() {
    const isLost = (this.#request && !this.#request.quiet) || this.#next;
    this.#request = this.#next = this.#socket = null;
    this.#forget();
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#retry = setTimeout(() => this.#reopen(), RETRIES[Math.min(this.#tries++, RETRIES.length - 1)]);
    if (isLost) this.host.lost();
    this.host.stateChanged();
  }

  #reopen() {
    this.#retry = 0;
    this.#send();
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
