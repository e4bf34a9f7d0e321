// Whether a number that somebody predicted is right. As in a claimed cell, it may be off by one unit of its last printed
// digit; a whole number must be what rounding gives.

import { parseMask, withPoint } from "../../kit/numbers.js";

/**
 * One unit of the last digit of a number as it was typed: 0.01 for "0.50", 1 for "3", 0.001 for "1.5e-2".
 * @param {string} text
 */
function lastUnit(text) {
  const [digits, power = "0"] = withPoint(text).toLowerCase().split("e");
  return 10 ** (Number(power) - (digits.split(".")[1] ?? "").length);
}

/** A number typed on a phone as it is sent: "" where the text is no number. @param {string} text */
export function sent(text) {
  const number = parseMask(text);
  if (number === undefined) return "";
  return number === "-inf" ? number : withPoint(text).toLowerCase().replace(/^\+/, "");
}

/**
 * Whether a typed text gives the number. Undefined where it is no number.
 * @param {string} text
 * @param {Value} exact
 */
export function isRight(text, exact) {
  const number = parseMask(text);
  if (number === undefined) return undefined;
  if (number === "-inf" || exact === "-inf") return number === exact;
  const unit = lastUnit(text);
  return Math.abs(Number(number) - Number(exact)) <= (unit === 1 ? 0.5 : unit) * (1 + 1e-9);
}
