// Sends the server the place where the walk rests, through the sender that edits of numbers use: what no answer
// confirms is sent again, and a new server is first given the address of the page.

import { mounting } from "../../kit/mount.js";
import { sender } from "../../kit/sender.js";
import { pairSync } from "./pair_sync.js";

class PlaceSender {
  #isNew = true;
  #removal = new AbortController();
  /** @type {(address: PairNumbers["address"], way: string) => void} */
  #requestNumbers = (address, way) => sender.send({ op: "follow", address, way });

  /** @param {Component} component */
  update({ data, setStateValue }) {
    sender.receive(data, (sent) => setStateValue("edits", sent), this);
    if (!this.#isNew) return;
    this.#isNew = false;
    const send = (/** @type {CustomEvent<WalkPosition>} */ { detail }) =>
      sender.send({ op: "place", ...detail });
    window.addEventListener("mha-place", send, { signal: this.#removal.signal });
    pairSync.serve(this.#requestNumbers);
  }

  unmount() {
    this.#removal.abort();
    pairSync.withdraw(this.#requestNumbers);
    sender.retire(this);
  }
}

export default mounting(() => new PlaceSender());
