// The few DOM helpers that the bench uses. Text is always set as text, never as markup.

/** element("td", {class: "cell", "data-key": k}, child, "text") */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export function setText(node, text) {
  const held = node.firstChild;
  if (held?.nodeType !== Node.TEXT_NODE) node.textContent = text;
  else if (held.data !== text) held.data = text;
}

/** A symbol such as W_Q or √d_k, with what follows each _ as a subscript. */
export function symbol(text) {
  const node = element("span", { class: "symbol" });
  for (const part of text.split(/(_\w+)/)) {
    if (part.startsWith("_")) node.append(element("sub", {}, part.slice(1)));
    else node.append(part);
  }
  return node;
}

/** A sentence of ours as nodes, its W_Q with a subscript and its e^−∞ with a superscript. */
export const rich = (text) =>
  text.split(/(?<=[A-Za-z])(_[A-Za-z]\w*|\^[−\d∞]+)/).map((part) => {
    if (/^_\w/.test(part)) return element("sub", {}, part.slice(1));
    return part.startsWith("^") ? element("sup", {}, part.slice(1)) : part;
  });

/** A sentence as nodes, the name of a place in it with its subscripts. */
export function naming(text, place) {
  const at = place ? text.indexOf(place) : -1;
  return at < 0 ? [text] : [text.slice(0, at), ...symbol(place).childNodes, text.slice(at + place.length)];
}

/** The same as `fill`, with nodes as values. */
export const fillNodes = (template, values) =>
  template.split(/\{(\w+)\}/).flatMap((part, i) => (i % 2 ? values[part] : [part]));

/** "{count} cells" with {count: 3} → "3 cells" */
export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
