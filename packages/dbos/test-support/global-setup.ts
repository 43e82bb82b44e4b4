import { localPostgres } from '@palimpsest/postgres/testing';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where no server can be had. */
    readonly postgresUrl: string | undefined;
  }
}

/** One server for all test files but the one that restarts it: each start and each making of DBOS's tables takes seconds. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await localPostgres();
  project.provide('postgresUrl', server?.url);
  return async () => server?.close();
}
