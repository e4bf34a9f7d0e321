// The DOM helpers that all components use. Text is always set as text, never as markup.

/**
 * element("td", {class: "cell", data: {key: k}, onclick: act}, child, "text"). An attribute that is false, null or
 * undefined is left out, and so is a child that is null, undefined or "".
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, { data = {}, ...attributes } = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(data)) node.dataset[name] = String(value);
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === "function")
      node.addEventListener(name.slice("on".length), /** @type {EventListener} */ (value));
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  for (const child of children) if (child !== null && child !== undefined && child !== "") node.append(child);
  return node;
}

/**
 * The first element below `root` that a selector finds, and of this class. Raises where there is none.
 * @template {Element} [Found=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {abstract new (...none: never[]) => Found} [type] HTMLElement, unless something else is said
 * @returns {Found}
 */
export function requireElement(root, selector, type) {
  const found = root.querySelector(selector);
  if (found instanceof (type ?? HTMLElement)) return /** @type {Found} */ (found);
  throw new Error(`no ${type?.name ?? "element"} for ${selector}`);
}

/**
 * All below `root` that a selector finds, as HTML elements.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export const elementsOf = (root, selector) =>
  [...root.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);

/**
 * The children of an element, as HTML elements.
 * @param {ParentNode} root
 * @returns {HTMLElement[]}
 */
export const childrenOf = (root) => [...root.children].filter((node) => node instanceof HTMLElement);

/**
 * What stands in the field that an event is about; "" where it is about none.
 * @param {Event} event
 * @returns {string}
 */
export const fieldText = ({ target }) =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement
    ? target.value
    : "";

/**
 * What an event is about, as an element.
 * @param {Event} event
 * @returns {Element | null}
 */
export const targetOf = ({ target }) => (target instanceof Element ? target : null);

/**
 * @template {"div" | "p" | "span"} Tag
 * @param {Tag} tag
 * @returns {(name: string, ...children: Child[]) => HTMLElementTagNameMap[Tag]}
 */
const classed =
  (tag) =>
  (name, ...children) =>
    element(tag, { class: name }, ...children);

/** <div class="name">…</div>, and so on. */
export const div = classed("div");
export const p = classed("p");
export const span = classed("span");

/**
 * A button; `data.focus` is the name by which it gets the focus back when it is drawn again.
 * @type {(attributes: Attributes, ...children: Child[]) => HTMLButtonElement}
 */
export const button = (attributes, ...children) =>
  element("button", { type: "button", ...attributes }, ...children);

/**
 * A button that can be on or off.
 * @type {(pressed: boolean, attributes: Attributes, text: Child) => HTMLButtonElement}
 */
export const pressable = (pressed, attributes, text) =>
  button({ "aria-pressed": String(pressed), ...attributes }, text);

/**
 * A live region: a screen reader says its text when it changes, wherever the focus is.
 * @returns {HTMLElement}
 */
export const announcer = () =>
  element("div", { class: "visually-hidden", "aria-live": "polite", role: "status" });

/**
 * The style that gives something the colour of a head.
 * @type {(head: number) => string}
 */
export const accent = (head) => `--accent: var(--mha-head-${head})`;

/**
 * The sign of an operation, hidden from screen readers: the names beside it say the same.
 * @type {(sign: Child) => HTMLElement}
 */
export const operator = (sign) => element("span", { class: "operator", "aria-hidden": "true" }, sign);

/**
 * "2 × 3"
 * @type {(rows: number, cols: number) => string}
 */
export const shapeOf = (rows, cols) => `${rows} × ${cols}`;

/**
 * Set an attribute; remove it where the value is empty.
 * @param {Element} node
 * @param {string} name
 * @param {string | false | null | undefined} value
 */
