import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWorkspace } from '../src/workspace/workspace.js';
import type { Workspace } from '../src/workspace/workspace.js';

export { noContext } from './no-context.js';

/** Returns a workspace with these files, for one test. */
export async function temporaryWorkspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return openWorkspace(folder);
}
