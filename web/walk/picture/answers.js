// Numbers that somebody filled in before they were shown, and whether they are right: as in a claimed cell, a number
// may be off by one unit of its last printed digit, and a whole number is what rounding gives.

import { parseMask, usual } from "../../kit/numbers.js";

/** One unit of the last digit of a number as it was typed: 0.01 for "0.50", 1 for "3", 0.001 for "1.5e-2". */
export function lastUnit(text) {
  const [digits, power = "0"] = usual(text).toLowerCase().split("e");
  return 10 ** (Number(power) - (digits.split(".")[1] ?? "").length);
}

/** With a point for a decimal comma, which is all that the keys of many telephones have; 1,000 may be either. */
function pointed(text) {
  const [, whole, digits] = /^\s*([+\-−]?\d*),(\d+)\s*$/.exec(text) ?? [];
  const isEither = digits?.length === 3 && Number(whole.replace("−", "-")) !== 0;
  return digits && !isEither ? `${whole}.${digits}` : text;
}

/** A number typed on a telephone, as it is sent: "" where it is none. */
export function sent(text) {
  const number = parseMask(pointed(text));
  if (number === undefined) return "";
  return number === "-inf" ? number : usual(pointed(text)).toLowerCase().replace(/^\+/, "");
}

/** Whether a typed text gives the number; undefined where it is no number. */
export function isRight(text, exact) {
  const number = parseMask(text);
  if (number === undefined) return undefined;
  if (number === "-inf" || exact === "-inf") return number === exact;
  const unit = lastUnit(text);
  return Math.abs(Number(number) - Number(exact)) <= (unit === 1 ? 0.5 : unit) * (1 + 1e-9);
}