export function setAttribute(node, name, value) {
  if (!value) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/**
 * The element of a component that has the focus.
 * @type {(root: Element) => HTMLElement | null}
 */
export const active = (root) =>
  /** @type {HTMLElement | null} */ (/** @type {ShadowRoot | Document} */ (root.getRootNode()).activeElement);

/**
 * The element that gets the focus by this name, unless it is disabled.
 * @type {(root: Element, focus: string) => HTMLElement | null}
 */
export const named = (root, focus) =>
  root.querySelector(`[data-focus="${CSS.escape(focus)}"]:not(:disabled)`);

/**
 * Draw again, and give the focus back to what had it.
 * @param {Element} root
 * @param {() => void} draw
 */
export function redrawn(root, draw) {
  const focus = active(root)?.dataset?.focus;
  draw();
  if (focus) named(root, focus)?.focus();
}

/**
 * Give an element these children alone, in this order. Those it has already are not moved, so that they keep the focus:
 * `children` names them in their present order.
 * @param {Element} parent
 * @param {Element[]} children
 */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  for (const [at, child] of children.entries())
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
}

/**
 * Set a node's text, in the text node that it has already: that costs the browser least.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  const child = node.firstChild;
  if (!(child instanceof Text)) node.textContent = text;
  else if (child.data !== text) child.data = text;
}

/**
 * Set a field's value, unless somebody is typing there.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string | number} value
 */
export function setValue(field, value) {
  if (active(field) !== field && field.value !== String(value)) field.value = String(value);
}

/**
 * A symbol such as W_Q or √d_k, with what follows each _ as a subscript.
 * @type {(text: string) => HTMLElement}
 */
export function symbol(text) {
  const node = element("span", { class: "symbol" });
  for (const part of text.split(/(_\w+)/)) {
    if (part.startsWith("_")) node.append(element("sub", {}, part.slice(1)));
    else node.append(part);
  }
  return node;
}

/**
 * A sentence of ours as nodes: W_Q and dW_Q get a subscript and e^−∞ a superscript, a name such as is_causal neither.
 * @type {(text: string) => (Node | string)[]}
 */
export const rich = (text) =>
  text.split(/(?<=\bd?[A-Za-z]|\bhead)(_[A-Za-z]\w*|\^[−\d∞]+)/).map((part) => {
    if (/^_\w/.test(part)) return element("sub", {}, part.slice(1));
    return part.startsWith("^") ? element("sup", {}, part.slice(1)) : part;
  });

/**
 * Show such a sentence; nothing is drawn where it is there already.
 * @param {HTMLElement} node
 * @param {string} text
 */
export function setRich(node, text) {
  if (node.dataset.text === text) return;
  node.dataset.text = text;
  node.replaceChildren(...rich(text));
}

/**
 * A sentence as nodes, in which the names of these places have their subscripts. They occur in it in this order.
 * @param {string} text
 * @param {string[]} places
 * @returns {(Node | string)[]}
 */
export function naming(text, [place, ...others]) {
  const at = place ? text.indexOf(place) : -1;
  if (at < 0) return [text];
  const rest = naming(text.slice(at + place.length), others);
  return [text.slice(0, at), ...symbol(place).childNodes, ...rest];
}

/**
 * The same as `fill`, with nodes as values.
 * @type {(template: string, values: Record<string, Child[]>) => Child[]}
 */
export const fillNodes = (template, values) =>
  counted(template, values)
    .split(/\{(\w+)\}/)
    .flatMap((part, i) => (i % 2 ? values[part] : [part]));

/**
 * "{count} {count:cell|cells}" with {count: 3} → "3 cells", as Template in mha_core/errors.py does.
 * @type {(template: string, values: Record<string, string | number | null | undefined>) => string}
 */
export const fill = (template, values) =>
  counted(template, values).replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all));

/**
 * Sentences one after another. No space follows full-width punctuation.
 * @type {(...sentences: (string | null | undefined | false)[]) => string}
 */
export const prose = (...sentences) =>
  sentences
    .filter(Boolean)
    .join(" ")
    .replace(/([\u3002\uff01\uff0c\uff1a\uff1b\uff1f\uff09]) /g, "$1");

/** @type {(template: string, values: Record<string, unknown>) => string} */
const counted = (template, values) =>
  template.replace(/\{(\w+):([^{|}]*)\|([^{|}]*)\}/g, (_all, name, one, more) =>
    Number(values[name]) === 1 ? one : more,
  );

/** "name: text", as the language punctuates it. @type {(words: Record<string, string>, name: string, text: string) => string} */
export const titled = (words, name, text) => fill(words.titled, { name, text });

/**
 * Have the browser save a text, or other content, as a file.
 * @param {string} name
 * @param {string} type
 * @param {BlobPart} content
 */
export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
