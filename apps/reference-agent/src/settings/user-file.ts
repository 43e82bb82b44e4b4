import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes JSON that only the user can read. A reader sees the old content or the new one, never a half. */
export async function writeUserFile(file: string, value: unknown): Promise<void> {
  const written = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(written, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(written, file);
  } catch (cause) {
    await rm(written, { force: true });
    throw cause;
  }
}
