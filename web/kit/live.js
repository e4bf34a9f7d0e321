// Numbers as fast as the hand: edits go over a websocket, and what changes comes back (mha_api/channel.py says how). One
// message is on its way at a time; of what is wanted meanwhile only the newest is asked for next. Where there is no
// such socket the page's own answers serve alone.

import { opened } from "./binary.js";
import { belowRoot } from "./root.js";

const PATIENCE = 3000; // ms after which an answer is not waited for any more
const RETRIES = [500, 1000, 2000, 5000, 15000, 30000];

/**
 * Whether an edit leaves the tables as they are and changes numbers alone.
 * @param {Record<string, any>} edit
 */
const isSteady = ({ op, grow, value }) =>
  (op === "set" && !grow) || ["fill", "claim"].includes(op) || (op === "scale" && typeof value === "number");

export class Live {
  /** @type {WebSocket} */
  #socket = null;
  #id = 0;
  /** @type {{ id: number; seq: number; edits: any[]; base: any; lens: string; quiet: boolean; late: boolean } | null} */
  #flying = null; // `late`: the page has answered more meanwhile
  /** @type {{ edits: any[]; seq: number } | null} */
  #wanted = null;
  /** @type {{ id: number; seq: number } | null} */
  #shown = null; // the answer whose numbers the page shows
  /** @type {any} */
  #base = null; // what the pending edits are made to: the id of an answer, else an address
  /** @type {{ id: number; text: string } | null} */
  #lens = null; // the last one that the server was given, and with which message
  #address = null;
  #acked = 0;
  #timer = 0;
  #tries = 0;
  #gone = false;

  /**
   * `painted` is given each answer that is to be shown, and `drawn` the pictures that follow it; `asking` says what else
   * is asked for; `lost` is called where the page must answer what was asked here, `stateChanged` where `state` may be another.
   * @param {LiveHost} host
   */
  constructor(host) {
    this.host = host;
    this.#connect();
  }

