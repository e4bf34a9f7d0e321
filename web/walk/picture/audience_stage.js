// The stage before an audience. The words of a step are in boxes that keep one size and one type through the whole walk.
// The picture takes the largest type with which it fits its zone, and shows less where even the smallest is too large.

const WORDS = [1.2, 1.1, 1, 0.9, 0.8, 0.7]; // of the type of the view
const FORMULA = [1.3, 1.15, 1]; // of that of the words
const CANDIDATES = 6; // longest texts that are tried: line breaks decide which of them is the highest
const PICTURE = [64, 58, 53, 48, 44, 40, 36, 33, 30, 28, 26]; // pixels of the type on a screen of 1920 × 1080
const SCREEN = { width: 1920, height: 1080 };
const LEAST = { projector: 18, presenter: 14 }; // pixels of a picture's type; a presenter sits close to the screen
const LEAST_ON_SCREEN = { projector: 24, presenter: 18 }; // the same on a screen of 1920 × 1080
/**
 * How a column's name is shown: broken into two lines or not, and at most how many characters of it. All are tried before
 * rows and columns are left out.
 */
const NAMES = [
  { broken: false, most: 14 },
  { broken: true, most: 14 },
  { broken: true, most: 7 },
];
const SMALL = 36; // pixels of the type on that screen, below which names are rather broken into two lines
const MOST = [16, 12, 8, 6, 5, 4, 3, 2]; // rows and columns that are shown of one matrix
const MAPPED = 4; // rows that are shown at least where a map above the table shows the others

/** How large this window is, as a share of that screen. */
const scale = () => Math.min(innerWidth / SCREEN.width, innerHeight / SCREEN.height);

/** The smallest type of a view in this window, in pixels. @param {"projector" | "presenter"} view */
export const leastOf = (view) => Math.max(LEAST[view], Math.round(LEAST_ON_SCREEN[view] * scale()));

/** @typedef {{ box: HTMLElement; texts: string[]; fill: (text: string) => void }} WordBox */

/**
 * Give the words one size, and each box one height, that hold whatever the walk says in them. The formula is in one line
 * where there is room for it.
 * @param {HTMLElement} zone
 * @param {WordBox[]} boxes from above, the formula's first
 */
export function fitWords(zone, boxes) {
  const longest = boxes.map(({ texts }) =>
    [...new Set(texts)].sort((a, b) => b.length - a.length).slice(0, CANDIDATES),
  );
  /** @type {(box: WordBox, text: string) => boolean} */
  const isInOneLine = ({ box, fill }, text) => {
    fill(text);
    return box.scrollWidth <= box.clientWidth;
  };
  zone.classList.remove("brief");
  const hasFitted = WORDS.some((size) => {
    zone.style.setProperty("--words", String(size));
    zone.classList.add("measured"); // lines do not wrap
    const formula = FORMULA.find((size) => {
      zone.style.setProperty("--formula", String(size));
      return longest[0].every((text) => isInOneLine(boxes[0], text));
    });
    if (formula) zone.style.setProperty("--formula", String(formula));
    zone.classList.remove("measured");
    boxes.forEach(({ box, fill }, i) => {
      box.style.height = "";
      const heights = longest[i].map((text) => {
        fill(text);
        return box.getBoundingClientRect().height;
      });
      box.style.height = `${Math.ceil(Math.max(0, ...heights))}px`;
    });
    return zone.scrollHeight <= zone.clientHeight;
  });
  zone.classList.toggle("brief", !hasFitted);
}

/**
 * Show as much of a picture as fits, and that as large as it fits. Returns whether it fits: in a very small window even
 * two rows and columns may not.
 * @param {HTMLElement} zone
 * @param {number} least pixels of the type
 * @param {(rows: number, cols: number) => void} draw shows so many rows and columns of each matrix
 */
