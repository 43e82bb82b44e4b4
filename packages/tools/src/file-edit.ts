import { eventBaseSchema } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { z } from 'zod';

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
 * The changes of files that a log records, oldest first. An event of this type that does not have its form is passed over.
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
