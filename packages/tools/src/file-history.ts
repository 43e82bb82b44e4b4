import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { PalimpsestError } from '@palimpsest/events';
import { codeOf } from './file-problem.js';

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

/** Keeps the contents of files from before they were changed. Equal contents are stored once. */
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

/** The history of files in a folder: one file a content, named by its SHA-256. */
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

/** SHA-256, in hexadecimal digits. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
