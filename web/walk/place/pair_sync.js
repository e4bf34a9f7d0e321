// Windows that go together: a projector and a presenter's page of one walk, whatever is edited on the way. They share
// four things: the numbers (an example by name, or its token), the place, the lecture that is walked, and the room of
// those who follow. Each has a count that goes up with every change. A window sends all four to the others. The higher
// count leads, and a window that receives a lower one answers with its own.
// There is one pair to a tab. It outlives the walk's page, so that an edit in Explore reaches the other window too.

import { Mounted } from "../../kit/mounted.js";
import { sender } from "../../kit/sender.js";
import { ofTab } from "../../kit/storage.js";

const STORED = "mha-together"; // of the tab, so that a page that is reloaded finds its pair
/** @type {Counted<null>} */
const UNKNOWN = { count: -1, at: null };
/** @type {Record<string, string>} */
const WAYS = { undo: "back", undo_numbers: "back", redo: "forward" }; // through the history, by the edit's name
/** Edits that change no numbers. */
const NO_NUMBERS = ["place", "pin", "lens", "baseline", "decimals", "hint", "follow", "recall"];

/** @typedef {(address: PairNumbers["address"], way: string) => void} RequestNumbers sends it to this window's server */

class PairSync {
  #pair = ""; // an id that windows have in common which found each other with the same numbers
  #ownId = ""; // of the numbers that this window's session has
  /** @type {PairNumbers | null} */
  #numbers = null; // those of the pair
  #way = ""; // through the history, of the last edit of this window
  /** @type {PairMessage["place"]} */
  #place = UNKNOWN;
  /** @type {PairMessage["lecture"]} */
  #lecture = UNKNOWN;
  /** @type {PairMessage["room"]} */
  #room = UNKNOWN;
  /** @type {Set<string>} */
  #requested = new Set(); // ids of numbers that this window's server was asked for
  /** @type {Mounted<PairMember>} */
  #members = new Mounted(); // while their walk is in a view
  /** @type {Mounted<RequestNumbers>} */
  #requests = new Mounted(); // while the page can reach the server
  /** @type {BroadcastChannel | null} */
  #channel = null;
  /** @type {PairGuide} */
  guide = { moved() {}, shared() {} };

