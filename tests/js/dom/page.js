// A page without a browser: happy-dom's document, and components mounted in it as Streamlit mounts them, with what
// Python sends them (NAME.py beside NAME.test.js). There is no layout here: every box is 0 × 0.

import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
import { GlobalRegistrator } from "@happy-dom/global-registrator";
import { BrowserErrorCaptureEnum } from "happy-dom";

GlobalRegistrator.register({
  url: "http://localhost/?example=first",
  width: 1280,
  height: 720,
  settings: { errorCapture: BrowserErrorCaptureEnum.disabled }, // what a listener throws fails its test
});

/** Sockets that were opened, the newest last. Nothing answers unless a test does. @type {Socket[]} */
export const sockets = [];

class Socket extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  /** @type {unknown[]} */
  sent = [];

  /** @param {string | URL} url */
  constructor(url) {
    super();
    this.url = String(url);
    sockets.push(this);
  }

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }
}
globalThis.WebSocket = /** @type {any} */ (Socket);

/** Nothing is painted: a canvas has its `pixels`. Text is as wide as it has characters. @type {any} */
const Canvas = HTMLCanvasElement.prototype;
const painted = {
  measureText: (/** @type {string} */ text) => ({ width: 8 * text.length }),
  createImageData: (/** @type {number} */ width, /** @type {number} */ height) => ({
    data: new Uint8ClampedArray(4 * width * height),
  }),
};
Canvas.getContext = function () {
  const kept = { ...painted, putImageData: (/** @type {ImageData} */ image) => (this.pixels = image.data) };
  return new Proxy(kept, { get: (known, name) => known[name] ?? (() => undefined) });
};

// What browsers have and happy-dom lacks: the rows of a table's body, and properties of these attributes.
Object.defineProperty(HTMLTableSectionElement.prototype, "rows", {
  get() {
    return [...this.children].filter(({ tagName }) => tagName === "TR");
  },
});
for (const name of ["Disabled", "Expanded", "Label", "Pressed"])
  Object.defineProperty(Element.prototype, `aria${name}`, {
    get() {
      return this.getAttribute(`aria-${name.toLowerCase()}`);
    },
    set(value) {
      this.setAttribute(`aria-${name.toLowerCase()}`, value);
    },
  });

document.head.innerHTML = "<style>* { color: rgb(10, 20, 30); }</style>"; // the palette's colours cannot be computed

/** What Python sends, by name, and the words of pages. @type {Record<string, any>} */
const { payloads: PAYLOADS, words: WORDS } = JSON.parse(readFileSync(process.env.MHA_PAYLOADS, "utf-8"));

/** A payload, or what is at a path in it, of its own for each test. @param {string[]} path */
export const payload = (...path) =>
  structuredClone(path.reduce((part, name) => part[name], /** @type {any} */ (PAYLOADS)));

/** The text of each module that a page has imported. @type {Map<string, string>} */
const texts = new Map();

/**
 * A module of web/ with all that it imports. A module keeps what it knows for as long as its page is open, so each page
 * has modules of its own.
 * @param {string} path
 */
export async function freshly(path) {
  /** @type {Map<string, SourceTextModule>} */
  const modules = new Map();
  const at = (/** @type {string} */ identifier) => {
    const known = modules.get(identifier);
    if (known) return known;
    const text = texts.get(identifier) ?? readFileSync(new URL(identifier), "utf-8");
    texts.set(identifier, text);
    const initializeImportMeta = (/** @type {ImportMeta} */ meta) => {
      meta.url = identifier;
    };
    const module = new SourceTextModule(text, { identifier, initializeImportMeta });
    modules.set(identifier, module);
    return module;
  };
  const module = at(new URL(`../../../web/${path}`, import.meta.url).href);
  await module.link((name, { identifier }) => at(new URL(name, identifier).href));
  await module.evaluate();
  return /** @type {any} */ (module.namespace);
}

/** What pages still mean to do later. A page that is left does none of it: it would write into the next one's storage. */
const timers = new Set();
const later = globalThis.setTimeout;
globalThis.setTimeout = /** @type {any} */ (
  (/** @type {any[]} */ ...given) => {
    const timer = later(.../** @type {[any]} */ (given));
    timers.add(timer);
    return timer;
  }
);

/** Takes the component of the test before off its page. @type {(() => void) | undefined} */
let left;

/**
 * A component on an empty page.
 * @param {string} module in web/
 * @param {any} data
 */
export async function mount(module, data) {
  document.body.replaceChildren();
  left?.();
  for (const timer of timers) clearTimeout(timer);
  timers.clear();
  sessionStorage.clear();
  localStorage.clear();
  const { default: mounted } = await freshly(module);
  let parentElement = document.createElement("div");
  document.body.append(parentElement);
  /** @type {[string, any][]} */
  const sent = [];
  const set = (/** @type {string} */ name, /** @type {any} */ value) => sent.push([name, value]);
  const words = WORDS[module.split("/")[0]]; // put into an answer as mha_ui/component.py does
  const worded = (/** @type {any} */ next) =>
    words && !next.words ? { ...next, words: { ...words[next.lang], ...next.own_words } } : next;
  const answer = (/** @type {any} */ next) =>
    mounted({
      parentElement,
      data: worded(next),
      key: "k",
      name: "n",
      setStateValue: set,
      setTriggerValue: set,
    });
  left = answer(data);
  /** Another page of the app is shown, as Streamlit does it. */
  const leave = () => {
    parentElement.remove();
    left?.();
  };
  /** The page is shown again, in an element of its own, which is returned. */
  const comeBack = () => {
    parentElement = document.createElement("div");
    document.body.append(parentElement);
    left = answer(data);
    return parentElement;
  };
  return { root: parentElement, sent, answer, leave, comeBack };
}

/** @param {Record<string, any> | string} key @param {EventTarget} [target] */
export function press(key, target = document.body) {
  const given = typeof key === "string" ? { key } : key;
  const event = new KeyboardEvent("keydown", { bubbles: true, composed: true, cancelable: true, ...given });
  target.dispatchEvent(event);
  return event;
}
