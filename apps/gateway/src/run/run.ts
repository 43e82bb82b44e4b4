import type { PresetName } from '@palimpsest/condensers';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import type { Receipt } from '../receipts/receipt.js';
import { summaryOf } from '../receipts/summary.js';
import { supervised } from '../server/supervisor.js';
import type { WorkerProgram } from '../server/supervisor.js';
import { agentStart } from './agents.js';

/** Options of {@link run}. */
export interface RunOptions {
  /** The variable that holds the base URL of an agent that is not known. */
  readonly variable?: string | undefined;
  readonly subscription: boolean;
  /** The folder of what the gateway keeps. */
  readonly data: string;
  /** @defaultValue balanced */
  readonly preset?: PresetName | undefined;
  /** A file that describes another condenser. @defaultValue none: the preset holds */
  readonly config?: string | undefined;
  /** The file of the gateway's process. */
  readonly worker: WorkerProgram;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs an agent behind a gateway of its own: it has the terminal, the signals and the exit status. Says at the end what was sent.
 *
 * @throws UnknownAgentError when it is not known how the agent is led here
 */
export async function run(command: string, parameters: readonly string[], options: RunOptions): Promise<number> {
  const start = agentStart(command, process.env, options.variable);
  const receipts: Receipt[] = [];
  const token = randomBytes(16).toString('hex');
  const gateway = await supervised({
    program: options.worker,
    routes: [{ name: command, upstream: start.upstream, token }],
    port: 0,
    data: options.data,
    preset: options.preset,
    config: options.config,
    subscription: options.subscription,
    onReceipt: (receipt) => void receipts.push(receipt),
    onProblem: (sentence) => void process.stderr.write(`palimpsest-gateway: ${sentence}\n`),
  });
  const { parameters: through, env } = start.through(`${gateway.origin}/${token}`, parameters);
  try {
    return await exitOf(command, through, { ...process.env, ...env });
  } finally {
    await gateway.stop();
    process.stderr.write(`\npalimpsest-gateway\n${summaryOf(receipts).join('\n')}\n`);
  }
}

function exitOf(command: string, parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(command, parameters, { stdio: 'inherit', env });
  // A terminal sends a signal to all of its processes: ours waits for the agent.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  }).finally(() => signals.forEach((signal) => process.off(signal, pass)));
}
