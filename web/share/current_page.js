// Which link in the page's head leads to the current page: it is marked.

const observer = new MutationObserver(mark);
/** @type {Element | null} */
let strip = null;
let isPuzzle = false; // on Explore, which then belongs to the page of puzzles
globalThis.navigation?.addEventListener("currententrychange", mark);

/**
 * Mark it from now on. On the way to another page the window gets its address before or after its links get theirs.
 * @param {boolean} inPuzzle whether Explore shows a puzzle
 */
export function markCurrentPage(inPuzzle) {
  isPuzzle = inPuzzle;
  const current = document.querySelector(".st-key-frame-pages");
  if (current !== strip) {
    observer.disconnect();
    strip = current;
    if (strip) observer.observe(strip, { childList: true, subtree: true, attributeFilter: ["href"] });
  }
  mark();
}

function mark() {
  if (!strip) return;
  const links = [...strip.querySelectorAll("a")];
  const home = links.length ? path(target(links[0])) : null;
  const current = isPuzzle && path(location) === home ? `${home}/puzzles` : path(location);
  for (const link of links) {
    const isCurrent = path(target(link)) === current;
    if (isCurrent === link.hasAttribute("aria-current")) continue;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Where a link leads. Explore's is a query only, which would belong to the current page. @param {Element} link */
const target = (link) => new URL((link.getAttribute("href") ?? "").replace(/^(?=\?|$)/, "./"), location.href);

/** @param {URL | Location} address */
const path = ({ pathname }) => pathname.replace(/\/$/, "");
