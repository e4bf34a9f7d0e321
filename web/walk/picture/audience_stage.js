// The stage before an audience: the words stand in boxes that are the same through the whole walk, in one size of type;
// the picture takes the largest type with which it fits its own zone, and shows less where even the smallest is too large.

const WORDS = [1.2, 1.1, 1, 0.9, 0.8, 0.7]; // of the type of the view
const FORMULA = [1.3, 1.15, 1]; // of that of the words
const CANDIDATES = 6; // of the longest texts, which are tried: how words break decides which of them needs most room
const PICTURE = [64, 58, 53, 48, 44, 40, 36, 33, 30, 28, 26]; // pixels in a hall of 1920 × 1080, and in proportion
const HALL = { width: 1920, height: 1080 };
const LEAST = { projector: 18, presenter: 14 }; // of a picture: a presenter has his own screen before him
const LEAST_IN_HALL = { projector: 24, presenter: 18 };
/** Of a column's name in two lines, and at most so many characters of any: rather that than fewer rows and columns. */
const NAMES = [
  { broken: false, most: 14 },
  { broken: true, most: 14 },
  { broken: true, most: 7 },
];
const SMALL = 36; // of the type, in a hall: rather names in two lines than that
const MOST = [16, 12, 8, 6, 5, 4, 3, 2]; // rows and columns that are shown of one matrix
const MAPPED = 4; // rows at least below large maps of what is folded

/** @type {() => number} */
const hall = () => Math.min(innerWidth / HALL.width, innerHeight / HALL.height);

/**
 * The smallest type of a view in this window, in pixels.
 * @param {"projector" | "presenter"} view
 */
export const leastOf = (view) => Math.max(LEAST[view], Math.round(LEAST_IN_HALL[view] * hall()));

/**
 * One size and one height for each of the words' boxes, which hold whatever the walk says in them; a formula stands in
 * one line where there is room for it.
 * @param {HTMLElement} zone
 * @param {{ box: HTMLElement; texts: string[]; fill: (text: string) => void }[]} boxes from above, the formula's first
 */
export function fitWords(zone, boxes) {
  const longest = boxes.map(({ texts }) =>
    [...new Set(texts)].sort((a, b) => b.length - a.length).slice(0, CANDIDATES),
  );
  const inOneLine = ({ box, fill }, text) => {
    fill(text);
    return box.scrollWidth <= box.clientWidth;
  };
  zone.classList.remove("brief");
  const fits = WORDS.some((scale) => {
    zone.style.setProperty("--words", String(scale));
    zone.classList.add("measured"); // lines do not wrap
    const formula = FORMULA.find((size) => {
      zone.style.setProperty("--formula", String(size));
      return longest[0].every((text) => inOneLine(boxes[0], text));
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
  zone.classList.toggle("brief", !fits);
}

/**
 * Show as much as fits, as large as it fits: `draw(rows, cols)` shows so many of them of a matrix. Returns whether it
 * fits: in a very small window even two may be too many.
 * @param {HTMLElement} zone
 * @param {number} least pixels of the type
 * @param {(rows: number, cols: number) => void} draw
 */
export function fitPicture(zone, least, draw) {
  const few = MOST.length - 1;
  const isRoomFor = (rows, cols) => {
    draw(MOST[rows], MOST[cols]);
    return fitsAt(zone, least, true);
  };
  const named = ({ broken, most }) => {
    zone.classList.toggle("broken", broken);
    zone.style.setProperty("--name", String(most));
  };
  const isWhole = NAMES.some((most) => {
    named(most);
    return isRoomFor(0, 0);
  });
  if (!isWhole) named(NAMES[0]); // how many are left out is told in words, which need room
  const folded = () => {
    const cols = first(few, (at) => isRoomFor(few, at));
    return [first(few, (at) => isRoomFor(at, cols)), cols];
  };
  zone.classList.toggle("mapping", !isWhole);
  let [rows, cols] = isWhole ? [0, 0] : folded();
  if (MOST[rows] < MAPPED || !isRoomFor(rows, cols) || stickOut(zone)) {
    zone.classList.remove("mapping");
    [rows, cols] = folded();
  }
  if (!isRoomFor(rows, cols)) return false;
  largest(zone, sizesAbove(least), least);
  if (!zone.classList.contains("broken")) breakSmall(zone, least);
  return true;
}

/** Long names in two lines, where the type grows by it. @type {(zone: HTMLElement, least: number) => void} */
function breakSmall(zone, least) {
  const size = sizeOf(zone);
  if (size >= SMALL * hall()) return;
  zone.classList.add("broken");
  largest(zone, sizesAbove(least), least);
  if (sizeOf(zone) > size) return;
  zone.classList.remove("broken");
  largest(zone, sizesAbove(least), least);
}

/**
 * What is shown, as large as it fits. Returns the pixels of its type.
 * @param {HTMLElement} zone
 */
export function enlarge(zone) {
  const size = sizeOf(zone);
  const larger = Array.from({ length: size }, (_, more) => 2 * size - more);
  largest(zone, larger, size);
  return sizeOf(zone);
}

/** Pixels of its type. @type {(zone: HTMLElement) => number} */
const sizeOf = (zone) => Number.parseInt(zone.style.getPropertyValue("--size"), 10);

/**
 * The first of 0, 1, … last that will do, where all after one that does will do as well; else the last.
 * @param {number} last
 * @param {(at: number) => boolean} does
 */
function first(last, does) {
  let [from, to] = [0, last];
  if (does(0)) return 0; // as nearly always
  while (from < to) {
    const middle = (from + to) >> 1;
    if (does(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Whether a table's caption is wider than the table. @type {(zone: HTMLElement) => boolean} */
const stickOut = (zone) =>
  [...zone.querySelectorAll("caption")].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);

/** @type {(least: number) => number[]} */
const sizesAbove = (least) => PICTURE.map((size) => Math.round(size * hall())).filter((size) => size > least);

/** @type {(zone: HTMLElement, sizes: number[], least: number) => void} */
function largest(zone, sizes, least) {
  const from = first(sizes.length, (at) => at < sizes.length && fitsAt(zone, sizes[at], false));
  if (from < sizes.length) fitsAt(zone, sizes[from], false);
  else if (!fitsAt(zone, least, false)) fitsAt(zone, least, true);
}

/** @type {(zone: HTMLElement, size: number, tight: boolean) => boolean} */
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
