import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { InvalidSettingsError } from './settings-file.js';

/** Larger files are no configuration. Unit: bytes. */
const maxFileBytes = 1_048_576;

/**
 * Opens a regular file to read it; undefined if there is no such file. A pipe or a device is not waited for, and what is read was
 * looked at in the same moment, whatever the path names later.
 *
 * @throws Error that says why it cannot be read.
 */
export async function openRegularFile(file: string): Promise<FileHandle | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (handle === undefined || (await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error('it is not a regular file');
}

/**
 * Reads the bytes of a small regular file. Undefined if there is no such file.
 *
 * @throws Error that says why it cannot be read.
 */
export async function bytesOfFile(file: string): Promise<Buffer | undefined> {
  const handle = await openRegularFile(file);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (found.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
    const buffer = Buffer.alloc(maxFileBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

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

const recordSchema = z.strictObject({
  version: z.literal(1),
  folders: z.record(z.string(), z.strictObject({ allow: z.array(z.string()) })),
});

type Folders = z.output<typeof recordSchema>['folders'];

/**
 * Reads the rules of a folder that the user made when a call was asked about: calls that they allow run without a question.
 *
 * @param folder - its real path
 * @throws {@link InvalidSettingsError} when the file cannot be read.
 */
export async function savedRules(file: string, folder: string): Promise<readonly string[]> {
  const folders = await readFolders(file);
  return Object.hasOwn(folders, folder) ? (folders[folder]?.allow ?? []) : [];
}

/** Keeps a rule. @throws {@link InvalidSettingsError} when the file cannot be read or written. */
export async function saveRule(file: string, folder: string, rule: string): Promise<void> {
  const allow = await savedRules(file, folder);
  if (!allow.includes(rule)) await writeRules(file, folder, [...allow, rule]);
}

/** Forgets a rule. False if it was not kept. @throws {@link InvalidSettingsError} when the file cannot be read or written. */
export async function forgetRule(file: string, folder: string, rule: string): Promise<boolean> {
  const allow = await savedRules(file, folder);
  if (!allow.includes(rule)) return false;
  await writeRules(
    file,
    folder,
    allow.filter((each) => each !== rule),
  );
  return true;
}

async function readFolders(file: string): Promise<Folders> {
  try {
    const bytes = await bytesOfFile(file);
    return bytes === undefined ? {} : recordSchema.parse(JSON.parse(bytes.toString('utf8'))).folders;
  } catch (cause) {
    const reason = 'holds the rules of your answers, and cannot be read: repair it, or remove it';
    throw new InvalidSettingsError(file, [{ reason }], { cause });
  }
}

async function writeRules(file: string, folder: string, allow: readonly string[]): Promise<void> {
  const { [folder]: _old, ...others } = await readFolders(file);
  try {
    await writeUserFile(file, {
      version: 1,
      folders: allow.length === 0 ? others : { ...others, [folder]: { allow } },
    });
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: `cannot be written: ${(cause as Error).message}` }], { cause });
  }
}
