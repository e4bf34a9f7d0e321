// The address of the work in Explore, which this page's own address leaves out. The tab stores it, so that a reload of
// this page does not lose the work.

const KEY = "mha.models.work";

/** @typedef {{ session: string; address: Record<string, string> }} Stored */

/** Whether an address names an example. @param {Record<string, string>} address */
const hasExample = ({ s, example }) => Boolean(s || example);

/** @param {Record<string, string>} address */
const inFull = (address) => String(new URLSearchParams(address));

export class StoredWork {
  /** @type {Stored | null} */
  #stored = null;
  /** The session that was told to open a work again, until another session answers. */
  #restoring = "";

  /**
   * @param {Pick<import("../kit/storage.js").Store, "get" | "set">} store the tab's
   * @param {boolean} began whether the browser's page began here, at an address that does not name the work
   */
  constructor(store, began) {
    this.store = store;
    if (began) this.#stored = store.get(KEY);
  }

  /**
   * The work of an earlier session, if the current one has begun without it and must open it again. Otherwise the
   * current work is stored, and there is nothing to do: null.
   * @param {string} session
   * @param {Record<string, string>} address
   * @returns {Record<string, string> | null}
   */
  update(session, address) {
    if (session === this.#restoring) return null; // it has not opened the work yet
    const stored = this.#stored;
    const isLost =
      !this.#restoring && stored && stored.session !== session && hasExample({ ...stored.address });
    const wanted = isLost ? stored.address : address;
    const isWanted = inFull(wanted) !== inFull(address);
    this.#restoring = isWanted ? session : "";
    this.#stored = { session, address: wanted };
    this.store.set(KEY, this.#stored);
    return isWanted ? wanted : null;
  }
}

/** Whether the browser's page began at this place, with an address that does not name the work. */
export function beganHere() {
  const [{ name }] = performance.getEntriesByType("navigation");
  const { pathname, searchParams } = new URL(name);
  return pathname === location.pathname && !hasExample(Object.fromEntries(searchParams));
}
