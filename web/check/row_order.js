// In which order rows stand. No DOM here.

const TEXTS = new Intl.Collator(undefined, { numeric: true });

/**
 * The places of the rows, sorted by a column; those that have nothing there stand last, whichever way it goes.
 * @param {(string | number | null)[][]} rows
 * @param {{ column: number; falling: boolean } | null} by null: as they came
 */
export function sorted(rows, by) {
  const places = [...rows.keys()];
  if (!by) return places;
  const at = (place) => rows[place][by.column];
  const isNothing = (value) => value === null || value === "";
  return places.sort((one, other) => {
    const [a, b] = [at(one), at(other)];
    if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b));
    const order =
      typeof a === "number" && typeof b === "number" ? a - b : TEXTS.compare(String(a), String(b));
    return by.falling ? -order : order;
  });
}

/**
 * What a press of a column's head sorts by next: rising, then falling.
 * @param {{ column: number; falling: boolean } | null} by
 * @param {number} column
 */
export const pressed = (by, column) => ({ column, falling: by?.column === column && !by.falling });
