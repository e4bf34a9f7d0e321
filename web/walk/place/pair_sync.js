// Windows that go together: a projector and a presenter's page of one walk, whatever is edited on the way. They share
// four things, the numbers (an example by name, or its token), the place, the lecture that is walked and the room of
// those who follow, each with a count that goes up with every change. A window tells the others all; the higher count leads, and who hears a lower one
// answers with its own.
// One for a tab: it outlives the walk's page, so that an edit on the bench is told as well.

import { Standing } from "../../kit/mounts.js";
import { sender } from "../../kit/sender.js";
import { ofTab } from "../../kit/storage.js";

const KEPT = "mha-together"; // of the tab, so that a page that is loaded again finds its pair
const NOWHERE = { count: -1, at: null };
const WAYS = { undo: "back", undo_numbers: "back", redo: "forward" }; // through the history, by what is sent
const ASIDE = ["place", "pin", "lens", "baseline", "decimals", "hint", "follow", "recall"]; // changes no numbers

class Together {
  #pair = ""; // windows that found each other with the same numbers have it in common
  #mine = null; // id of the numbers that this window's own session has
  #numbers = null; // {count, id, address, way} that the pair has; way: "back" or "forward" in the history, else ""
  #way = ""; // of what this window sent last
  #place = NOWHERE; // {count, at: {step, sub, predict, revealed}} where the pair stands
  #lecture = NOWHERE; // {count, at: minutes}
  #room = NOWHERE; // {count, at: what room.js makes of it, or null}
  #asked = new Set(); // ids that this window's server was asked for
  /** @type {Standing<{ goTo(at: any): void; taught(minutes: number): void }>} */
  #shows = new Standing(); // each takes a place and a lecture, while its walk is in a view
  #asks = new Standing(); // each asks this window's server for numbers, while it can
  #channel = null;
  /** Who is told what this window changed of numbers and place, and what another changed of the room. */
  guide = { moved() {}, /** @param {any} _at */ shared(_at) {} };

  constructor() {
    window.addEventListener("mha-address-kept", ({ detail }) => this.#stand(detail));
    window.addEventListener("mha-sent", ({ detail: { op } }) => {
      if (!ASIDE.includes(op)) this.#way = WAYS[op] ?? "";
    });
    document.addEventListener("visibilitychange", () => document.hidden || this.#post());
  }

  /**
   * The walk is in a view: from now on this tab belongs to a pair, and goes where the others stand.
   * `lecture`: the minutes that were chosen in this tab, or null; what the pair has chosen since comes before them.
   */
  join(show, lecture) {
    const anew = !this.#shows.last;
    this.#shows.enter(show);
    if (!anew) return;
    this.#place = NOWHERE;
    if (this.#lecture.count >= 0) queueMicrotask(() => this.#shows.last?.taught(this.#lecture.at));
    else if (lecture !== null) this.#lecture = { count: 0, at: lecture };
    if (!this.#channel && window.BroadcastChannel) this.#open();
    this.#post();
  }

  #open() {
    const { pair, id, count = 0 } = ofTab.get(KEPT) ?? {};
    this.#pair = pair ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
    // What changed here while nobody was told leads over what the pair had then, and over nothing that it has done since.
    if (this.#numbers) this.#numbers.count = pair && id !== this.#mine ? count + 0.5 : count;
    this.#channel = new BroadcastChannel("mha-walk");
    this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** The walk has left its view, or its page: the numbers still go together, the places do not. */
  leave(show) {
    this.#shows.leave(show);
  }

  /** `ask` sends an address to this window's server, until it is withdrawn: on another page it cannot. */
  serve(ask) {
    this.#asks.enter(ask);
    this.again();
  }

  withdraw(ask) {
    this.#asks.leave(ask);
  }

  /** This connection is new: what was asked for may be lost. */
  again() {
    this.#asked.clear();
    this.#follow();
    this.#post();
  }

  /** Somebody moved the walk here. */
  publish(at) {
    if (!this.#shows.last) return;
    this.#place = { count: this.#place.count + 1, at };
    this.#post();
    this.guide.moved();
  }

  /** The lecture that is walked from now on, in minutes. */
  teach(minutes) {
    this.#lecture = { count: this.#lecture.count + 1, at: minutes };
    this.#post();
  }

  /** The pair's room, or that there is none any more. */
  share(at) {
    this.#room = { count: this.#room.count + 1, at };
    this.#post();
  }

  /** The address of the pair's numbers. */
  get numbers() {
    return this.#numbers?.address ?? null;
  }

  /** The numbers that this window has, by its address. */
  #stand({ example, s }) {
    const id = example ?? s;
    const way = this.#way;
    if (!sender.pending.some(({ op }) => op in WAYS)) this.#way = ""; // what comes next is no undo's
    if (!id || id === this.#mine) return; // too large for a link: nobody could follow
    this.#mine = id;
    if (id === this.#numbers?.id) {
      this.#asked.clear();
      this.#take();
    } else if (this.#asked.delete(id)) {
      this.#follow(); // the pair has gone on meanwhile
    } else {
      const count = (this.#numbers?.count ?? -1) + 1;
      this.#numbers = { count, id, address: example ? { example } : { s }, way };
      this.guide.moved();
    }
    this.#post();
  }

  #hear({ pair, numbers, place, lecture, room }) {
    if (!this.#numbers) return;
    if (pair !== this.#pair) {
      if (numbers.id !== this.#numbers.id) return; // another walk
      numbers.count = this.#numbers.count = Math.max(numbers.count, this.#numbers.count);
      if (pair > this.#pair) return this.#post();
      this.#pair = pair;
    }
    const ofNumbers = newer(numbers, this.#numbers, "id");
    const ofPlace = newer(place, this.#place, "at");
    const ofLecture = newer(lecture, this.#lecture, "at");
    const ofRoom = newer(room, this.#room, "at");
    if (ofNumbers > 0) this.#numbers = numbers;
    if (ofPlace > 0) this.#place = place;
    if (ofRoom > 0) this.#room = room;
    if (ofLecture > 0) this.#lecture = lecture;
    if (ofRoom > 0) this.guide.shared(room.at);
    if (ofLecture > 0) this.#shows.last?.taught(lecture.at);
    if (ofNumbers > 0) this.#follow();
    if (ofPlace > 0 && this.#mine === this.#numbers.id) this.#take();
    if ([ofNumbers, ofPlace, ofLecture, ofRoom].some((one) => one < 0)) this.#post();
  }

  /** Show the place of the pair: later, since the walk may be in the middle of showing another. */
  #take() {
    queueMicrotask(() => this.#place.at && this.#shows.last?.goTo(this.#place.at));
  }

  #follow() {
    if (!this.#asks.last || !this.#numbers) return;
    const { id, address, way } = this.#numbers;
    if (this.#mine === id || this.#asked.has(id)) return;
    this.#asked.add(id);
    this.#asks.last(address, way);
  }

  #post() {
    if (!this.#channel || !this.#numbers) return;
    const { id, count } = this.#numbers;
    if (this.#mine === id) ofTab.set(KEPT, { pair: this.#pair, id, count });
    const shared = { numbers: this.#numbers, place: this.#place, lecture: this.#lecture, room: this.#room };
    this.#channel.postMessage({ pair: this.#pair, ...shared });
  }
}

/** Which of two was changed last: above 0 for the first. Of two changed at once the same one leads everywhere. */
function newer(one, other, by) {
  const [left, right] = [JSON.stringify(one[by]), JSON.stringify(other[by])];
  return one.count - other.count || Number(left > right) - Number(left < right);
}

export const together = new Together();
