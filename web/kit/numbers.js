// Numbers to text and back, and how they are coloured. No DOM here.

const MINUS = "−";
export const LARGE = 1e9; // from here on a number is printed as a power of ten
const TYPED = 4; // decimals that are kept of a typed number
const NOISE = 1e-12; // a matrix whose numbers are all smaller is coloured as zeros: they are what rounding leaves

/**
 * Whether every number of a matrix is an integer: then all are shown without decimals.
 * @param {Value[][]} rows
 */
export const isWhole = (rows) =>
  rows.every((row) => row.every((value) => typeof value !== "number" || Number.isInteger(value)));

/** @typedef {Value | null | undefined | Nested[]} Nested numbers in lists, as deep as may be */

/**
 * The largest magnitude among nested lists, or 1.
 * @param {Nested} values
 * @returns {number}
 */
export const largest = (values) => most(values) || 1;

/** @type {(item: Nested) => number} */
const most = (item) => {
  if (Array.isArray(item))
    return item.reduce((/** @type {number} */ max, value) => Math.max(max, most(value)), 0);
  return typeof item === "number" ? Math.abs(item) : 0;
};

/**
 * The largest magnitude, rounded up to 1, 2 or 5 × 10ⁿ, so that colours stay put.
 * @param {Nested} values
 * @returns {number}
 */
export function topOf(values) {
  const magnitude = largest(values);
  if (magnitude < NOISE) return 1;
  const power = 10 ** Math.floor(Math.log10(magnitude));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= magnitude * 0.999999) ?? magnitude;
}

/**
 * How strongly a number is coloured, 0 to 1: its size against the largest.
 * @type {(value: Value, top: number) => number}
 */
export const toneOf = (value, top) => (typeof value === "number" ? Math.min(1, Math.abs(value) / top) : 0);

/**
 * Which colour: a number's sign, or what a cell of a mask says.
 * @type {(value: Value) => string}
 */
export function kindOf(value) {
  if (value === "nan") return "nan";
  if (value === "-inf" || value === false) return "hidden";
  if (value === true) return "visible";
  return Number(value) < 0 ? "negative" : "positive";
}

/**
 * As a factor or a term: a negative number in parentheses.
 * @type {(text: string) => string}
 */
export const parenthesised = (text) => (text.startsWith(MINUS) ? `(${text})` : text);

/**
 * Whether a number lies exactly midway between two of so many decimals: it then is m ÷ 2^(decimals + 1), m odd.
 * @type {(number: number, decimals: number) => boolean}
 */
function isMidway(number, decimals) {
  const fives = 5 ** Math.max(0, -decimals); // of a number that ends with zeros, which have no decimals
  return Math.abs(number * 2 ** (decimals + 1)) % (2 * fives) === fives;
}

/**
 * What JavaScript printed, with an even last digit where the number lies midway: JavaScript takes the larger one.
 * @type {(text: string, midway: boolean) => string}
 */
const even = (text, midway) =>
  midway ? text.replace(/^([^e]*)([13579])(?=e|$)/, (_, before, odd) => before + (odd - 1)) : text;

/**
 * A number with so many decimals, digit for digit as Python's format(number, ".2f").
 * @type {(number: number, decimals: number) => string}
 */
export const fixed = (number, decimals) => even(number.toFixed(decimals), isMidway(number, decimals));

/**
 * A number as a power of ten with so many decimals, digit for digit as Python's format(number, ".2e").
 * @type {(number: number, decimals: number) => string}
 */
export function scientific(number, decimals) {
  const text = number.toExponential(decimals);
  return even(text, isMidway(number, decimals - Number(text.split("e")[1])));
}

/**
 * So many significant digits, as Python's format(number, ".4g"), typeset as mha_core's significant.
 * @type {(number: number, digits: number) => string}
 */
export function significant(number, digits) {
  if (!number) return "0";
  const power = scientific(number, digits - 1);
  const [mantissa, exponent] = power.split("e");
  const isPower = Number(exponent) < -4 || Number(exponent) >= digits;
  const text = isPower ? mantissa : fixed(number, digits - 1 - Number(exponent));
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return (isPower ? `${short}e${Number(exponent)}` : short).replaceAll("-", MINUS);
}

