// The parts of a page of Streamlit's, from the top: its elements, and the tables within our own components.

/**
 * A part that can be shown by itself: its nodes, and the elements around them.
 * @typedef {import("./screens.js").Part & { nodes: Element[]; around: Element[] }} Shown
 */

const MAIN = '.stMainBlockContainer > [data-testid="stVerticalBlock"]';
const COLUMN = '[data-testid="stVerticalBlock"]';
const NOT_PARTS = ".st-key-hall, .st-key-frame";
const GROUPS = ".st-key-lesson-text, .st-key-lesson-live, .st-key-lesson-after";
const MOST_ROWS = 8; // of a table that is always shown whole
const KEPT = ".st-key-lesson-controls";
const LIVE = ".st-key-lesson-live"; // its controls are beside the rest

/** @type {() => Element | null} */
export const mainOf = () => document.querySelector(MAIN);

/** @type {(node: Element) => boolean} */
const isVisible = (node) => node.getClientRects().length > 0 && node.getBoundingClientRect().height > 1;

/**
 * The parts of the page, in order. All of them must be shown while this is called.
 * @param {Element} main
 * @returns {Shown[]}
 */
export function partsOf(main) {
  return [...main.children].flatMap((child) => within(child, []));
}

/** @type {(node: Element, around: Element[]) => Shown[]} */
function within(node, around) {
  if (!isVisible(node) || node.querySelector(NOT_PARTS) || node.matches(NOT_PARTS)) return [];
  const column = node.matches(COLUMN) ? node : node.querySelector(`:scope > ${COLUMN}`);
  if (column && isColumn(column)) {
    const inside = [...around, node, column];
    return [...column.children].flatMap((child) => within(child, inside));
  }
  const tables = tablesIn(node);
  if (tables) return partsOfTables(tables, [...around, node]);
  const scene = inShadow(node, ".scene");
  if (scene) return partsOfScene(scene, [...around, node]);
  const scope = node.closest(GROUPS);
  const kept = Boolean(node.matches(KEPT) || node.querySelector(KEPT));
  const rows = rowsOf(node);
  const isLongTable = rows.length > 1 && scope?.matches(LIVE);
  const group = isLongTable ? node : scope; // it does not begin on the screen of the figure above it
  return rows.map((nodes) => ({ nodes, around: [...around, node], group, scope, kept }));
}

/** A long table is shown row by row, below its column titles. @type {(node: Element) => Element[][]} */
function rowsOf(node) {
  const rows = [...node.querySelectorAll(".mha-table tbody tr")];
  return rows.length > MOST_ROWS ? rows.map((row) => [row]) : [[node]];
}

/** Whether the children of an element are parts themselves. @type {(node: Element) => boolean} */
function isColumn(node) {
  const { display, flexDirection } = getComputedStyle(node);
  return (display === "flex" && flexDirection === "column") || node.matches(LIVE);
}

/** Our tables in an element, if it has any. @type {(node: Element) => Element | null} */
const tablesIn = (node) => inShadow(node, ".bench");

/** What a selector finds in a component of ours within an element. @type {(node: Element, selector: string) => Element | null} */
function inShadow(node, selector) {
  for (const host of node.querySelectorAll("*")) {
    const found = host.shadowRoot?.querySelector(selector);
    if (found) return found;
  }
  return null;
}

/** The groups of a lesson's scene are parts, each within its card. @type {(scene: Element, around: Element[]) => Shown[]} */
function partsOfScene(scene, around) {
  const scope = around[around.length - 1].closest(GROUPS);
  return [...scene.querySelectorAll(".group")].map((group) => {
    const card = group.closest(".card");
    return { nodes: [group], around: card ? [...around, card] : around, group: scene, scope };
  });
}

/**
 * What is above the tables is kept on the screen. Each matrix is a part, stage by stage; with two sides a part has one
 * of each. The page Train says itself what its parts are.
 * @type {(tables: Element, around: Element[]) => Shown[]}
 */
