import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Results on disk, by the digest of all that they depend on. */
export interface ResultStore {
  /** Undefined if there is none, or if it cannot be read. */
  read(key: string): Promise<unknown>;
  /** A result that cannot be stored is computed again next time; that is no error. */
  write(key: string, result: unknown): Promise<void>;
}

/** The results in a folder. Several processes may use it at the same time. */
export function resultStore(folder: string): ResultStore {
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key.slice(2)}.json`);
  return {
    read: async (key) => {
      try {
        return JSON.parse(await readFile(fileOf(key), 'utf8')) as unknown;
      } catch {
        return undefined;
      }
    },
    write: async (key, result) => {
      const file = fileOf(key);
      const draft = `${file}.${randomUUID()}.draft`;
      try {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(draft, JSON.stringify(result));
        await rename(draft, file);
      } catch {
        await rm(draft, { force: true }).catch(() => undefined);
      }
    },
  };
}