/**
 * A number at a fixed count of decimals; whole matrices of integers are shown without any.
 * @type {(number: Value, decimals: number) => string}
 */
export function format(number, decimals) {
  if (number === "-inf") return `${MINUS}∞`;
  if (number === "nan") return "NaN";
  if (number === true) return "✓";
  if (number === false) return "✕";
  if (typeof number !== "number") return number;
  if (number !== 0 && Math.abs(number) >= LARGE) return scientific(number, 3).replace("-", MINUS);
  const text = fixed(number, decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", MINUS);
}

/**
 * A given number as it was typed: the shortest text that reads back as the same number.
 * @type {(number: Value) => string}
 */
export function exact(number) {
  if (typeof number === "string" && number !== "-inf") return number.replace("-", MINUS); // printed: digit for digit
  return typeof number === "number" ? String(number).replace("-", MINUS) : format(number, 0);
}

/**
 * A given number in a table: as it was typed, or rounded where it has more decimals than are shown.
 * @type {(number: Value, decimals: number) => string}
 */
export function given(number, decimals) {
  const text = exact(number);
  return typeof number === "number" && placesOf(text) > Math.max(decimals, TYPED)
    ? format(number, decimals)
    : text;
}

/** How many decimals a text has; none where it is a power of ten. @param {string} text */
const placesOf = (text) => (text.includes("e") ? 0 : (text.split(".")[1] ?? "").length);

/**
 * The same for the numbers of one table: they all have as many decimals as the one that needs most, so that their points
 * are below each other.
 * @type {(rows: readonly (readonly Value[])[], decimals: number) => (number: Value) => string}
 */
export function givenIn(rows, decimals) {
  const needed = (/** @type {Value} */ number) =>
    placesOf(given(number, decimals).replace(/(\.\d*?)0+$/, "$1"));
  const places = Math.max(0, ...rows.flat().filter(isPlain).map(needed));
  return (number) => (isPlain(number) ? format(Number(number), places) : given(number, decimals));
}

/** Whether a number is shown in digits alone. @param {Value} number */
const isPlain = (number) =>
  typeof number === "number" && Math.abs(number) < LARGE && !exact(number).includes("e");

/**
 * In a line of arithmetic, as in mha_core's derive.arithmetic: an exact number without trailing zeros, a rounded one
 * with all its decimals; as a power of ten where it is very large, or would show nothing but 0.
 * @type {(number: Value, decimals: number) => string}
 */
export function brief(number, decimals) {
  if (typeof number !== "number") return format(number, decimals);
  const text = digits(number, decimals);
  const [mantissa, ...power] = text.split("e");
  const short = mantissa.includes(".") && holds(text, number) ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return [short, ...power].join("e").replaceAll("-", MINUS);
}

/**
 * Whether the digits that `brief` shows are not the number, but for the noise of float64: such a line says ≈.
 * @type {(number: Value, decimals: number) => boolean}
 */
export const isRounded = (number, decimals) =>
  typeof number === "number" && !holds(digits(number, decimals), number);

/** @type {(number: number, decimals: number) => string} */
function digits(number, decimals) {
  if (Math.abs(number) >= 1e9) return scientific(number, 3);
  const text = fixed(number, decimals);
  return Number(text) || !number ? text : scientific(number, 1);
}

/** @type {(text: string, number: number) => boolean} */
const holds = (text, number) => Math.abs(Number(text) - number) <= 1e-12 * Math.abs(number);

/**
 * Full-width characters, the many minus signs, and a Chinese full stop in place of the point, as they are usually typed.
 * @type {(text: string) => string}
 */
export const usual = (text) => text.normalize("NFKC").replace(/[−–]/g, "-").replaceAll("。", ".").trim();

/**
 * The usual characters, with a point for a decimal comma. A comma before exactly three digits may separate thousands
 * and stays, unless it follows a 0.
 * @type {(text: string) => string}
 */
export const withPoint = (text) =>
  usual(text).replace(/^([+-]?)(0*|\d+(?!,\d{3}(?!\d))),(\d+(e[+-]?\d+)?)$/i, "$1$2.$3");

/**
 * What was typed as a number of at most this size: {value}, or {wrong: why it is none}.
 * @param {string} text
 * @param {number} [most]
 * @returns {Reading<number>}
 */
export function read(text, most = Number.MAX_VALUE) {
  const typed = withPoint(text);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) {
    const value = Number(typed);
    return Math.abs(value) <= most ? { value } : { wrong: "too_large" };
  }
  if (/^[+-]?\d*(,\d+)+(\.\d*)?$/.test(typed)) return { wrong: "comma" };
  return { wrong: /^[+-]?\d+\s*[/⁄]\s*\d+$/.test(typed) ? "fraction" : "not_a_number" };
}

