// The link of an exercise that somebody pasted, which must be one of this server's. No DOM here.

const PARAMETERS = ["example", "s", "ask", "seed"];
const MOST = 4000; // characters (mha_api/rooms/room.py)

/**
 * The query of an exercise's link; null where the text is none.
 * @param {string} text
 * @param {URL} page of the exercises
 */
export function exerciseIn(text, page) {
  if (!URL.canParse(text.trim())) return null;
  const link = new URL(text.trim());
  if (link.origin !== page.origin || link.pathname.replace(/\/$/, "") !== page.pathname) return null;
  const given = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = link.searchParams.get(name);
    if (value) given.set(name, value);
  }
  const isExercise = given.has("ask") && given.has("example") !== given.has("s");
  const query = String(given);
  return isExercise && query.length <= MOST ? query : null;
}
