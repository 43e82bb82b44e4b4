import type { TestProject } from 'vitest/node';
import { localPostgres } from '../src/testing/index.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where no server can be had. */
    readonly postgresUrl: string | undefined;
  }
}

/** One server for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await localPostgres();
  project.provide('postgresUrl', server?.url);
  return async () => server?.close();
}
