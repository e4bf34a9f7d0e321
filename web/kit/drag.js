// Dragging a number: sideways with the pointer, or with Alt and the arrows. Everything follows while it
// moves. It is one edit when it is released, and none after Escape.

const THRESHOLD = 4; // px of a pointer until a press is a drag
const PIXELS = 10; // of a drag for one step
const HOLD = 250; // ms that a finger rests on a number until it drags and does not scroll
const REST = 500; // ms without a further key, until it is one edit
const COARSE = 10; // steps at once with Shift

/**
 * +1 for the key ↑, −1 for ↓, else 0.
 * @param {KeyboardEvent} event
 */
export const stepOf = ({ key }) => (key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0);

/** @param {KeyboardEvent} event */
export const isModifier = ({ key }) => ["Alt", "Shift", "Control", "Meta"].includes(key);

/**
 * A number that is being moved. `x` and `y`: where the pointer was pressed; null: it is moved by keys.
 * `isArmed`: moving the pointer will drag.
 * @template What
 * @typedef {{
 *   what: What; start: Value; steps: number; from: { x: number; y: number } | null;
 *   isArmed: boolean; isMoving: boolean;
 * }} Drag
 */

/** @template What */
export class Scrub {
  /** @type {Drag<What> | null} */
  #drag = null;
  #timer = 0;

  /**
   * `What` is what is dragged: a cell, or anything else that the host has an `element` for. The host's `valueOf` is its
   * number, or undefined where it may not be dragged. `moved` is that number some steps further. `show`, `commit` and
   * `cancel` take both.
   * @param {ScrubHost<What>} host
   */
  constructor(host) {
    this.host = host;
  }

  /** Whether a number is being dragged. */
  get active() {
    return Boolean(this.#drag?.isMoving);
  }

  /** @param {HTMLElement} root */
  listen(root) {
    const keep = (/** @type {Event} */ event) => {
      if (this.#drag?.isArmed) event.preventDefault();
    };
    root.addEventListener("pointermove", (event) => this.#onMove(event));
    root.addEventListener("pointerup", () => this.#release());
    root.addEventListener("pointercancel", () => this.escape());
    if (!this.host.slides) root.addEventListener("touchmove", keep, { passive: false }); // from scrolling
    root.addEventListener("contextmenu", keep);
  }

  /**
   * A pointer is pressed on a number.
   * @param {What} what
   * @param {PointerEvent} event
   */
  press(what, { clientX: x, clientY: y, shiftKey, pointerType }) {
    this.finish();
    const start = this.host.valueOf(what);
    if (start === undefined || shiftKey) return;
    const isHeld = pointerType === "touch" && !this.host.slides; // it drags once it has been held for a moment
    this.#drag = { what, start, steps: 0, from: { x, y }, isArmed: !isHeld, isMoving: false };
    if (isHeld) this.#timer = setTimeout(() => this.#arm(), HOLD);
  }

  #arm() {
    if (!this.#drag) return;
    this.#drag.isArmed = true;
    this.host.element(this.#drag.what)?.classList.add("scrubbed");
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    const drag = this.#drag;
    if (!drag?.isArmed || !drag.from) return;
    const [across, down] = [event.clientX - drag.from.x, event.clientY - drag.from.y];
    if (!drag.isMoving && !this.#begin(drag, event, across, down)) return;
    this.#moveTo(drag, Math.round(across / PIXELS) * (event.shiftKey ? COARSE : 1));
  }

  /**
   * Whether the pointer has moved far enough sideways to drag the number, which then begins.
   * @param {Drag<What>} drag
   * @param {PointerEvent} event
   * @param {number} across px
   * @param {number} down px
   */
  #begin(drag, event, across, down) {
    const isDown = Math.abs(down) >= THRESHOLD && Math.abs(down) >= Math.abs(across);
    if (isDown && event.pointerType !== "touch") {
      this.#clear();
      return false;
    }
    if (Math.abs(across) < THRESHOLD) return false;
    const node = this.host.element(drag.what);
    if (!node) {
      this.#clear(); // the tables have been rebuilt since the press
      return false;
    }
    drag.isMoving = true;
    node.setPointerCapture(event.pointerId);
    node.classList.add("scrubbed");
    node.focus({ preventScroll: true });
    return true;
  }

  /**
   * @param {Drag<What>} drag
   * @param {number} steps
   */
  #moveTo(drag, steps) {
    if (steps === drag.steps) return;
    drag.steps = steps;
    this.host.show(drag.what, this.#numberOf(drag));
  }

  /** @param {Drag<What>} drag */
  #numberOf({ start, steps }) {
    return this.host.moved(start, steps);
  }

  /**
   * Move a number some steps by a key. True where there is a number to move.
   * @param {What} what
   * @param {number} steps
   * @param {boolean} isCoarse
   */
  nudge(what, steps, isCoarse) {
    const drag = this.#nudged(what);
    if (!drag) return false;
    this.#moveTo(drag, drag.steps + steps * (isCoarse ? COARSE : 1));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.finish(), REST);
    return true;
  }

  /**
   * The drag that a nudge goes on with, or begins.
   * @param {What} what
   * @returns {Drag<What> | null}
   */
  #nudged(what) {
    if (this.#drag && this.host.element(this.#drag.what) === this.host.element(what)) return this.#drag;
    this.finish();
    const start = this.host.valueOf(what);
    if (start === undefined) return null;
    this.#drag = { what, start, steps: 0, from: null, isArmed: true, isMoving: true };
    return this.#drag;
  }

  /** The pointer is released: what it dragged is an edit. Steps by keys wait for more. */
  #release() {
    if (this.#drag?.from) this.finish();
  }

  /** Make what was dragged an edit. */
  finish() {
    const drag = this.#drag;
    if (!drag) return;
    const number = this.#numberOf(drag);
    const hasChanged = drag.isMoving && number !== drag.start;
    this.#clear();
    if (hasChanged) this.host.commit(drag.what, number);
    else if (drag.isMoving) this.host.cancel(drag.what, drag.start);
  }

  /** Take back what was dragged; whether there was any. */
  escape() {
    const drag = this.#drag;
    this.#clear();
    if (drag?.isMoving) this.host.cancel(drag.what, drag.start);
    return Boolean(drag?.isMoving);
  }

  #clear() {
    clearTimeout(this.#timer);
    if (this.#drag) this.host.element(this.#drag.what)?.classList.remove("scrubbed");
    this.#drag = null;
  }
}
