import { createHash } from 'node:crypto';
import { lstat, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Event, EventId } from '@palimpsest/events';
import { PalimpsestError } from '@palimpsest/events';
import { PathChangedError, UnusableFileError } from '../workspace/workspace.js';
import { fileEdits } from './file-history.js';
import type { FileHistory, FileEdit, FileState } from './file-history.js';
import { atPlace, deleteAt, openAt, replaceAt } from '../workspace/open-file.js';
import type { OpenFile } from '../workspace/open-file.js';
import type { Workspace } from '../workspace/workspace.js';
import { shownName } from '../workspace/problems.js';

/** Options of {@link planUndo} and {@link undoEdits}. */
export interface UndoOptions {
  readonly workspace: Workspace;
  /** The contents that the tools kept. */
  readonly history: FileHistory;
  /** The log with the events of the changes. */
  readonly events: Iterable<Event>;
  /** The files are brought back to what they were before this event. @defaultValue before the first event */
  readonly before?: EventId;
}

/**
 * Finds out what an undo would do with each file that was changed, the file that was changed last first. Nothing is changed.
 *
 * @throws RangeError when the log has no event `before`.
 */
export async function planUndo({ workspace, history, events, before }: UndoOptions): Promise<readonly UndoStep[]> {
  const edits = fileEdits(events, { from: before });
  const now = new Map<string, CurrentState>();
  for (const { path: file } of edits) if (!now.has(file)) now.set(file, await stateOf(workspace, file));
  const steps = undoSteps(edits, now);
  return Promise.all(
    steps.map(async (step) =>
      step.action === 'restore' && step.before !== null && !(await history.has(step.before.digest))
        ? { ...step, conflict: 'content-lost' as const }
        : step,
    ),
  );
}

/**
 * Brings files back to what they were before an event: changed files get their content and their mode, deleted ones are
 * written again, created ones are deleted. Resolves to the steps that were done. It can be repeated: what is done
 * already is passed over.
 *
 * @param options.force - overwrites files that were changed by another hand. @defaultValue false
 * @throws {@link UndoConflictError} when a file was changed by another hand; nothing is undone then.
 * @throws {@link FileHistoryError} when a stored content was changed; {@link PathChangedError} when a file changes meanwhile. The
 *   files before it are undone then.
 */
export async function undoEdits(options: UndoOptions & { readonly force?: boolean }): Promise<readonly UndoStep[]> {
  const { workspace, history, force = false } = options;
  const steps = await planUndo(options);
  const conflicts = steps.flatMap(({ path: file, conflict }) =>
    conflict === undefined || (force && conflict.startsWith('changed')) ? [] : [{ path: file, conflict }],
  );
  if (conflicts.length > 0) throw new UndoConflictError(conflicts);
  for (const step of steps) await carryOut(workspace, history, step);
  // Last, because files in one folder are undone in any order; also where an undo or a change was cut off before.
  const folders = steps.flatMap(({ before, createdFolders }) => (before === null ? createdFolders : []));
  await removeEmpty(workspace, [...new Set(folders)]);
  return steps;
}

async function carryOut(workspace: Workspace, history: FileHistory, step: UndoStep): Promise<void> {
  const { path: file, action, before } = step;
  if (action === 'none') return;
  const content = before === null ? undefined : await history.content(before.digest);
  await atPlace(
    workspace,
    file,
    async (place) => {
      const open = await openAt(place);
      const status = open?.status;
      const now = open === undefined ? null : await closing(open, fileState);
      if (JSON.stringify(now) !== JSON.stringify(step.now)) throw new PathChangedError(place.shown);
      if (content !== undefined && before !== null)
        await replaceAt(place, content, { before: status, mode: before.mode });
      else if (status !== undefined) await deleteAt(place, status);
    },
    { createFolders: action === 'restore' },
  );
}

/** Returns the entry at a path of a log. The path must be the file's own, not one that leads to it through a link. */
async function stateOf(workspace: Workspace, file: string): Promise<CurrentState> {
  try {
    if ((await workspace.resolveLinks(file)) !== path.join(workspace.root, file)) return 'not-a-file';
    return await atPlace(workspace, file, async (place) => {
      const open = await openAt(place);
      return open === undefined ? null : closing(open, fileState);
    });
  } catch (error) {
    // The folder is gone too, or something else has the place of the file or of a folder above it.
    const isAbsent =
      UnusableFileError.isInstance(error) && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    return isAbsent ? null : 'not-a-file';
  }
}

async function closing<Result>(file: OpenFile, use: (file: OpenFile) => Promise<Result>): Promise<Result> {
  try {
    return await use(file);
  } finally {
    await file.handle.close();
  }
}

async function fileState({ handle, status }: OpenFile): Promise<Exclude<CurrentState, string | null>> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  return { digest: hash.digest('hex'), size: status.size, mode: status.mode & 0o777 };
}

/** Removes those that are empty, the inner ones first. */
async function removeEmpty(workspace: Workspace, folders: readonly string[]): Promise<void> {
  for (const folder of [...folders].sort((left, right) => right.length - left.length)) {
    const place = path.join(workspace.root, folder);
    const isFolder = (await lstat(place).catch(() => undefined))?.isDirectory() === true;
    if (!isFolder || (await workspace.resolveLinks(folder).catch(() => undefined)) !== place) continue;
    // Else somebody uses it.
    await rmdir(place).catch(() => undefined);
  }
}

/** The reason why a file cannot be brought back without a decision. */
export type UndoConflict =
  /** It is not as the last recorded change left it. */
  | 'changed-since'
  /** Something that is not on record changed it between two recorded changes, such as a command. */
  | 'changed-between'
  /** A folder, a link or the like has its place. `force` does not help. */
  | 'not-a-file'
  /** The history does not hold its content any more. `force` does not help. */
  | 'content-lost';

/** One file of an undo. */
export interface UndoStep {
  /** Relative to the root of the workspace. */
  readonly path: string;
  /** `restore` writes the old content. `delete`: there was no file. `none`: it is as it was already. */
  readonly action: 'restore' | 'delete' | 'none';
  /** The file before the first of the changes; `null`: there was none. */
  readonly before: FileState | null;
  /** The file now. */
  readonly now: CurrentState;
  /** The events of the changes that are taken back, newest first. */
  readonly eventIds: readonly EventId[];
  readonly conflict?: UndoConflict;
  /** Folders that were made for it, from the outside in. Those that are empty afterwards are removed. */
  readonly createdFolders: readonly string[];
}

/** The entry at a path now: a file, nothing (`null`), or something else. */
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

/** Reasons that keep a file from being brought back, in words for a person. */
export const undoConflictTexts: Readonly<Record<UndoConflict, string>> = {
  'changed-since': 'changed since, outside of the session',
  'changed-between': 'changed outside of the session between two edits',
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
function undoSteps(edits: readonly FileEdit[], now: ReadonlyMap<string, CurrentState>): readonly UndoStep[] {
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

/**
 * Returns the obstacle to bringing a file back. A change is recorded before it is made, so a file may also be as it was
 * before the change, if the program was killed there.
 */
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
