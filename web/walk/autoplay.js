// A walk that plays by itself, and how fast. No DOM here.

const FAST = 2; // seconds; in a walk that is faster, nothing moves between two places

export class Pacing {
  /** @type {ReturnType<typeof setInterval> | null} */
  #timer = null;
  seconds = 2;

  /** @param {{ next: () => void; shown: (plays: boolean) => void }} host */
  constructor(host) {
    this.host = host;
  }

  get plays() {
    return this.#timer !== null;
  }

  /** Whether what moves at a place would be overtaken. */
  get isFast() {
    return this.plays && this.seconds < FAST;
  }

  toggle() {
    if (this.plays) return this.stop();
    this.#timer = setInterval(() => this.host.next(), this.seconds * 1000);
    this.host.shown(true);
  }

  stop() {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
    this.host.shown(false);
  }

  /** @param {number} seconds between two places */
  set(seconds) {
    const { plays } = this;
    this.seconds = seconds;
    if (!plays) return;
    this.stop();
    this.toggle();
  }
}