  constructor() {
    window.addEventListener("mha-address-kept", ({ detail }) => this.#setOwn(detail));
    window.addEventListener("mha-sent", (/** @type {CustomEvent<Edit>} */ { detail: { op } }) => {
      if (!NO_NUMBERS.includes(op)) this.#way = WAYS[op] ?? "";
    });
    document.addEventListener("visibilitychange", () => document.hidden || this.#post());
  }

  /**
   * The walk is in a view: from now on this tab belongs to a pair, and goes where the others are.
   * @param {PairMember} member
   * @param {number | null} lecture the minutes that were chosen in this tab; what the pair has chosen since comes first
   */
  join(member, lecture) {
    const isFirst = !this.#members.last;
    this.#members.enter(member);
    if (!isFirst) return;
    this.#place = UNKNOWN;
    const { at: minutes } = this.#lecture;
    if (minutes !== null) queueMicrotask(() => this.#members.last?.teach(this.#lecture.at ?? minutes));
    else if (lecture !== null) this.#lecture = { count: 0, at: lecture };
    if (!this.#channel && window.BroadcastChannel) this.#open();
    this.#post();
  }

  #open() {
    /** @type {{ pair?: string; id?: string; count?: number }} */
    const { pair, id, count = 0 } = ofTab.get(STORED) ?? {};
    this.#pair = pair ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
    // A change that no other window knows leads over what the pair had then, but not over what it has done since.
    if (this.#numbers) this.#numbers.count = pair && id !== this.#ownId ? count + 0.5 : count;
    this.#channel = new BroadcastChannel("mha-walk");
    this.#channel.onmessage = (/** @type {MessageEvent<PairMessage>} */ { data }) => this.#receive(data);
  }

  /**
   * The walk has left its view, or its page: the numbers still go together, the places do not.
   * @param {PairMember} member
   */
  leave(member) {
    this.#members.leave(member);
  }

  /** This window's server can be asked for numbers, until that is withdrawn. @param {RequestNumbers} request */
  serve(request) {
    this.#requests.enter(request);
    this.reconnect();
  }

  /** @param {RequestNumbers} request */
  withdraw(request) {
    this.#requests.leave(request);
  }

  /** The connection to the server is new: requests may be lost. */
  reconnect() {
    this.#requested.clear();
    this.#followNumbers();
    this.#post();
  }

  /** Somebody moved the walk here. @param {PairPlace} place */
  publish(place) {
    if (!this.#members.last) return;
    this.#place = { count: this.#place.count + 1, at: place };
    this.#post();
    this.guide.moved();
  }

  /** The lecture that is walked from now on. @param {number} minutes */
  teach(minutes) {
    this.#lecture = { count: this.#lecture.count + 1, at: minutes };
    this.#post();
  }

  /** The pair's room, or null where there is none any more. @param {RoomState | null} room */
  share(room) {
    this.#room = { count: this.#room.count + 1, at: room };
    this.#post();
  }

  /** The address of the pair's numbers. */
  get numbers() {
    return this.#numbers?.address ?? null;
  }

  /** The numbers that this window has, by its address. @param {PairNumbers["address"]} address */
  #setOwn({ example, s }) {
    const id = example ?? s;
    const way = this.#way;
    if (!sender.pending.some(({ op }) => op in WAYS)) this.#way = ""; // the next change is no undo's
    if (!id || id === this.#ownId) return; // numbers that are too large for a link have no id: nobody could follow
    this.#ownId = id;
    if (id === this.#numbers?.id) {
      this.#requested.clear();
      this.#followPlace();
    } else if (this.#requested.delete(id)) {
      this.#followNumbers(); // the pair has gone on meanwhile
    } else {
      const count = (this.#numbers?.count ?? -1) + 1;
      this.#numbers = { count, id, address: example ? { example } : { s }, way };
      this.guide.moved();
    }
    this.#post();
  }

  /** @param {PairMessage} message */
  #receive({ pair, numbers, place, lecture, room }) {
    const own = this.#numbers;
    if (!own) return;
    if (pair !== this.#pair) {
      if (numbers.id !== own.id) return; // another walk
      numbers.count = own.count = Math.max(numbers.count, own.count);
      if (pair > this.#pair) return this.#post();
      this.#pair = pair;
    }
    const order = {
      numbers: compared(numbers.count, own.count, numbers.id, own.id),
      place: compared(place.count, this.#place.count, place.at, this.#place.at),
      lecture: compared(lecture.count, this.#lecture.count, lecture.at, this.#lecture.at),
      room: compared(room.count, this.#room.count, room.at, this.#room.at),
    };
    const latest = order.numbers > 0 ? numbers : own;
    this.#numbers = latest;
    if (order.place > 0) this.#place = place;
    if (order.room > 0) this.#room = room;
    if (order.lecture > 0) this.#lecture = lecture;
    if (order.room > 0) this.guide.shared(room.at);
    if (order.lecture > 0 && lecture.at !== null) this.#members.last?.teach(lecture.at);
    if (order.numbers > 0) this.#followNumbers();
    if (order.place > 0 && this.#ownId === latest.id) this.#followPlace();
    if (Object.values(order).some((compared) => compared < 0)) this.#post();
  }

  /** Show the place of the pair: later, since the walk may be in the middle of showing another. */
  #followPlace() {
    queueMicrotask(() => this.#place.at && this.#members.last?.goTo(this.#place.at));
  }

  #followNumbers() {
    const request = this.#requests.last;
    if (!request || !this.#numbers) return;
    const { id, address, way } = this.#numbers;
    if (this.#ownId === id || this.#requested.has(id)) return;
    this.#requested.add(id);
    request(address, way);
  }

  #post() {
    if (!this.#channel || !this.#numbers) return;
    const { id, count } = this.#numbers;
    if (this.#ownId === id) ofTab.set(STORED, { pair: this.#pair, id, count });
    const shared = { numbers: this.#numbers, place: this.#place, lecture: this.#lecture, room: this.#room };
    this.#channel.postMessage({ pair: this.#pair, ...shared });
  }
}

/**
 * Which of two values was changed last: above 0 for the first. Of two that were changed at once the same one leads in
 * every window.
 * @type {(count: number, otherCount: number, value: unknown, otherValue: unknown) => number}
 */
function compared(count, otherCount, value, otherValue) {
  const [text, otherText] = [JSON.stringify(value), JSON.stringify(otherValue)];
  return count - otherCount || Number(text > otherText) - Number(text < otherText);
}

export const pairSync = new PairSync();
