import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import type { Receipt } from '../receipts/receipt.js';
import { summaryOf } from '../receipts/summary.js';
import { supervised } from '../server/supervisor.js';
import type { WorkerProgram } from '../server/supervisor.js';
import type { CondensingOptions } from '../server/worker-messages.js';
import { UnknownAgentError } from './agent-start.js';
import { agentStart } from './agents.js';

/** Options of {@link run}. */
export interface RunOptions extends CondensingOptions {
  /** The variable that holds the base URL of an agent that is not known. */
  readonly variable?: string | undefined;
  /** The file of the gateway's process. */
  readonly program: WorkerProgram;
}

/** A terminal sends the first two to the agent, too. */
const signals = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs an agent behind a gateway of its own: it has the terminal, the signals and the exit status. Says at the end what was sent.
 *
 * @throws UnknownAgentError when it is not known how the agent is led here
 */
export async function run(
  command: string,
  parameters: readonly string[],
  { variable, program, ...condensing }: RunOptions,
): Promise<number> {
  const own = { ...process.env };
  const invocation = { command, parameters, env: own, cwd: process.cwd(), home: homedir() };
  const start = await agentStart(invocation, variable);
  // What stands in the agent's settings counts for the requests of the gateway's process, too.
  Object.assign(process.env, start.network);
  const receipts: Receipt[] = [];
  const token = randomBytes(16).toString('hex');
  const gateway = await supervised({
    program,
    worker: { ...condensing, routes: [{ name: command, upstream: start.upstream, token }], port: 0 },
    onReceipt: (receipt) => void receipts.push(receipt),
    onProblem: (sentence) => void process.stderr.write(`palimpsest-gateway: ${sentence}\n`),
  });
  const { parameters: through, env, file } = start.through(`${gateway.origin}/${token}`);
  const written = file && path.join(condensing.data, `settings-${process.pid}.json`);
  try {
    if (file && written) await writeFile(written, file.text, { mode: 0o600 });
    return await exitOf(command, through, { ...own, ...env, ...(file && { [file.variable]: written }) });
  } finally {
    await gateway.stop();
    if (written) await rm(written, { force: true });
    process.stderr.write(`\npalimpsest-gateway\n${summaryOf(receipts).join('\n')}\n`);
  }
}

function exitOf(command: string, parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, parameters, { stdio: 'inherit', env });
  // This process waits for the agent, whatever the signal.
  const pass = (signal: NodeJS.Signals): void => {
    const isOfTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (!isOfTerminal) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number>((resolve, reject) => {
    child.on('error', ({ message }) => reject(new UnknownAgentError(`The agent could not be started: ${message}.`)));
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  }).finally(() => signals.forEach((signal) => process.off(signal, pass)));
}
