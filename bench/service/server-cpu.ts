import { readFile, readdir } from 'node:fs/promises';
import type { LocalPostgres } from '@palimpsest/postgres/testing';
import type pg from 'pg';

/** What Linux counts CPU time in. */
const ticksPerSecond = 100;

/** The CPU time of a server that is ours, with what its ended processes used; NaN of another, and where there is no /proc. Unit: milliseconds. */
export async function serverCpu(server: LocalPostgres, pool: pg.Pool): Promise<number> {
  if (server.restart === undefined) return Number.NaN;
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = await statOf(rows[0]?.pid ?? 0);
  const postmaster = backend === undefined ? undefined : await statOf(backend.parent);
  if (postmaster === undefined) return Number.NaN;
  let ticks = postmaster.ticks + postmaster.ticksOfEnded;
  for (const entry of await readdir('/proc')) {
    const stat = /^\d+$/.test(entry) ? await statOf(Number(entry)) : undefined;
    if (stat?.parent === postmaster.pid) ticks += stat.ticks;
  }
  return (ticks / ticksPerSecond) * 1_000;
}

/** @see proc_pid_stat(5) */
async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may hold spaces.
  const fields = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (fields === undefined) return undefined;
  const [parent = 0, user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = [1, 11, 12, 13, 14].map(
    (index) => fields[index],
  );
  return { pid, parent, ticks: user + system, ticksOfEnded: userOfEnded + systemOfEnded };
}
