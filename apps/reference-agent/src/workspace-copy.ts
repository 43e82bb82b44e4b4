import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkspace } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';

/** A workspace that lives as long as one run. */
export interface WorkspaceCopy {
  readonly workspace: Workspace;
  remove(): Promise<void>;
}

/** Copies a project into a new folder below the system's folder for temporary files. */
export async function copyWorkspace(project: string): Promise<WorkspaceCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-demo-'));
  await cp(project, folder, { recursive: true });
  return { workspace: await openWorkspace(folder), remove: () => rm(folder, { recursive: true, force: true }) };
}
