import { createHash } from 'node:crypto';
import { lstat, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Event, EventId } from '@palimpsest/events';
import { PathChangedError, UnusableFileError } from './errors.js';
import { fileEdits } from './file-edit.js';
import type { FileHistory } from './file-history.js';
import { UndoConflictError, undoSteps } from './undo-plan.js';
import type { CurrentState, UndoStep } from './undo-plan.js';
import { atPlace, deleteAt, openAt, replaceAt } from './workspace-file.js';
import type { OpenFile } from './workspace-file.js';
import type { Workspace } from './workspace.js';

/** What an undo works on. */
export interface UndoOptions {
  readonly workspace: Workspace;
  /** Where the tools kept the contents. */
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
 * Brings files back to what they were before an event: changed files get their content and their mode, deleted ones are written
 * again, created ones are deleted. Resolves to what was done. It can be repeated: what is done already is passed over.
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

/** What stands at a path of a log. The path must be the file's own, not one that leads to it through a link. */
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
