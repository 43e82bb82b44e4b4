import { realpath } from 'node:fs/promises';
import { printableLine, printableJson } from '@palimpsest/terminal';
import { exitStatus } from '../context.js';
import type { CliContext } from '../context.js';
import { listSessions, sessionStatus } from '../session/session.js';
import type { ListedSession } from '../session/session.js';
import { sessionsFolder } from '../settings/user-folders.js';

/** Options of `palimpsest list`. */
export interface ListFlags {
  /** Those of every folder. */
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Runs `palimpsest list`: prints the sessions of the folder, the last used first. Resolves to the exit status. */
export async function listCommand(flags: ListFlags, context: Omit<CliContext, 'stdin'>): Promise<number> {
  const { env, cwd, stdout, stderr, interrupts } = context;
  const workspace = flags.all === true ? undefined : await realpath(cwd);
  const { sessions, problems } = await listSessions(sessionsFolder(env), { workspace });
  const rows: Row[] = [];
  for (const listed of sessions) {
    if (interrupts.signal.aborted) return interrupts.exitStatus;
    rows.push(await rowOf(listed));
  }
  if (flags.json === true) stdout.write(`${printableJson(rows)}\n`);
  else for (const row of rows) stdout.write(`${lineOf(row, flags.all === true)}\n`);
  for (const { message } of problems) stderr.write(`palimpsest: skipped: ${printableLine(message)}\n`);
  if (rows.length === 0 && flags.json !== true) {
    stderr.write(
      `palimpsest: no sessions${workspace === undefined ? '' : ' of this folder; --all shows those of others'}.\n`,
    );
  }
  return exitStatus.done;
}

type Row = Awaited<ReturnType<typeof rowOf>>;

async function rowOf(listed: ListedSession) {
  const { id, workspace, model, task, created, parent } = listed.record;
  const status = await sessionStatus(listed).catch((error: unknown) => `unreadable: ${(error as Error).message}`);
  const used = new Date(listed.usedAt).toISOString();
  return { id, status, workspace, model, task, created, used, parent, log: listed.session.log };
}

function lineOf({ id, status, workspace, task, used }: Row, withFolder: boolean): string {
  const when = used.slice(0, 16).replace('T', ' ');
  return [id, when, status.padEnd(8), ...(withFolder ? [workspace] : []), task].map(printableLine).join('  ');
}
