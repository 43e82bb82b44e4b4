import envPaths from 'env-paths';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** The folders of what the gateway keeps: our events, what each request has cost, what the user has ordered. */
export type FolderName = 'sessions' | 'receipts' | 'orders';

/** The folder of what the gateway keeps, where the user names no other. */
export const usualData = envPaths('palimpsest-gateway', { suffix: '' }).data;

/** Returns the path of one of the folders. */
export function folderIn(data: string, name: FolderName): string {
  return path.join(data, name);
}

/** Creates the folder, for its user alone. Returns its path. @throws what the file system says */
export async function madeFolder(data: string): Promise<string> {
  const folder = path.resolve(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
