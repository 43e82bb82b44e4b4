import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { eventBaseSchema, PalimpsestError } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { z } from 'zod';
import { codeOf } from '../workspace/problems.js';

/** The type of the events by which `write_file` and `edit_file` record what they change. */
export const fileEditType = 'palimpsest/file-edit';

const stateSchema = z.object({
  /** SHA-256 of the content, in hexadecimal digits. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Unit: bytes. */
  size: z.number(),
  /** The permission bits, such as `0o644`. */
  mode: z.number(),
});

const fileEditSchema = z.object({
  ...eventBaseSchema.shape,
  type: z.literal(fileEditType),
  actionId: z.string(),
  path: z.string().min(1),
  before: stateSchema.nullable(),
  after: stateSchema,
  createdFolders: z.array(z.string()).optional(),
});

/** The content and the mode of a file; the content itself is in the {@link FileHistory}. */
export type FileState = Readonly<z.infer<typeof stateSchema>>;

/** One change of a file, as it was recorded before it was made. */
export interface FileEdit {
  readonly eventId: EventId;
  /** The action that made it. */
  readonly actionId: EventId;
  /** Relative to the root of the workspace, without links, with forward slashes. */
  readonly path: string;
  /** `null`: there was no file. */
  readonly before: FileState | null;
  readonly after: FileState;
  /** The folders that were made for it, from the outside in. */
  readonly createdFolders: readonly string[];
}

/**
 * Returns the changes of files that a log records, oldest first. An event of this type that does not have its form is passed
 * over.
 *
 * @param options.from - only the changes that this event or a later one records. @defaultValue the first event
 * @throws RangeError when the log has no event `from`.
 */
export function fileEdits(events: Iterable<Event>, options: { readonly from?: EventId } = {}): readonly FileEdit[] {
  const all = [...events];
  const first = options.from === undefined ? 0 : all.findIndex(({ id }) => id === options.from);
  if (first === -1) throw new RangeError(`The log has no event '${options.from}'. Name one that it has.`);
  return all.slice(first).flatMap((event) => {
    if (event.type !== fileEditType) return [];
    const { success, data } = fileEditSchema.safeParse(event);
    if (!success) return [];
    const { id: eventId, actionId, path, before, after, createdFolders = [] } = data;
    return [{ eventId, actionId, path, before, after, createdFolders }];
  });
}

/** The history does not hold a content that an undo needs, or holds another one in its place. */
export class FileHistoryError extends PalimpsestError {
  static override get typeName(): string {
    return 'FileHistoryError';
  }

  readonly digest: string;

  constructor(digest: string, directory: string, reason: string) {
    super('file-history', `The file history in '${directory}' ${reason} (${digest}). It cannot be restored.`);
    this.digest = digest;
  }
}

/** A store of the contents of files from before they were changed. Equal contents are stored once. */
export interface FileHistory {
  /** Stores a content, and resolves to its digest when it is on disk. */
  keep(content: Uint8Array): Promise<string>;
  has(digest: string): Promise<boolean>;
  /** @throws {@link FileHistoryError} when it is not there, or was changed. */
  content(digest: string): Promise<Uint8Array>;
}

/** Options of {@link fileHistory}. */
export interface FileHistoryOptions {
  /** Created with the first content. Only its user can read it: it holds whole files. Keep it outside of the workspace. */
  readonly directory: string;
}

/** Returns the history of files in a folder: one file a content, named by its SHA-256. */
export function fileHistory({ directory }: FileHistoryOptions): FileHistory {
  const placeOf = (digest: string) => path.join(directory, digest);
  const has = async (digest: string) =>
    access(placeOf(digest)).then(
      () => true,
      () => false,
    );
  return {
    has,
    async keep(content) {
      const digest = digestOf(content);
      if (await has(digest)) return digest;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const temporary = placeOf(`${digest}.${randomBytes(4).toString('hex')}`);
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, placeOf(digest));
      return digest;
    },
    async content(digest) {
      const content = await readFile(placeOf(digest)).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') throw new FileHistoryError(digest, directory, 'does not hold a content');
        throw error;
      });
      if (digestOf(content) !== digest)
        throw new FileHistoryError(digest, directory, 'holds a content that was changed');
      return content;
    },
  };
}

/** Returns the SHA-256, in hexadecimal digits. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
