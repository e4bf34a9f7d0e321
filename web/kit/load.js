// Shows a component once its module, its page's words and its stylesheets are loaded (mha_ui/component.py loads them).

const LONGEST_WAIT = 10_000; // ms for a stylesheet; without it a page is plain but complete

/**
 * Whether a stylesheet and whatever it imports are loaded.
 * @param {CSSStyleSheet | null} sheet
 * @returns {boolean}
 */
const isWhole = (sheet) =>
  sheet !== null &&
  [...sheet.cssRules].every((rule) => !(rule instanceof CSSImportRule) || isWhole(rule.styleSheet));

/** @param {HTMLLinkElement} link */
const loaded = (link) =>
  isWhole(link.sheet) ||
  new Promise((done) => {
    link.onload = link.onerror = done;
    setTimeout(done, LONGEST_WAIT);
  });

/** @typedef {{ default: (component: Component) => unknown }} Loaded a component's module */
/** @typedef {{ default: Record<string, Record<string, string>> }} Words a page's, by language */

/**
 * A component may measure what it shows, so it waits for its stylesheets.
 * @param {Component<[{ lang: string; own_words: Record<string, string> }]>} component
 * @param {[unknown, Promise<Loaded & Record<string, Loaded>>, Promise<Words>?]} parts the kit, the page's module, and its
 *   words where the component reads them
 * @param {string} name of the module in the page's bundle; "" where it is not bundled
 */
export async function show(component, [, page, worded], name) {
  const links = component.parentElement.querySelectorAll('link[rel="stylesheet"]');
  const sheets = [...links].map((link) => loaded(/** @type {HTMLLinkElement} */ (link)));
  const [module, served] = await Promise.all([page, worded, ...sheets]);
  const [data] = component.data;
  const own = served && { words: { ...served.default[data.lang], ...data.own_words } };
  const mounted = name ? module[name] : module;
  return mounted.default({ ...component, data: { ...data, ...own } });
}
