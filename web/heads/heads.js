// The script of a notebook cell that shows heads: it unpacks the cell's numbers and shows them.

import { unpacked } from "../kit/binary.js";
import { requireElement } from "../kit/dom.js";
import { Cell } from "./cell.js";

/** The bytes of a text in base64; newer browsers read it at once. @type {(text: string) => Uint8Array<ArrayBuffer>} */
function bytesOf(text) {
  const { fromBase64 } = /** @type {{ fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }} */ (
    /** @type {unknown} */ (Uint8Array)
  );
  return (
    fromBase64?.call(Uint8Array, text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  );
}

async function open() {
  const packed = JSON.parse(requireElement(document, "#data").textContent ?? "");
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { header, arrays } = unpacked(await new Response(stream).arrayBuffer());
  new Cell(requireElement(document, "#page"), /** @type {CellData} */ (header), arrays);
}

open();
