/** A line of a diff. */
export interface DiffLine {
  /** `gap`: lines that are not shown; `text` says how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  /** Without its line break. Untrusted. */
  readonly text: string;
  /** The line's number: in the new file, and for a removed line in the old one. Absent for a gap. */
  readonly line?: number;
}

/** What a change does to a file. */
export interface FileDiff {
  /** As the call names it. */
  readonly path: string;
  readonly isNew: boolean;
  /** Unit: lines. */
  readonly added: number;
  /** Unit: lines. */
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}
