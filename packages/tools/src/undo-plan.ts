import { PalimpsestError } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { shownName } from './shown-name.js';
import type { FileEdit, FileState } from './file-edit.js';

/** Why a file cannot be brought back without a decision. */
export type UndoConflict =
  /** It is not as the last recorded change left it. */
  | 'changed-since'
  /** Something that is not on record changed it between two recorded changes, such as a command. */
  | 'changed-between'
  /** A folder, a link or the like has its place. `force` does not help. */
  | 'not-a-file'
  /** The history does not hold its content any more. `force` does not help. */
  | 'content-lost';

/** What an undo does with one file. */
export interface UndoStep {
  /** Relative to the root of the workspace. */
  readonly path: string;
  /** `restore`: the old content is written; `delete`: there was no file; `none`: it is as it was already. */
  readonly action: 'restore' | 'delete' | 'none';
  /** What the file was before the first of the changes; `null`: there was none. */
  readonly before: FileState | null;
  /** What it is now. */
  readonly now: CurrentState;
  /** The events of the changes that are taken back, newest first. */
  readonly eventIds: readonly EventId[];
  readonly conflict?: UndoConflict;
  /** Folders that were made for it, from the outside in. Those that are empty afterwards are removed. */
  readonly createdFolders: readonly string[];
}

/** What stands at a path now: a file, nothing (`null`), or something else. */
export type CurrentState = FileState | null | 'not-a-file';

/** An undo was refused, and nothing was changed: some files have changed since by another hand. */
export class UndoConflictError extends PalimpsestError {
  static override get typeName(): string {
    return 'UndoConflictError';
  }

  readonly conflicts: readonly { readonly path: string; readonly conflict: UndoConflict }[];

  constructor(conflicts: readonly { readonly path: string; readonly conflict: UndoConflict }[]) {
    const list = conflicts
      .map(({ path, conflict }) => `${shownName(path)} (${undoConflictTexts[conflict]})`)
      .join(', ');
    const forced = conflicts.some(({ conflict }) => conflict === 'changed-since' || conflict === 'changed-between');
    const way = forced ? ' Look at what would be lost, and use `force` to overwrite it.' : '';
    super('undo-conflict', `Nothing was undone, because of: ${list}.${way}`);
    this.conflicts = conflicts;
  }
}

/** What keeps a file from being brought back, in words for a person. */
export const undoConflictTexts: Readonly<Record<UndoConflict, string>> = {
  'changed-since': 'changed since by another hand',
  'changed-between': 'changed by another hand between two edits',
  'not-a-file': 'no longer a regular file',
  'content-lost': 'its old content is not in the history',
};

/**
 * Plans how files are brought back to what they were before some changes, from the changes and from what the files are now. Nothing
 * is read or written. The file that was changed last comes first.
 *
 * @param edits - oldest first
 * @param now - by path; a path that is not in it has no file
 */
export function undoSteps(edits: readonly FileEdit[], now: ReadonlyMap<string, CurrentState>): readonly UndoStep[] {
  const byPath = new Map<string, [FileEdit, ...FileEdit[]]>();
  for (const edit of edits) {
    const known = byPath.get(edit.path);
    byPath.delete(edit.path);
    known?.push(edit);
    byPath.set(edit.path, known ?? [edit]);
  }
  return [...byPath].reverse().map(([path, changes]) => undoStep(path, changes, now.get(path) ?? null));
}

function undoStep(path: string, edits: readonly [FileEdit, ...FileEdit[]], now: CurrentState): UndoStep {
  const { before, createdFolders } = edits[0];
  const isThere = now !== 'not-a-file' && isSame(now, before);
  const conflict = isThere ? undefined : conflictOf(edits, now);
  return {
    path,
    action: isThere ? 'none' : before === null ? 'delete' : 'restore',
    before,
    now,
    eventIds: edits.map(({ eventId }) => eventId).reverse(),
    ...(conflict === undefined ? {} : { conflict }),
    createdFolders,
  };
}

/** A change is recorded before it is made. So a file may also be as it was before the change, if the program was killed there. */
function conflictOf(edits: readonly FileEdit[], now: CurrentState): UndoConflict | undefined {
  if (now === 'not-a-file') return 'not-a-file';
  const last = edits.at(-1);
  if (last !== undefined && !isSame(now, last.after) && !isSame(now, last.before)) return 'changed-since';
  const isBroken = edits.some((edit, index) => {
    const previous = edits[index - 1];
    return previous !== undefined && !isSame(edit.before, previous.after) && !isSame(edit.before, previous.before);
  });
  return isBroken ? 'changed-between' : undefined;
}

function isSame(left: FileState | null, right: FileState | null): boolean {
  return left?.digest === right?.digest;
}
