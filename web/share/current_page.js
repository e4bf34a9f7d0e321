// Which of the links in the page's head is the page at hand: said, and in sight where the strip is swiped.

const observer = new MutationObserver(mark);
/** @type {Element | null} */
let strip = null;
globalThis.navigation?.addEventListener("currententrychange", mark);

/** Mark it from now on: on the way to another page the links get theirs before or after the window has its address. */
export function markHere() {
  const current = document.querySelector(".st-key-frame-pages");
  if (current !== strip) {
    observer.disconnect();
    strip = current;
    if (strip) observer.observe(strip, { childList: true, subtree: true, attributeFilter: ["href"] });
  }
  mark();
}

function mark() {
  for (const link of strip?.querySelectorAll("a") ?? []) {
    const here = path(target(link)) === path(location);
    if (here === link.hasAttribute("aria-current")) continue;
    if (here) {
      link.setAttribute("aria-current", "page");
      show(link);
    } else link.removeAttribute("aria-current");
  }
}

/** The bench's link is its query alone, which a browser takes for another query of the page at hand. @param {HTMLAnchorElement} link */
const target = (link) => new URL(link.getAttribute("href").replace(/^(?=\?|$)/, "./"), location.href);

/** @param {URL | Location} at */
const path = ({ pathname }) => pathname.replace(/\/$/, "");

/** In the middle of the strip; the page itself stays where it is. @param {HTMLElement} link */
function show(link) {
  const { left, right } = link.getBoundingClientRect();
  strip.scrollLeft += (left + right) / 2 - strip.getBoundingClientRect().left - strip.clientWidth / 2;
}
