// What is known of a training: each step, and the maps of every head at some of them. No DOM here.

const ONE = 65_535; // a weight of 1
const MEAN = 10; // steps whose losses are taken together
const LEVELS = [0.8, 0.5]; // of a score: a head that passes one has formed

const HALF = 0.5; // of a head's weight

export class Recording {
  /** By step, counted from 0: what the model did after so many steps. @type {TrainRecord[]} */
  records = [];
  /** In order of their steps. @type {TrainFrame[]} */
  frames = [];
  /** What the frames' scores are. @type {TrainSteps["measure"]} */
  measure = "prefix";

  /** @param {TrainBegun} begun */
  constructor(begun) {
    this.begun = begun;
    const { heads } = begun.settings;
    this.heads = Number(heads);
    /** Where the maps of each part begin. @type {number[]} */
    this.starts = [];
    let size = 0;
    for (const { queries, keys } of begun.parts) {
      this.starts.push(size);
      size += this.heads * queries.length * keys.length;
    }
    this.size = size;
  }

  /** How many steps were taken. */
  get steps() {
    return Math.max(this.records.length, this.frames.at(-1)?.step ?? 0);
  }

  /**
   * Take what the server has sent. Frames that the server no longer has are dropped.
   * @param {TrainSteps} header
   * @param {{ records: Float32Array; maps: Uint16Array }} arrays
   */
  add({ first, frames, recorded, measure }, { records, maps }) {
    for (let at = 0; at < records.length / 4; at++) {
      const [loss, accuracy, exact, seconds] = records.slice(4 * at, 4 * at + 4);
      this.records[first - 1 + at] = { loss, accuracy, exact, seconds };
    }
    for (const [at, { step, scores }] of frames.entries()) {
      const frame = { step, scores, maps: maps.slice(at * this.size, (at + 1) * this.size) };
      this.frames = [...this.frames.filter((other) => other.step !== step), frame];
    }
    if (frames.length) this.measure = measure;
    if (recorded) this.frames = this.frames.filter(({ step }) => recorded.includes(step));
    this.frames.sort((one, other) => one.step - other.step);
  }

  /** What the model did after so many steps, or at its last one; undefined before any. @param {number} step */
  at(step) {
    return this.records[step] ?? this.records.at(-1);
  }

  /** The index of the frame that is nearest to a step. @param {number} step */
  nearest(step) {
    let best = 0;
    for (const [at, frame] of this.frames.entries())
      if (Math.abs(frame.step - step) < Math.abs(this.frames[best].step - step)) best = at;
    return best;
  }

  /**
   * A head's weights in a frame.
   * @param {TrainFrame} frame
   * @param {TrainHead} head
   * @returns {number[][]}
   */
  weights(frame, [part, head]) {
    const { queries, keys } = this.begun.parts[part];
    const start = this.starts[part] + head * queries.length * keys.length;
    return queries.map((_, row) =>
      Array.from(keys, (__, col) => frame.maps[start + row * keys.length + col] / ONE),
    );
  }

  /** Every head, in order. @returns {TrainHead[]} */
  get all() {
    return this.begun.parts.flatMap((_, part) =>
      Array.from({ length: this.heads }, (__, head) => /** @type {TrainHead} */ ([part, head])),
    );
  }

  /** Whether the heads' scores say something of this task: prefixes matter where a line repeats. */
  get isScored() {
    const isMeant = this.measure === "aligned" || this.begun.task === "induction";
    return isMeant && Boolean(this.frames.at(-1)?.scores);
  }

  /** @param {TrainFrame | undefined} frame @param {TrainHead} head */
  score(frame, [part, head]) {
    return this.isScored ? frame?.scores?.[part]?.[head] : undefined;
  }

  /** How much of its weight a head puts on the token before, on average. @param {TrainFrame} frame @param {TrainHead} head */
  previous(frame, head) {
    const rows = this.weights(frame, head).slice(1);
    return rows.reduce((sum, row, at) => sum + row[at], 0) / rows.length;
  }

  /** The head that matches prefixes best, where it does so with more than half of its weight, and the one of a layer below
   * that looks most at the token before. `isPair`: whether that one too does so with more than half. @param {TrainFrame} frame */
  induction(frame) {
    if (!this.isScored || this.measure !== "prefix") return null;
    const second = bestOf(this.all, (head) => this.score(frame, head) ?? 0);
    const below = this.all.filter(([part]) => part < second.head[0]);
    const first = bestOf(below, (head) => this.previous(frame, head));
    return first && second.value > HALF ? { first, second, isPair: first.value > HALF } : null;
  }

