// The work of the bench, which this page leaves out of the address: this tab keeps it, so that it survives a reload here.

const KEY = "mha.models.work";

/** @typedef {{ session: string; address: Record<string, string> }} Kept */

/** Whether an address says which example is at hand. @param {Record<string, string>} address */
const holds = ({ s, example }) => Boolean(s || example);

const inFull = (address) => String(new URLSearchParams(address));

export class KeptWork {
  /** @type {Kept | null} */
  #kept = null;
  /** The session that was asked to open a work again, until another answers. */
  #asked = "";

  /**
   * @param {Pick<import("../kit/storage.js").Store, "get" | "set">} store the tab's
   * @param {boolean} began whether the browser's page began here, at an address that says nothing of the work
   */
  constructor(store, began) {
    this.store = store;
    if (began) this.#kept = store.get(KEY);
  }

  /**
   * The address of the work that an earlier session had, where this one has begun without it: it is to be opened again.
   * Else this one's is kept, and there is nothing to do: null.
   * @param {string} session
   * @param {Record<string, string>} address
   * @returns {Record<string, string> | null}
   */
  update(session, address) {
    if (session === this.#asked) return null; // it has not got there yet
    const before = this.#kept;
    const isLost = !this.#asked && before && before.session !== session && holds({ ...before.address });
    const due = isLost ? before.address : address;
    const isDue = inFull(due) !== inFull(address);
    this.#asked = isDue ? session : "";
    this.#kept = { session, address: due };
    this.store.set(KEY, this.#kept);
    return isDue ? due : null;
  }
}

/** Whether the browser's page began at this place, with an address that says nothing of the work. */
export function beganHere() {
  const [{ name }] = /** @type {PerformanceEntry[]} */ (performance.getEntriesByType("navigation"));
  const { pathname, searchParams } = new URL(name);
  return pathname === location.pathname && !holds(Object.fromEntries(searchParams));
}
