// The link of an exercise that somebody pasted: of this server's own page, and nothing else. No DOM here.

const PARAMETERS = ["example", "s", "ask", "seed"];
const MOST = 4000; // characters (mha_api/rooms/room.py)

/**
 * What a link says of its exercise, as a query; null where it is none.
 * @param {string} text
 * @param {URL} page where exercises are
 */
export function exerciseIn(text, page) {
  if (!URL.canParse(text.trim())) return null;
  const link = new URL(text.trim());
  if (link.origin !== page.origin || link.pathname.replace(/\/$/, "") !== page.pathname) return null;
  const given = PARAMETERS.filter((name) => link.searchParams.get(name));
  const query = String(new URLSearchParams(given.map((name) => [name, link.searchParams.get(name)])));
  const isOne = given.includes("ask") && given.includes("example") !== given.includes("s");
  return isOne && query.length <= MOST ? query : null;
}
