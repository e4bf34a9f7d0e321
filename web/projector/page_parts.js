// What a page of Streamlit's consists of, from above: its elements, and the tables within our own components.

/**
 * `nodes` are shown with it, and so is what they stand in (`around`).
 * @typedef {import("./screens.js").Part & { nodes: Element[]; around: Element[] }} Shown
 */

const MAIN = '.stMainBlockContainer > [data-testid="stVerticalBlock"]';
const COLUMN = '[data-testid="stVerticalBlock"]';
const NOT_OURS = ".st-key-hall, .st-key-frame";
const GROUPS = ".st-key-lesson-text, .st-key-lesson-live, .st-key-lesson-after";
const MOST_ROWS = 8; // of a table that is never torn apart
const KEPT = ".st-key-lesson-controls";
const LIVE = ".st-key-lesson-live"; // its controls stand beside the rest

/** @type {() => Element | null} */
export const mainOf = () => document.querySelector(MAIN);

/** @type {(node: Element) => boolean} */
const isSeen = (node) => node.getClientRects().length > 0 && node.getBoundingClientRect().height > 1;

/**
 * The parts of the page, in order. All of them must be shown while this looks.
 * @param {Element} main
 * @returns {Shown[]}
 */
export function partsOf(main) {
  return [...main.children].flatMap((child) => within(child, []));
}

/** @type {(node: Element, around: Element[]) => Shown[]} */
function within(node, around) {
  if (!isSeen(node) || node.querySelector(NOT_OURS) || node.matches(NOT_OURS)) return [];
  const column = node.matches(COLUMN) ? node : node.querySelector(`:scope > ${COLUMN}`);
  if (column && isColumn(column)) {
    const inside = [...around, node, column];
    return [...column.children].flatMap((child) => within(child, inside));
  }
  const tables = benchIn(node);
  if (tables) return partsOfTables(tables, [...around, node]);
  const scope = node.closest(GROUPS);
  const kept = Boolean(node.matches(KEPT) || node.querySelector(KEPT));
  const rows = rowsOf(node);
  const group = rows.length > 1 && scope?.matches(LIVE) ? node : scope; // no first row below a figure, the rest elsewhere
  return rows.map((nodes) => ({ nodes, around: [...around, node], group, scope, kept }));
}

/** A long table is shown by its rows, below its heads. @type {(node: Element) => Element[][]} */
function rowsOf(node) {
  const rows = [...node.querySelectorAll(".mha-table tbody tr")];
  return rows.length > MOST_ROWS ? rows.map((row) => [row]) : [[node]];
}

/** Whether its children are parts of their own. @type {(node: Element) => boolean} */
function isColumn(node) {
  const { display, flexDirection } = getComputedStyle(node);
  return (display === "flex" && flexDirection === "column") || node.matches(LIVE);
}

/** Our tables, where this element holds them. */
export function benchIn(node) {
  for (const host of node.querySelectorAll("*")) {
    const found = host.shadowRoot?.querySelector(".bench");
    if (found) return found;
  }
  return null;
}

/**
 * What stands above the tables stays in sight; then every matrix, stage by stage: on two sides one of each.
 * @type {(bench: Element, around: Element[]) => Shown[]}
 */
function partsOfTables(bench, around) {
  const above = [...bench.querySelectorAll(":scope > :is(.slider, .board-bar, .head-chips)")].filter(isSeen);
  const scope = bench;
  const kept = above.map((node) => ({ nodes: [node], around, group: bench, scope, kept: true }));
  const stages = bench.querySelectorAll(
    ".sides > .stage-title, .stage:not(.head-titles) > .stage-title:first-child",
  );
  const parts = [...stages].flatMap((title) => ofStage(title, around, scope));
  return [...kept, ...(parts.length ? parts : [{ nodes: [bench], around, group: bench, scope }])];
}

/** @type {(title: Element, around: Element[], scope: unknown) => Shown[]} */
function ofStage(title, around, scope) {
  const isSides = title.parentElement.classList.contains("sides");
  const sections = isSides ? sidesOf(title) : [title.parentElement];
  const figures = sections.flatMap((section) => [...section.querySelectorAll("figure")]);
  const names = new Map();
  for (const figure of figures) {
    const name = isSides ? nameOf(figure) : figure.dataset.table;
    names.set(name, [...(names.get(name) ?? []), figure]);
  }
  const holding = [...around, title, ...sections];
  return [...names.values()].map((nodes) => {
    const heads = nodes.map((node) => node.closest(".head, .layer")).filter(Boolean);
    return { nodes, around: [...holding, ...heads], group: scope, scope };
  });
}

/** The two sections that follow a stage's title. */
function sidesOf(title) {
  const left = title.nextElementSibling;
  return [left, left.nextElementSibling];
}

/** @type {(figure: HTMLElement) => string} */
const nameOf = ({ dataset }) => dataset.table.split(" ")[0];

/**
 * Show these parts of the page, and none of the others.
 * @param {Shown[]} all
 * @param {Shown[]} shown
 */
export function show(all, shown) {
  const on = new Set(shown.flatMap(({ nodes, around }) => [...nodes, ...around]));
  for (const { nodes, around } of all)
    for (const node of [...nodes, ...around]) node.toggleAttribute("data-hall-off", !on.has(node));
}

/**
 * What a lesson's live part is called, where these parts are of it: the line above the screen says so.
 * @param {Shown[]} [shown]
 */
export const liveAmong = (shown = []) =>
  shown[0]?.nodes[0].closest(LIVE)?.querySelector("h3")?.textContent ?? "";

/** Everything is shown again. */
export function showAll() {
  for (const root of [document, ...benches().map((bench) => bench.getRootNode())])
    for (const node of /** @type {ParentNode} */ (root).querySelectorAll("[data-hall-off]"))
      node.removeAttribute("data-hall-off");
}

/** @returns {Element[]} */
export function benches() {
  const main = mainOf();
  return main ? [benchIn(main)].filter(Boolean) : [];
}

const SCROLLING = ".mha-table, .mha-scroller";
const SCROLLING_TABLES = ".tables, .scroller";

/**
 * Whether all that is shown has room, in both directions: two sides beside each other, else one below the other.
 * @param {Element} zone
 */
export function fits(zone) {
  const pair = benches()
    .find((bench) => bench.querySelector(".sides"))
    ?.querySelector(".tables");
  if (!pair) return hasRoom(zone);
  return [false, true].some((stacked) => {
    pair.classList.toggle("stacked", stacked);
    return hasRoom(zone);
  });
}

/** @param {Element} zone */
function hasRoom(zone) {
  if (isWider(zone) || zone.scrollHeight > zone.clientHeight + 1) return false;
  const tables = benches().flatMap((bench) => [...bench.querySelectorAll(SCROLLING_TABLES)]);
  return ![...zone.querySelectorAll(SCROLLING), ...tables].some((node) => isWider(node));
}

/** @type {(node: Element) => boolean} */
const isWider = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1;
