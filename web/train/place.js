// Which recording is shown, and at which step, in the page's address: a reload keeps them, and a link has them.

/** The training that this browser has kept. */
export const LAST = "last";
const REST = 400; // ms that the slider rests: browsers refuse to write an address often

export class Place {
  #timer = 0;
  #written = ""; // what is to be written, as JSON

  /** What the address says. */
  static read() {
    const query = new URLSearchParams(location.search);
    const at = query.get("at");
    return { task: query.get("task") ?? "", step: at && /^\d{1,6}$/.test(at) ? Number(at) : null };
  }

  /** @param {string} task "" for what an address cannot have @param {number} step */
  write(task, step) {
    /** @type {Record<string, string>} */
    const values = task ? { task, at: String(step) } : {};
    if (JSON.stringify(values) === this.#written) return; // a training that runs is shown more often than this rests
    this.#written = JSON.stringify(values);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => write(values), REST);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#written = "";
  }
}

/** @param {Record<string, string>} values */
function write(values) {
  const query = new URLSearchParams(location.search);
  for (const name of ["task", "at"]) query.delete(name);
  for (const [name, value] of Object.entries(values)) query.set(name, value);
  const search = query.size ? `?${query}` : "";
  if (search !== location.search)
    history.replaceState(history.state, "", location.pathname + search + location.hash);
}
