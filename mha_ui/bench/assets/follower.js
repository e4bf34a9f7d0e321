// Asks for a rerun of the fragment that it stands in when the bench has painted another revision of the numbers.

import { mounting } from "../mha.web/mount.js";

class Follower {
  #gone = new AbortController();
  /** @type {Component} */
  #latest = null;

  constructor() {
    const painted = ({ detail }) => {
      const { data, setStateValue } = this.#latest;
      if (detail !== data.drawn) setStateValue("seen", detail);
    };
    window.addEventListener("mha-painted", painted, { signal: this.#gone.signal });
  }

  update(component) {
    this.#latest = component;
  }

  unmount() {
    this.#gone.abort();
  }
}

export default mounting(() => new Follower());
