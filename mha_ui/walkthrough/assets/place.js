// Tells the server where the walk stands, through the sender that the bench's edits take: what no answer confirms is
// sent again, and a new server is given the page's address first.

import { Sender } from "../mha.bench/sender.js";
import { together } from "./together.js";

const sender = new Sender();
const mounted = new WeakMap();

export default function mount({ parentElement, data, setStateValue }) {
  const post = (value) => setStateValue("edits", value);
  sender.receive(data, post, !mounted.has(parentElement));
  if (!mounted.has(parentElement)) {
    const rests = ({ detail }) => sender.send({ op: "place", ...detail });
    window.addEventListener("mha-place", rests);
    const ask = (address) => sender.send({ op: "follow", address });
    together.serve(ask);
    mounted.set(parentElement, () => {
      if (parentElement.isConnected) return;
      window.removeEventListener("mha-place", rests);
      together.withdraw(ask);
      mounted.delete(parentElement);
    });
  }
  return mounted.get(parentElement);
}
