// Before an audience controls are seen while the pointer moves, and gone with the next key.

const AWAKE = 3000; // milliseconds after the pointer has moved

export class Awake {
  #resting = 0;

  /** @param {Element} root has the class while its controls are seen */
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
