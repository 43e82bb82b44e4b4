import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { createEvent } from '@palimpsest/events';
import type { ToolContext } from '@palimpsest/events';
import { UnusableFileError } from '../workspace/workspace.js';
import { fileEditType, digestOf } from '../changes/file-history.js';
import type { FileHistory } from '../changes/file-history.js';
import { wholeContent } from '../workspace/text.js';
import { absent, atPlace, openAt, replaceAt } from '../workspace/open-file.js';
import type { FilePlace } from '../workspace/open-file.js';
import type { Workspace } from '../workspace/workspace.js';

/** Options of the tools that change files. */
export interface FileChangeOptions {
  /**
   * Records each change before it is made: the content from before here, and an event `palimpsest/file-edit` by
   * `ToolContext.append`. `undoEdits` needs both. @defaultValue nothing is recorded
   */
  readonly history?: FileHistory;
}

/** A file before its change. */
export interface FileBefore {
  readonly content: Buffer;
  readonly status: Stats;
}

/** The greatest file that is replaced where its content must be kept. Unit: bytes. */
const maxKeptBytes = 100_000_000;

/** The result of {@link changeFile}. */
export interface FileChange<Change> {
  readonly place: FilePlace;
  /** Undefined: there was no file. */
  readonly before: FileBefore | undefined;
  /** False when the file has this content already. */
  readonly isChanged: boolean;
  readonly change: Change;
}

/**
 * Changes a file in one step, and records the change before, where there is a history.
 *
 * @param change - makes the new content from the old one; what it throws ends the change.
 */
export async function changeFile<Change extends { readonly content: string }>(
  workspace: Workspace,
  requested: string,
  context: ToolContext,
  options: FileChangeOptions & { readonly create: boolean; readonly maxBytes?: number },
  change: (before: FileBefore | undefined, place: FilePlace) => Change,
): Promise<FileChange<Change>> {
  const { history, create, maxBytes = maxKeptBytes } = options;
  return serialised(workspace.root, () =>
    atPlace(
      workspace,
      requested,
      async (place) => {
        const before = await contentAt(place, maxBytes);
        if (before === undefined && !create) throw absent(place.shown);
        const changed = change(before, place);
        const content = Buffer.from(changed.content);
        if (before?.content.equals(content) === true) return { place, before, isChanged: false, change: changed };
        if (before !== undefined) await assertWritable(place);
        context.signal?.throwIfAborted();
        if (history !== undefined) await record(history, place, before, content, context);
        await replaceAt(place, content, { before: before?.status });
        return { place, before, isChanged: true, change: changed };
      },
      { createFolders: create },
    ),
  );
}

/** The last change that was asked for in each folder. */
const last = new Map<string, Promise<unknown>>();

/**
 * Many loops run the calls of one answer at the same time. The changes in a workspace are made one after the other, in the order
 * in which they are asked for: which files two names mean is known only when they are open.
 */
async function serialised<Result>(root: string, change: () => Promise<Result>): Promise<Result> {
  const mine = (last.get(root) ?? Promise.resolve()).then(change, change);
  last.set(root, mine);
  try {
    return await mine;
  } finally {
    if (last.get(root) === mine) last.delete(root);
  }
}

async function contentAt(place: FilePlace, maxBytes: number): Promise<FileBefore | undefined> {
  const file = await openAt(place);
  if (file === undefined) return undefined;
  try {
    return { content: await wholeContent(file, place.shown, maxBytes), status: file.status };
  } finally {
    await file.handle.close();
  }
}

/** Throws for a read-only file: in a folder that can be written it could be replaced all the same. */
async function assertWritable({ folder, name, shown }: FilePlace): Promise<void> {
  await access(folder.place(name), constants.W_OK).catch((cause: unknown) => {
    throw new UnusableFileError(shown, `'${shown}' is read-only. Nothing was changed.`, { cause });
  });
}

/** Resolves when the old content is on disk and the event is in the log: from then on the change can be undone. */
async function record(
  history: FileHistory,
  place: FilePlace,
  before: FileBefore | undefined,
  content: Buffer,
  { actionId, append }: ToolContext,
): Promise<void> {
  const { createdFolders } = place;
  const mode = before === undefined ? 0o666 & ~process.umask() : before.status.mode & 0o777;
  await append(
    createEvent(fileEditType, {
      source: 'environment',
      actionId,
      path: place.path,
      before:
        before === undefined ? null : { digest: await history.keep(before.content), size: before.content.length, mode },
      after: { digest: digestOf(content), size: content.length, mode },
      ...(createdFolders.length === 0 ? {} : { createdFolders }),
    }),
  );
}
