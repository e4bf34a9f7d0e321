// Dragging a number: sideways with the pointer, with the wheel, or with Alt and the arrows. Everything follows while it
// moves; it is one edit once the hand lets go, and none after Escape.

const THRESHOLD = 4; // px of a pointer until a press is a drag
const PIXELS = 10; // of a drag for one step
const HOLD = 250; // ms that a finger rests on a number until it drags and does not scroll
const REST = 500; // ms without a further step of the wheel or a key, until it is one edit
const COARSE = 10; // steps at once with Shift

/** @template What */
export class Scrub {
  /** @type {{ what: What; start: Value; steps: number; x: number; y: number; armed: boolean; moving: boolean } | null} */
  #held = null;
  #timer = 0;

  /**
   * What is dragged: a cell, or whatever else the host has one `element` for. `valueOf` is its number, or undefined
   * where it may not be dragged, and `moved` that number some steps further; `show`, `commit` and `cancel` take both.
   * @param {ScrubHost<What>} host
   */
  constructor(host) {
    this.host = host;
  }

  /** Whether a number is being dragged. */
  get active() {
    return Boolean(this.#held?.moving);
  }

  /** @param {HTMLElement} root */
  listen(root) {
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", () => this.#drop());
    root.addEventListener("pointercancel", () => this.escape());
    root.addEventListener("touchmove", (event) => this.#held?.armed && event.preventDefault(), {
      passive: false,
    });
    root.addEventListener("contextmenu", (event) => this.#held?.armed && event.preventDefault());
  }

  /**
   * A pointer is pressed on a number.
   * @param {What} what
   * @param {PointerEvent} event
   */
  press(what, event) {
    this.finish();
    const start = this.host.valueOf(what);
    if (start === undefined || event.shiftKey) return;
    const touch = event.pointerType === "touch";
    this.#held = { what, start, steps: 0, x: event.clientX, y: event.clientY, armed: !touch, moving: false };
    if (touch) this.#timer = setTimeout(() => this.#held && this.#arm(), HOLD);
  }

  #arm() {
    this.#held.armed = true;
    this.host.element(this.#held.what)?.classList.add("scrubbed");
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const held = this.#held;
    if (!held?.armed || held.x === undefined) return;
    const [across, down] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moving) {
      if (Math.abs(down) >= THRESHOLD && Math.abs(down) >= Math.abs(across) && event.pointerType !== "touch")
        this.#clear();
      if (Math.abs(across) < THRESHOLD || !this.#held) return;
      const td = this.host.element(held.what);
      if (!td) return this.#clear(); // the tables were built anew meanwhile
      held.moving = true;
      td.setPointerCapture(event.pointerId);
      td.classList.add("scrubbed");
      td.focus({ preventScroll: true });
    }
    this.#to(Math.round(across / PIXELS) * (event.shiftKey ? COARSE : 1));
  }

  /** @param {number} steps */
  #to(steps) {
    const held = this.#held;
    if (steps === held.steps) return;
    held.steps = steps;
    this.host.show(held.what, this.#number);
  }

  get #number() {
    return this.host.moved(this.#held.start, this.#held.steps);
  }

  /**
   * Some steps by the wheel or by a key; true where there is a number to move.
   * @param {What} what
   * @param {number} steps
   * @param {boolean} coarse
   */
  nudge(what, steps, coarse) {
    if (!this.#held || this.host.element(this.#held.what) !== this.host.element(what)) {
      this.finish();
      const start = this.host.valueOf(what);
      if (start === undefined) return false;
      this.#held = { what, start, steps: 0, x: undefined, y: undefined, armed: true, moving: true };
    }
    this.#to(this.#held.steps + steps * (coarse ? COARSE : 1));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.finish(), REST);
    return true;
  }

  /** The pointer is let go: what was dragged is an edit; steps by wheel and keys wait for more. */
  #drop() {
    if (this.#held?.x !== undefined) this.finish();
  }

  /** Make what was dragged an edit. */
  finish() {
    const held = this.#held;
    if (!held) return;
    const number = this.#number;
    const changed = held.moving && number !== held.start;
    this.#clear();
    if (changed) this.host.commit(held.what, number);
    else if (held.moving) this.host.cancel(held.what, held.start);
  }

  /** Take back what was dragged; whether there was any. */
  escape() {
    const held = this.#held;
    this.#clear();
    if (held?.moving) this.host.cancel(held.what, held.start);
    return Boolean(held?.moving);
  }

  #clear() {
    clearTimeout(this.#timer);
    if (this.#held) this.host.element(this.#held.what)?.classList.remove("scrubbed");
    this.#held = null;
  }
}
