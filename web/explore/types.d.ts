// What the parts of the Explore page share.

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
