import { rmSync } from 'node:fs';
import { cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { openWorkspace } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';
import { UsageError } from '../context.js';

/** A workspace that lives as long as one run. */
export interface WorkspaceCopy {
  readonly workspace: Workspace;
  /** The folder that goes with the run. The workspace lies in it. */
  readonly folder: string;
  remove(): Promise<void>;
  /** Leaves the copy where it is when the process ends. */
  keep(): void;
}

const prefix = 'palimpsest-demo-';

/**
 * Copies a project into a new folder below the system's folder for temporary files. The folder goes with the process, however
 * that ends; what a process left that was killed at once is removed by the next copy.
 *
 * @throws {@link UsageError} when no folder can be made there.
 */
export async function copyWorkspace(project: string, parent = tmpdir()): Promise<WorkspaceCopy> {
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, `${prefix}${machine()}-${process.pid}-`)).catch((cause: Error) => {
    throw new UsageError(`Cannot copy the project to '${parent}': ${cause.message}. TMPDIR may name another folder.`, {
      cause,
    });
  });
  const removeAtOnce = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.on('exit', removeAtOnce);
  const keep = (): void => void process.off('exit', removeAtOnce);
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    keep();
  };
  try {
    const copy = join(folder, 'project');
    await cp(project, copy, { recursive: true });
    return { workspace: await openWorkspace(copy), folder, remove, keep };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes the copies of processes of this user that have ended. */
async function removeLeftovers(parent: string): Promise<void> {
  const name = new RegExp(`^${prefix}${machine()}-(\\d+)-\\w+$`);
  for (const entry of await readdir(parent).catch(() => [])) {
    const pid = Number(name.exec(entry)?.[1] ?? process.pid);
    if (pid === process.pid || isAlive(pid)) continue;
    const folder = join(parent, entry);
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== userInfo().uid) continue;
    // What cannot be removed is no reason not to run.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The folder for temporary files may be shared by machines, or by containers, whose processes cannot be seen here. */
function machine(): string {
  return hostname().replace(/\W/g, '_');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
