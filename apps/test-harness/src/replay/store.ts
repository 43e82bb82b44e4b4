import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The place of a result. Several processes may use it at the same time. */
export interface StoredFile<Result> {
  /** Resolves to undefined if there is none, or if it cannot be read. */
  read(): Promise<Result | undefined>;
  /** Stores a result. One that cannot be stored is computed again next time, and that is no error. */
  write(result: Result): Promise<void>;
}

/**
 * Returns the place of a result in a folder, by all that it depends on. Nothing is stored without a folder, nor if a part is undefined:
 * then nobody can tell what the result depends on.
 */
export function storedFile<Result>(
  folder: string | undefined,
  dependsOn: readonly (string | undefined)[],
): StoredFile<Result> {
  const isKnown = folder !== undefined && !dependsOn.includes(undefined);
  const key = digestOf(dependsOn.join(' '));
  const file = isKnown ? join(folder, key.slice(0, 2), `${key.slice(2)}.json`) : undefined;
  return { read: () => readResult(file), write: (result) => writeResult(file, result) };
}

async function readResult<Result>(file: string | undefined): Promise<Result | undefined> {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Result;
  } catch {
    return undefined;
  }
}

async function writeResult(file: string | undefined, result: unknown): Promise<void> {
  if (file === undefined) return;
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, JSON.stringify(result));
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Returns the digest of a text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
