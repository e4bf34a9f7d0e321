// A binary message of the server: the length of its header, the header as JSON, and behind it numbers, each array from
// a multiple of 8 bytes. No DOM here.

/** @typedef {Float32Array | Uint16Array | Uint8Array} Numbers */

/** @type {Record<string, new (data: ArrayBuffer, start: number, count: number) => Numbers>} */
const TYPES = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };

/**
 * The header, and where the numbers begin.
 * @param {ArrayBuffer} data
 * @returns {{ header: unknown; at: number }}
 */
export function unframed(data) {
  const length = new DataView(data).getUint32(0, true);
  return { header: JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))), at: 4 + length };
}

/**
 * The header and the arrays that it names, each `[name, type, shape]`.
 * @param {ArrayBuffer} data
 * @returns {{ header: object; arrays: Record<string, Numbers> }}
 */
export function unpacked(data) {
  const { header: read, at } = unframed(data);
  const header = /** @type {{ arrays: [string, string, number[]][] }} */ (read);
  let start = at;
  /** @type {Record<string, Numbers>} */
  const arrays = {};
  for (const [name, type, shape] of header.arrays) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = new TYPES[type](data, start, count);
    start += Math.ceil(arrays[name].byteLength / 8) * 8;
  }
  return { header, arrays };
}
