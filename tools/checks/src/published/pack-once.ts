import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { installAll, packAll } from './pack.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The tarballs of `packAll`, as entries. */
    readonly tarballs: readonly (readonly [name: string, file: string])[];
    /** The project of `installAll`. */
    readonly everything: string;
  }
}

/** Packs all packages, and installs them, once for all test files. Runs before them; what it returns, after them. */
export default async function packOnce(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tarballs-'));
  const everything = path.join(directory, 'everything');
  const tarballs = await packAll(directory);
  await installAll(everything, tarballs);
  project.provide('tarballs', [...tarballs]);
  project.provide('everything', everything);
  return () => rm(directory, { recursive: true, force: true });
}
