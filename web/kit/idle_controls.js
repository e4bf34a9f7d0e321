// Before an audience controls are shown while the pointer moves, and hidden by the next key.

const AWAKE = 3000; // ms for which controls are shown after the pointer has moved

export class IdleControls {
  #resting = 0;

  /** @param {Element} root gets the class "awake" while its controls are shown */
  constructor(root) {
    this.root = root;
  }

  wake() {
    clearTimeout(this.#resting);
    this.root.classList.add("awake");
    this.#resting = Number(setTimeout(() => this.rest(), AWAKE));
  }

  get isAwake() {
    return this.root.classList.contains("awake");
  }

  rest() {
    clearTimeout(this.#resting);
    this.root.classList.remove("awake");
  }
}
