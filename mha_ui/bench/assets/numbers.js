// Numbers to text and back.

const MINUS = "−";

/** A number at a fixed count of decimals; whole matrices of integers are shown without any. */
export function format(number, decimals) {
  if (number === "-inf") return `${MINUS}∞`;
  if (number === true) return "✓";
  if (number === false) return "✕";
  if (number !== 0 && Math.abs(number) >= 1e9) return number.toExponential(3).replace("-", MINUS);
  const text = number.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", MINUS);
}

/** A given number as it was typed: the shortest text that reads back as the same number. */
export function exact(number) {
  if (typeof number === "string" && number !== "-inf") return number.replace("-", MINUS); // printed: digit for digit
  return typeof number === "number" ? String(number).replace("-", MINUS) : format(number, 0);
}

/**
 * In a line of arithmetic, as in mha_core's derive.arithmetic: an exact number without trailing zeros, a rounded one
 * with all its decimals; as a power of ten where it is very large, or would show nothing but 0.
 */
export function brief(number, decimals) {
  if (typeof number !== "number") return format(number, decimals);
  const text = digits(number, decimals);
  const [mantissa, ...power] = text.split("e");
  const short = mantissa.includes(".") && holds(text, number) ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return [short, ...power].join("e").replaceAll("-", MINUS);
}

/** Whether the digits that `brief` shows are not the number, but for the noise of float64: such a line says ≈. */
export const isRounded = (number, decimals) => typeof number === "number" && !holds(digits(number, decimals), number);

function digits(number, decimals) {
  if (Math.abs(number) >= 1e9) return number.toExponential(3);
  const text = number.toFixed(decimals);
  return Number(text) || !number ? text : number.toExponential(1);
}

const holds = (text, number) => Math.abs(Number(text) - number) <= 1e-12 * Math.abs(number);

/** The number that somebody typed, or undefined. Full-width digits and the real minus sign count. */
export function parse(text) {
  const plain = text.normalize("NFKC").replace(/[−–]/g, "-").trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return undefined;
  const number = Number(plain);
  return Number.isFinite(number) ? number : undefined;
}

/** A number as it was typed, digit for digit; "" for none, undefined for any other text. */
export function parseClaim(text) {
  const plain = text.normalize("NFKC").replace(/[−–]/g, "-").trim();
  if (plain === "") return "";
  const hidden = parseMask(plain) === "-inf" ? "-inf" : undefined;
  return parse(plain) === undefined ? hidden : plain;
}

export const parseMask = (text) => (/^[-−]\s*(inf|infinity|∞)$/i.test(text.trim()) ? "-inf" : parse(text));

/** Pasted text as rows of cell texts: tabs as from a spreadsheet, [[1, 2], [3, 4]], or commas and spaces. */
export function splitBlock(text) {
  const clean = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  if (clean.includes("\t")) return clean.split("\n").map((line) => line.split("\t").map((cell) => cell.trim()));
  const lines = clean.includes("[") ? clean.replace(/\]\s*,?\s*\[/g, "\n").replace(/[[\]]/g, "") : clean;
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => line.split(/\s*[,;]\s*|\s+/).filter((cell) => cell !== ""));
}

const plain = (number) => (number === true ? "1" : number === false ? "0" : String(number));

/** Rows as tab-separated text, which every spreadsheet pastes as cells. */
export const toTsv = (rows) => rows.map((row) => row.map(plain).join("\t")).join("\n");

/** Rows with their labels as CSV (RFC 4180), unrounded; a label that a spreadsheet would run is made text. */
export function toCsv(rows, rowLabels, colLabels) {
  const quote = (label) => {
    const safe = /^[=+\-@\t\r]/.test(label) ? `'${label}` : label;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  const lines = [["", ...colLabels].map(quote).join(",")];
  rows.forEach((row, i) => lines.push([quote(rowLabels[i] ?? ""), ...row.map(plain)].join(",")));
  return lines.join("\r\n") + "\r\n";
}
