// The example as a file has it (mha_core/example/files.py), with the numbers of a version of the work; and such a file as
// the token of a link (mha_core/example/share_link.py). No DOM here.

const VERSION = "1"; // of the token
const OF_POSITIONS = /^(context_)?(?:position_)?(ids|frequencies)$/;

/** @typedef {Record<string, any>} ExampleFile */
/** @typedef {import("./work.js").Version} Version */

/**
 * The file with the numbers that are others than at the start. Its note and source would speak of the ones before.
 * @type {(file: ExampleFile, now: Version, start: Version) => ExampleFile}
 */
export function fileOf(file, now, start) {
  if (now === start) return file;
  /** @type {ExampleFile} */
  const changed = { ...structuredClone(file), scale: now.scale };
  delete changed.note;
  delete changed.source;
  if (now.model.learning) changed.learning = now.model.learning.goal;
  for (const [name, matrix] of Object.entries(now.model.matrices)) {
    const before = start.model.matrices[name].values;
    if (!matrix.edit || matrix.values === before) continue;
    if (!matrix.perHead) writeInto(changed, name, asInFile(matrix.axes, matrix.values));
    else
      for (const [head, rows] of matrix.values.entries())
        if (rows && rows !== before[head]) changed.heads[head][name] = asInFile(matrix.axes, rows);
  }
  return changed;
}

/** @type {(file: ExampleFile, name: string, numbers: unknown) => void} */
function writeInto(file, name, numbers) {
  const [, context = "", field] = name.match(OF_POSITIONS) ?? [];
  if (field) {
    const { positions } = file;
    const given = typeof positions === "string" ? { kind: positions } : positions;
    file.positions = { ...given, [context + field]: numbers };
  } else if (name === "mask") file.mask = { ...file.mask, ["add" in file.mask ? "add" : "allow"]: numbers };
  else file[name] = numbers;
}

/** A file has a row or a column as a list, and a single number as it is. @type {(axes: Matrix["axes"], rows: Rows) => unknown} */
function asInFile([down, across], rows) {
  if (down !== "1") return across === "1" ? rows.map(([number]) => number) : rows;
  return across === "1" ? rows[0][0] : rows[0];
}

/**
 * A file as a token.
 * @param {ExampleFile} file
 */
export async function tokenOf(file) {
  const text = new Blob([JSON.stringify(file)]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(text).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return VERSION + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
