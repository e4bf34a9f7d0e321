// Tells the server where the walk stands, through the sender that the bench's edits take: what no answer confirms is
// sent again, and a new server is given the page's address first.

import { mounting } from "../../kit/mount.js";
import { sender } from "../../kit/sender.js";
import { together } from "./pair_sync.js";

class Place {
  #fresh = true;
  #gone = new AbortController();
  #ask = (address, way) => sender.send({ op: "follow", address, way });

  update({ data, setStateValue }) {
    sender.receive(data, (value) => setStateValue("edits", value), this);
    if (!this.#fresh) return;
    this.#fresh = false;
    const rests = ({ detail }) => sender.send({ op: "place", ...detail });
    window.addEventListener("mha-place", rests, { signal: this.#gone.signal });
    together.serve(this.#ask);
  }

  unmount() {
    this.#gone.abort();
    together.withdraw(this.#ask);
    sender.retire(this);
  }
}

export default mounting(() => new Place());
