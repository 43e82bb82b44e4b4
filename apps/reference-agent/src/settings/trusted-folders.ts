import { z } from 'zod';
import { TrustError } from './errors.js';
import type { ProjectFile } from './project-file.js';
import { bytesOfFile } from './regular-file.js';
import { writeUserFile } from './user-file.js';

const recordSchema = z.strictObject({
  version: z.literal(1),
  folders: z.record(z.string(), z.strictObject({ digest: z.string(), since: z.string() })),
});

/** The folders that the user trusts, by their real paths, each with the digest of the configuration that was trusted. */
export type TrustedFolders = z.output<typeof recordSchema>['folders'];

/** @throws {@link TrustError} when the record cannot be read. */
export async function readTrust(record: string): Promise<TrustedFolders> {
  try {
    const bytes = await bytesOfFile(record);
    if (bytes === undefined) return {};
    return recordSchema.parse(JSON.parse(bytes.toString('utf8'))).folders;
  } catch (cause) {
    throw new TrustError(
      `The record of trusted folders, '${record}', cannot be read: repair it, or remove it and trust anew.`,
      {
        cause,
      },
    );
  }
}

/** True if the user trusted this folder with this very configuration. */
export function isTrusted(folders: TrustedFolders, { folder, digest }: ProjectFile): boolean {
  return Object.hasOwn(folders, folder) && folders[folder]?.digest === digest;
}

/** Trusts a folder with the configuration that it has now. @throws {@link TrustError} when the record cannot be written. */
export async function trustFolder(
  record: string,
  { folder, digest }: ProjectFile,
  now: () => Date = () => new Date(),
): Promise<void> {
  const folders = await readTrust(record);
  await writeTrust(record, { ...folders, [folder]: { digest, since: now().toISOString() } });
}

/** Trusts a folder no longer. False if it was not trusted. @throws {@link TrustError} when the record cannot be written. */
export async function distrustFolder(record: string, folder: string): Promise<boolean> {
  const { [folder]: removed, ...others } = await readTrust(record);
  if (removed === undefined) return false;
  await writeTrust(record, others);
  return true;
}

async function writeTrust(record: string, folders: TrustedFolders): Promise<void> {
  try {
    await writeUserFile(record, { version: 1, folders });
  } catch (cause) {
    throw new TrustError(`The record of trusted folders, '${record}', cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}