/**
 * A number of a mask that adds, or "-inf".
 * @param {string} text
 * @param {number} [most]
 * @returns {Reading<Value>}
 */
export const readMask = (text, most) =>
  /^-\s*(inf|infinity|∞)$/i.test(usual(text)) ? { value: "-inf" } : read(text, most);

/**
 * The same without the reason: undefined for what is no number.
 * @param {string} text
 */
export const parseMask = (text) => readMask(text).value;

/** 1e12 for 1000000000000, as one types it. @type {(number: number) => string} */
export const inPowers = (number) =>
  number.toExponential(number === Number.MAX_VALUE ? 1 : undefined).replace("+", "");

/**
 * A cell of a mask that allows.
 * @type {(text: string) => Reading<boolean>}
 */
export function readAllowed(text) {
  const typed = usual(text);
  if (typed === "1" || typed === "✓") return { value: true };
  return typed === "0" || typed === "✕" ? { value: false } : { wrong: "not_allowed" };
}

const COUNTING = 4; // digits to which a fraction is written out

/**
 * A fraction as a decimal number, with four decimals or four digits that count; any other text as it is.
 * @param {string} text
 */
function divided(text) {
  const [, above, below] = /^([+-]?\d+)\s*[/⁄]\s*(\d+)$/.exec(text) ?? [];
  const number = Number(above) / Number(below);
  if (!Number.isFinite(number)) return text;
  const size = number ? Math.floor(Math.log10(Math.abs(number))) : 0;
  return number.toFixed(Math.min(100, Math.max(COUNTING, COUNTING - 1 - size)));
}

/**
 * A claim: a number as it was typed, digit for digit; "" for none. A fraction becomes a decimal number.
 * @type {(text: string) => Reading<Value>}
 */
export function readClaim(text) {
  const typed = divided(withPoint(text));
  if (typed === "") return { value: "" };
  const { value, wrong } = readMask(typed);
  return wrong ? { wrong } : { value: value === "-inf" ? value : typed };
}

const CALL = /^\s*[\w.]+\(\s*(\[[\s\S]*\])[^\]]*\)\s*;?\s*$/; // np.array([[1, 2]], dtype=float)
const LATEX = /\\begin\{([a-zA-Z]*matrix|array)\*?\}(?:\{[^{}]*\})?([\s\S]*?)\\end\{\1/;

/**
 * Pasted text as rows of cell texts: tabs as from a spreadsheet, semicolons, [[1, 2], [3, 4]] as it is or in a call of
 * NumPy or torch, a matrix in LaTeX, or commas and spaces. Between tabs, semicolons and numbers with spaces, a comma is
 * a decimal comma.
 * @type {(text: string) => string[][]}
 */
export function splitBlock(text) {
  const latex = LATEX.exec(text)?.[2];
  if (latex !== undefined) return latexRows(latex);
  const list = CALL.exec(text)?.[1] ?? text;
  const clean = list.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  if (clean.includes("\t"))
    return clean.split("\n").map((line) => line.split("\t").map((cell) => cell.trim()));
  const lines = clean.includes("[") ? clean.replace(/\]\s*,?\s*\[/g, "\n").replace(/[[\]]/g, "") : clean;
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => cellsOf(line).filter((cell) => cell !== ""));
}

