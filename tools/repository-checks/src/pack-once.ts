import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { packAll } from './pack.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The tarballs of `packAll`, as entries. */
    readonly tarballs: readonly (readonly [name: string, file: string])[];
  }
}

/** Packs all packages once for all test files. Runs before them; what it returns, after them. */
export default async function packOnce(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tarballs-'));
  project.provide('tarballs', [...(await packAll(directory))]);
  return () => rm(directory, { recursive: true, force: true });
}
