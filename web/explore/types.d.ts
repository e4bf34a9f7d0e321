// What the parts of the Explore page share.

/** Whose numbers can be dragged. `What`: what is dragged. */
interface ScrubHost<What> {
  /** Its number; undefined where it may not be dragged. */
  valueOf(what: What): Value | undefined;
  /** A number some steps further. */
  moved(start: Value, steps: number): Value;
  element(what: What): HTMLElement | null | undefined;
  /** Show the number while it is dragged. */
  show(what: What, number: Value): void;
  /** The drag has ended: make the number an edit. */
  commit(what: What, number: Value): void;
  /** The drag is taken back: show the number from before it. */
  cancel(what: What, number: Value): void;
}

/** A host whose numbers can be edited. */
interface EditingHost extends Host {
  model: ExploreModel;
  root: HTMLElement;
  send(edit: Edit): void;
  /** Show an edit that is being made; null: it is taken back. */
  preview(edit: Edit | null): void;
  /** Show the numbers of a matrix again. */
  repaint(name: string): void;
  /** Tell a screen reader what a number is now. */
  announce(place: string, number: string): void;
  clearMessage(): void;
  /** Show what is right in the place of the number that is explained. */
  solve(): void;
  /** A claimed number has just been written. */
  wrote(cell: Cell): void;
}