function partsOfTables(tables, around) {
  const above = [...tables.querySelectorAll(":scope > :is(.slider, .board-bar, .head-chips)")].filter(
    isVisible,
  );
  const whole = { nodes: [tables], around, group: tables, scope: tables };
  const kept = above.map((node) => ({ ...whole, nodes: [node], kept: true }));
  const own = [...tables.querySelectorAll("[data-part]")].filter(isVisible);
  if (own.length)
    return own.map((node) => ({ nodes: [node], around: [...around, tables], group: node, scope: node }));
  const titles = tables.querySelectorAll(
    ".sides > .stage-title, .stage:not(.head-titles) > .stage-title:first-child",
  );
  const parts = [...titles].flatMap((title) => partsOfStage(title, around, tables));
  return [...kept, ...(parts.length ? parts : [whole])];
}

/** @type {(title: Element, around: Element[], scope: Element) => Shown[]} */
function partsOfStage(title, around, scope) {
  const { parentElement } = title;
  const isSides = Boolean(parentElement?.classList.contains("sides"));
  const sections = (isSides ? sidesOf(title) : [parentElement]).filter((section) => section !== null);
  const figures = sections.flatMap((section) => [...section.querySelectorAll("figure")]);
  /** @type {Map<string, HTMLElement[]>} */
  const byName = new Map();
  for (const figure of figures) {
    const { table = "" } = figure.dataset;
    const name = isSides ? table.split(" ")[0] : table;
    byName.set(name, [...(byName.get(name) ?? []), figure]);
  }
  return [...byName.values()].map((nodes) => {
    const heads = nodes.map((node) => node.closest(".head, .layer")).filter((head) => head !== null);
    return { nodes, around: [...around, title, ...sections, ...heads], group: scope, scope };
  });
}

/** The two sections that follow a stage's title. @param {Element} title */
function sidesOf(title) {
  const left = title.nextElementSibling;
  return [left, left?.nextElementSibling ?? null];
}

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
 * The title of a lesson's live part, if these parts are of it: the bar above the screen shows it.
 * @param {Shown[]} [shown]
 */
export const liveAmong = (shown = []) =>
  shown[0]?.nodes[0].closest(LIVE)?.querySelector("h3")?.textContent ?? "";

/** Show everything again. */
export function showAll() {
  const main = mainOf();
  const ours = main ? [tablesIn(main), inShadow(main, ".scene")] : [];
  const roots = ours.map((part) => part?.getRootNode()).filter((root) => root instanceof ShadowRoot);
  for (const node of [document, ...roots].flatMap((parent) => [
    ...parent.querySelectorAll("[data-hall-off]"),
  ]))
    node.removeAttribute("data-hall-off");
}

/** Our tables on the page, if it has any. */
export function tablesOfPage() {
  const main = mainOf();
  return main && tablesIn(main);
}

const SCROLLING = ".mha-table, .mha-scroller";
const SCROLLING_TABLES = ".tables, .scroller";

/**
 * Whether all that is shown has room, in both directions. Two sides are put beside each other, or else one below the
 * other.
 * @param {Element} zone
 */
export function fits(zone) {
  const tables = tablesOfPage();
  const pair = tables?.querySelector(".sides") ? tables.querySelector(".tables") : null;
  if (!pair) return hasRoom(zone);
  return [false, true].some((isStacked) => {
    pair.classList.toggle("stacked", isStacked);
    return hasRoom(zone);
  });
}

/** @param {Element} zone */
function hasRoom(zone) {
  if (isWider(zone) || zone.scrollHeight > zone.clientHeight + 1) return false;
  const ours = tablesOfPage()?.querySelectorAll(SCROLLING_TABLES) ?? [];
  return ![...zone.querySelectorAll(SCROLLING), ...ours].some(isWider);
}

/** @type {(node: Element) => boolean} */
const isWider = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1;
