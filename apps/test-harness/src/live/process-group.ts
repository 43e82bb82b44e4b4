import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Options of {@link runGroup}. */
export interface GroupOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Takes what the processes print. */
  readonly log: string;
  /** Aborts when they have to end. */
  readonly signal: AbortSignal;
}

/** The end of a command. */
export interface GroupEnd {
  readonly status: number | undefined;
  /** Unit: milliseconds. */
  readonly wallMs: number;
}

/** The time between the wish that they end and their end. Unit: milliseconds. */
const graceMs = 5_000;

/**
 * Runs a command and whatever it starts, as a group. None of them is left when it returns.
 *
 * @throws what the system says when the command cannot be started
 */
export async function runGroup({ command, cwd, env, log, signal }: GroupOptions): Promise<GroupEnd> {
  const [program = '', ...parameters] = command;
  const startedAt = performance.now();
  const printed = createWriteStream(log, { flags: 'a' });
  const child = spawn(program, parameters, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(printed, { end: false });
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status) => resolve(status ?? undefined));
  });
  const end = new AbortController();
  const stop = async (): Promise<void> => {
    kill(child.pid, 'SIGTERM');
    await wait(graceMs, undefined, { signal: end.signal }).catch(() => undefined);
    kill(child.pid, 'SIGKILL');
  };
  const onAbort = (): void => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const status = await ended;
    return { status, wallMs: Math.round(performance.now() - startedAt) };
  } finally {
    signal.removeEventListener('abort', onAbort);
    end.abort();
    kill(child.pid, 'SIGKILL');
    printed.end();
    await finished(printed).catch(() => undefined);
  }
}

/** Sends a signal to all processes of a group. One that is gone is no matter. */
function kill(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch {
    // The group is gone.
  }
}