  /** The best head, a level that its score passes, and the first frame above it; null where nothing is scored. */
  get formed() {
    if (!this.isScored) return null;
    const head = this.best;
    for (const level of LEVELS) {
      const frame = this.frames.find((one) => (this.score(one, head) ?? 0) > level);
      if (frame) return { head, level, step: frame.step };
    }
    return { head, level: LEVELS[LEVELS.length - 1], step: null };
  }

  /**
   * Frames of how a head formed: the first, the last, and between them those after which it has changed as much again.
   * @param {TrainHead} head
   * @param {number} most
   */
  film(head, most) {
    const { frames } = this;
    const sums = [0];
    for (let at = 1; at < frames.length; at++)
      sums.push(sums[at - 1] + this.#change(frames[at - 1], frames[at], head));
    const total = sums[sums.length - 1];
    const shares = Array.from({ length: most }, (_, at) => (total * at) / (most - 1));
    const chosen = new Set(shares.map((share) => sums.findIndex((sum) => sum >= share)));
    if (frames.length) chosen.add(frames.length - 1);
    return [...chosen].sort((one, other) => one - other).map((at) => frames[at]);
  }

  /** How much of a head's weight has moved between two frames. @type {(one: TrainFrame, other: TrainFrame, head: TrainHead) => number} */
  #change(one, other, [part, head]) {
    const { queries, keys } = this.begun.parts[part];
    const size = queries.length * keys.length;
    const start = this.starts[part] + head * size;
    let sum = 0;
    for (let at = start; at < start + size; at++) sum += Math.abs(one.maps[at] - other.maps[at]);
    return sum;
  }

  /** The shortest way between two frames on which the loss loses half of all that it loses; null where it loses little. */
  get fall() {
    const losses = this.frames.map(({ step }) => this.#lossAt(step));
    const half = (losses[0] - losses[losses.length - 1]) / 2;
    if (!(half > 0.1)) return null;
    let best = null;
    for (const [from, before] of losses.entries())
      for (const [to, after] of losses.entries()) {
        const length = this.frames[to].step - this.frames[from].step;
        if (before - after >= half && length > 0 && !(best && length >= best.to - best.from))
          best = { from: this.frames[from].step, to: this.frames[to].step, before, after };
      }
    return best;
  }

  /** The mean loss of the steps that follow one. @param {number} step */
  #lossAt(step) {
    const from = Math.min(step, Math.max(0, this.records.length - MEAN));
    const some = this.records.slice(from, from + MEAN);
    return some.reduce((sum, { loss }) => sum + loss, 0) / some.length;
  }

  /** The head with the best score in the last frame; else the last head. @returns {TrainHead} */
  get best() {
    const last = this.frames.at(-1);
    const of = (/** @type {TrainHead} */ head) => this.score(last, head) ?? 0;
    return this.all.reduce(
      (best, head) => (of(head) > of(best) ? head : best),
      this.all[this.all.length - 1],
    );
  }

  /**
   * Where the keys of a part begin in a line whose prompt has so many tokens: a decoder beside an encoder reads from the
   * arrow on, which ends the prompt.
   * @param {number} part
   * @param {number} prompt
   */
  firstKey(part, prompt) {
    const hasEncoder = this.begun.parts.some(({ kind }) => kind === "cross");
    return hasEncoder && this.begun.parts[part].kind === "decoder" ? prompt - 1 : 0;
  }

  /** Seconds that so many more steps will take; null where that cannot be said yet. @param {number} steps */
  left(steps) {
    const last = this.records.at(-1);
    const since = Math.max(0, this.records.length - 50);
    const taken = this.records.length - since;
    if (!last || taken < 5) return null;
    return ((last.seconds - (this.records[since]?.seconds ?? 0)) / taken) * steps;
  }
}

/**
 * Numbers as points of a line, at most `most` of them: the mean of those that share a point.
 * @param {number[]} numbers
 * @param {number} most
 * @returns {[number, number][]} the place and the mean
 */
export function thinned(numbers, most) {
  const each = Math.ceil(numbers.length / most) || 1;
  /** @type {[number, number][]} */
  const points = [];
  for (let at = 0; at < numbers.length; at += each) {
    const some = numbers.slice(at, at + each);
    points.push([at + (some.length - 1) / 2, some.reduce((sum, number) => sum + number, 0) / some.length]);
  }
  return points;
}

/** The head with the largest value. @param {TrainHead[]} heads @param {(head: TrainHead) => number} measure */
function bestOf(heads, measure) {
  const all = heads.map((head) => ({ head, value: measure(head) }));
  return all.reduce((best, one) => (one.value > best.value ? one : best), all[0]);
}