  stop() {
    this.#gone = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Whether these edits can be answered here: they change numbers alone, and there is an address to start from.
   * @param {Record<string, any>[]} edits
   */
  takes(edits) {
    return this.isOpen && this.#base !== null && edits.every(isSteady);
  }

  /** "off"; "busy" while something is on its way; "still". */
  get state() {
    if (!this.isOpen || this.#base === null) return "off";
    return this.#flying || this.#wanted || typeof this.#base !== "number" ? "busy" : "still";
  }

  /** The last edit whose numbers the page shows, by its number. */
  get answered() {
    return this.#shown?.seq ?? -1;
  }

  /**
   * The page has answered: all edits up to `acked` are part of `address`, or what holds the work where no address does.
   * `kept`: what the page shows is still the last answer of this channel, and not the page's own.
   * @param {Record<string, string>} address
   * @param {number} acked
   * @param {boolean} kept
   */
  settle(address, acked, kept) {
    const same = this.#shown?.seq === acked;
    if (acked !== this.#acked || !sameExample(address, this.#address))
      this.#base = same ? this.#shown.id : onlyExample(address);
    if (acked !== this.#acked) this.#outrun(acked);
    this.#acked = acked;
    this.#address = address;
    if (!kept && !same) this.#shown = null;
    if (!this.#flying) this.#send();
  }

  /** What was asked for before the page answered as many edits is not to be painted over its answer. */
  #outrun(acked) {
    if (this.#flying?.seq <= acked) this.#flying.late = true;
    if (this.#wanted?.seq <= acked) this.#wanted = null;
  }

  /**
   * Ask for the numbers after these edits, the last of which has the number `seq`.
   * @param {Record<string, any>[]} edits
   * @param {number} seq
   */
  ask(edits, seq) {
    this.#wanted = { edits, seq };
    if (!this.#flying) this.#send();
  }

  /** Send what is wanted; where nothing is, have the server get ready what the next edit will be made to. */
  #send() {
    if (!this.isOpen || this.#base === null) return;
    const quiet = !this.#wanted;
    if (quiet && typeof this.#base === "number") return;
    const { edits, seq } = this.#wanted ?? { edits: [], seq: this.#acked };
    this.#wanted = null;
    const { lens: through, ...more } = this.host.asking();
    const text = JSON.stringify(through);
    const lens = through && text === this.#lens?.text ? this.#lens.id : through;
    this.#flying = { id: ++this.#id, seq, edits, base: this.#base, lens: text, quiet, late: false };
    const since = this.#shown ? { since: this.#shown.id } : {};
    const asked = quiet ? { quiet } : more;
    this.#socket.send(JSON.stringify({ id: this.#id, from: this.#base, edits, ...since, lens, ...asked }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.close(), PATIENCE);
    this.host.stateChanged();
  }

  /** @param {ArrayBuffer} data */
  #answered(data) {
    const { header, at } = opened(data);
    if (header.figures) return this.host.drawn(header.figures);
    const flown = this.#flying;
    if (header.id !== flown?.id) return;
    this.#flying = null;
    this.#tries = 0;
    clearTimeout(this.#timer);
    if (header.gone) {
      this.#forget();
      if (!flown.quiet) this.#wanted ??= flown;
    } else if (header.error) this.#refused(flown);
    else {
      if (flown.lens !== this.#lens?.text) this.#lens = { id: flown.id, text: flown.lens };
      this.#take(flown, header, new Float64Array(data.slice(at)));
    }
    this.#send();
    this.host.stateChanged();
  }

  #take(flown, header, numbers) {
    if (flown.quiet) {
      if (this.#base === flown.base) this.#base = flown.id;
    } else if (flown.lens !== JSON.stringify(this.host.asking().lens)) {
      this.#wanted ??= flown; // another lens has been taken up meanwhile
    } else if (!flown.late) {
      this.#shown = { id: flown.id, seq: flown.seq };
      this.host.painted(header, numbers);
    }
  }

  /** The page will say why; of an address that cannot be opened nothing more is asked. */
  #refused(flown) {
    if (flown.quiet) this.#base = null;
    else this.host.lost();
  }

  /** The server has nothing of ours at hand: what the page shows stands in its address alone. */
  #forget() {
    this.#shown = this.#lens = null;
    this.#base = onlyExample(this.#address);
  }

  #connect() {
    if (this.#gone) return;
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
    const waited = (this.#flying && !this.#flying.quiet) || this.#wanted;
    this.#flying = this.#wanted = null;
    this.#forget();
    clearTimeout(this.#timer);
    if (this.#gone) return;
    if (waited) this.host.lost();
    this.host.stateChanged();
    setTimeout(() => this.#connect(), RETRIES[Math.min(this.#tries++, RETRIES.length - 1)]);
  }
}

/** The part of an address that holds the numbers. */
function onlyExample(address) {
  if (address?.s) return { s: address.s };
  return address?.example ? { example: address.example } : null;
}

const sameExample = (one, other) => one?.s === other?.s && one?.example === other?.example;

/**
 * Lay an answer's numbers over a model's; the names of the matrices that have others now. Numbers of a matrix that the
 * model lacks, or has in another shape, are passed over: the page's own answer will bring it.
 * @param {Model} model
 * @param {[string, number | null, number, number, number][]} blocks
 * @param {Float64Array} numbers
 */
export function layOver(model, blocks, numbers) {
  const changed = new Set();
  let at = 0;
  for (const [name, head, first, rows, cols] of blocks) {
    const matrix = model.matrices[name];
    const held = matrix && (matrix.perHead ? matrix.values[head] : matrix.values);
    for (let row = first; row < first + rows; row++, at += cols) {
      const cells = held?.[row];
      if (cells?.length !== cols) continue;
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
 * Lay what a lens shows over a model; what the model lacks is passed over.
 * @param {Model} model
 * @param {{ matrices: Record<string, Partial<Matrix>> }} seen
 */
export function laySeen(model, { matrices, ...whole }) {
  Object.assign(model, whole);
  for (const [name, parts] of Object.entries(matrices))
    if (model.matrices[name]) Object.assign(model.matrices[name], parts);
}