export function fitPicture(zone, least, draw) {
  const fewest = MOST.length - 1;
  /** @type {(rows: number, cols: number) => boolean} as indices of MOST */
  const isRoomFor = (rows, cols) => {
    draw(MOST[rows], MOST[cols]);
    return fitsAt(zone, least, true);
  };
  /** @param {typeof NAMES[number]} name */
  const showNames = ({ broken, most }) => {
    zone.classList.toggle("broken", broken);
    zone.style.setProperty("--name", String(most));
  };
  const isWhole = NAMES.some((name) => {
    showNames(name);
    return isRoomFor(0, 0);
  });
  if (!isWhole) showNames(NAMES[0]); // words say how many are left out, and they need room
  const folded = () => {
    const cols = first(fewest, (at) => isRoomFor(fewest, at));
    return [first(fewest, (at) => isRoomFor(at, cols)), cols];
  };
  zone.classList.toggle("mapping", !isWhole);
  let [rows, cols] = isWhole ? [0, 0] : folded();
  if (MOST[rows] < MAPPED || !isRoomFor(rows, cols) || hasWideCaption(zone)) {
    zone.classList.remove("mapping");
    [rows, cols] = folded();
  }
  if (!isRoomFor(rows, cols)) return false;
  takeLargest(zone, sizesAbove(least), least);
  if (!zone.classList.contains("broken")) breakNames(zone, least);
  return true;
}

/**
 * Break long names into two lines, where the type gets larger by it.
 * @type {(zone: HTMLElement, least: number) => void}
 */
function breakNames(zone, least) {
  const size = sizeOf(zone);
  if (size >= SMALL * scale()) return;
  zone.classList.add("broken");
  takeLargest(zone, sizesAbove(least), least);
  if (sizeOf(zone) > size) return;
  zone.classList.remove("broken");
  takeLargest(zone, sizesAbove(least), least);
}

/**
 * Make what is shown as large as it fits, at most twice as large. Returns the pixels of its type.
 * @param {HTMLElement} zone
 */
export function enlarge(zone) {
  const size = sizeOf(zone);
  const larger = Array.from({ length: size }, (_, more) => 2 * size - more);
  takeLargest(zone, larger, size);
  return sizeOf(zone);
}

/** Pixels of its type. @type {(zone: HTMLElement) => number} */
const sizeOf = (zone) => Number.parseInt(zone.style.getPropertyValue("--size"), 10);

/**
 * The first of 0, 1, … last for which something holds, where it holds for all that follow; else the last.
 * @param {number} last
 * @param {(at: number) => boolean} holds
 */
function first(last, holds) {
  let [from, to] = [0, last];
  if (holds(0)) return 0; // as nearly always
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Whether a table's caption is wider than the table. @type {(zone: HTMLElement) => boolean} */
const hasWideCaption = (zone) =>
  [...zone.querySelectorAll("caption")].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);

/** @type {(least: number) => number[]} */
const sizesAbove = (least) =>
  PICTURE.map((size) => Math.round(size * scale())).filter((size) => size > least);

/** Take the largest of these sizes that fits. @type {(zone: HTMLElement, sizes: number[], least: number) => void} */
function takeLargest(zone, sizes, least) {
  const from = first(sizes.length, (at) => at < sizes.length && fitsAt(zone, sizes[at], false));
  if (from < sizes.length) fitsAt(zone, sizes[from], false);
  else if (!fitsAt(zone, least, false)) fitsAt(zone, least, true);
}

/** Whether it fits at this size, stacked if need be. @type {(zone: HTMLElement, size: number, tight: boolean) => boolean} */
function fitsAt(zone, size, tight) {
  zone.classList.toggle("tight", tight);
  zone.style.setProperty("--size", `${size}px`);
  return [false, true].some((stacked) => {
    zone.classList.toggle("stacked", stacked);
    return fits(zone);
  });
}

/** @type {(zone: HTMLElement) => boolean} */
export const fits = ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
  scrollHeight <= clientHeight && scrollWidth <= clientWidth;
