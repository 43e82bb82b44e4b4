import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { InvalidSettingsError } from './errors.js';
import { bytesOfFile } from './regular-file.js';

/** The place of a project's configuration, below the project's folder. */
export const projectSettingsPath = join('.palimpsest', 'config.toml');

/** A project's configuration as it was found. */
export interface ProjectFile {
  /** The project's folder, with no link in it. */
  readonly folder: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Of the bytes: SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

/**
 * The project's configuration: that of the folder, else that of the root of the repository in which the folder lies. Undefined if
 * there is none.
 *
 * @throws {@link InvalidSettingsError} when it cannot be read, or is a link that leads out of the project.
 */
export async function findProjectFile(folder: string): Promise<ProjectFile | undefined> {
  const real = await realpath(folder);
  const root = await repositoryRoot(real);
  for (const project of new Set([real, root ?? real])) {
    const found = await projectFileIn(project);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function projectFileIn(folder: string): Promise<ProjectFile | undefined> {
  const file = join(folder, projectSettingsPath);
  try {
    const bytes = await bytesOfFile(file);
    if (bytes === undefined) return undefined;
    if (!(await realpath(file)).startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      throw new Error('it is a link that leads out of the project');
    }
    return { folder, file, bytes, digest: createHash('sha256').update(bytes).digest('hex') };
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: `cannot be read: ${(cause as Error).message}` }], { cause });
  }
}

/** The nearest folder, upwards, that holds `.git`: a folder, or a file in a worktree. */
async function repositoryRoot(folder: string): Promise<string | undefined> {
  const exists = await lstat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
  if (exists) return folder;
  return dirname(folder) === folder ? undefined : repositoryRoot(dirname(folder));
}
