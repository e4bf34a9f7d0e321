// How somebody gets into a room: the address to type, and its picture for a camera.

import { div, element, p } from "../../kit/dom.js";
import { belowRoot } from "../../kit/root.js";

const LOCAL = /^(localhost|127\..*|\[::1\])$/;

/** Where a telephone opens the room. @param {string} code */
const linkTo = (code) => belowRoot(`follow/${code}`);

/** The address to type, the code last. @param {{ code: string }} room */
export function addressOf({ code }) {
  const [before] = linkTo(code)
    .href.replace(/^https?:\/\//, "")
    .split(code);
  return p("way", before, element("strong", {}, code));
}

/**
 * @param {Record<string, string>} words
 * @param {{ code: string }} room
 * @param {Node} end the button that ends it
 */
export function entrance(words, room, end) {
  const link = linkTo(room.code);
  const src = belowRoot(`api/qr?${new URLSearchParams({ link: link.href })}`).href;
  const warning = LOCAL.test(link.hostname) ? p("warning", words.room_local) : null;
  const picture = element("img", { class: "code", alt: words.room_code, src });
  const lines = [addressOf(room), p("followers"), warning, end];
  return [element("h3", {}, words.room_title), div("entrance", picture, div("told", ...lines))];
}