/** @param {string} body of a matrix in LaTeX */
const latexRows = (body) =>
  body
    .split(/\\\\(?:\[[^\]]*\])?/)
    .map((row) => row.split("&").map((cell) => cell.replace(/\\hline|[${}]/g, "").trim()))
    .filter((cells) => cells.some(Boolean));

/** @param {string} line */
function cellsOf(line) {
  if (line.includes(";")) return line.split(/\s*;\s*/);
  const spaced = line.split(/\s+/);
  const areNumbers = spaced.length > 1 && spaced.every((cell) => read(cell).value !== undefined);
  return areNumbers ? spaced : line.split(/\s*,\s*|\s+/);
}

/** @param {Value} number */
const plain = (number) => (number === true ? "1" : number === false ? "0" : String(number));

/**
 * Rows as tab-separated text, which every spreadsheet pastes as cells.
 * @type {(rows: Value[][]) => string}
 */
export const toTsv = (rows) => rows.map((row) => row.map(plain).join("\t")).join("\n");

/**
 * Rows with their labels as CSV (RFC 4180), unrounded; a label that a spreadsheet would run is made text. `title`: in the
 * corner.
 * @type {(rows: Value[][], rowLabels: string[], colLabels: string[], title?: string) => string}
 */
export function toCsv(rows, rowLabels, colLabels, title = "") {
  /** @param {string} label */
  const quote = (label) => {
    const safe = /^[=+\-@\t\r]/.test(label) ? `'${label}` : label;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  const lines = [[title, ...colLabels].map(quote).join(",")];
  rows.forEach((row, i) => lines.push([quote(rowLabels[i] ?? ""), ...row.map(plain)].join(",")));
  return `${lines.join("\r\n")}\r\n`;
}

/**
 * Rows with their labels as a table in Markdown, unrounded.
 * @type {(rows: Value[][], rowLabels: string[], colLabels: string[]) => string}
 */
export function toMarkdown(rows, rowLabels, colLabels) {
  const escaped = (/** @type {string} */ label) =>
    label.replaceAll(/[\\`*_{}[\]<>#|~]/g, "\\$&").replaceAll(/\s+/g, " ");
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |\n`;
  const body = rows.map((row, i) => line([escaped(rowLabels[i] ?? ""), ...row.map(plain)]));
  return [line(["", ...colLabels.map(escaped)]), `|${"---:|".repeat(colLabels.length + 1)}\n`, ...body].join(
    "",
  );
}

/**
 * The decimals of one step of a number: those that it has, as far as a step changes it visibly.
 * @param {number} number
 */
export function decimalsOfStep(number) {
  const least = Math.floor(Math.log10(Math.abs(number) / 1000)) || 0; // of 0 any
  return number === 0 ? 0 : Math.max(0, Math.min(decimalsIn(String(number)), -least, 15));
}

/**
 * The decimals that are written in a number.
 * @param {string} text
 */
function decimalsIn(text) {
  const [, fraction = "", exponent = "0"] = /^[+-]?\d*\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

/**
 * A number some steps further, within the limits; one that is kept as it was typed keeps its decimals. `places`: the
 * decimals of a step, where the number itself does not give them.
 * @type {(number: Value, steps: number, most: number, places?: number) => Value}
 */
export function moved(number, steps, most, places) {
  if (typeof number === "string") return steps ? movedText(number, steps) : number;
  if (typeof number !== "number") return number;
  const decimals = places ?? decimalsOfStep(number);
  const next = Number((number + steps * 10 ** -decimals).toFixed(decimals)) + 0; // no −0
  return Math.min(most, Math.max(-most, next));
}

/** @type {(text: string, steps: number) => string} */
function movedText(text, steps) {
  const decimals = Math.min(15, decimalsIn(text));
  const next = (Number(text) + steps * 10 ** -decimals).toFixed(decimals);
  return Number(next) === 0 ? next.replace("-", "") : next;
}
