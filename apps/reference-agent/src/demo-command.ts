import { fileURLToPath } from 'node:url';
import type { LoadedCondenser } from '@palimpsest/condensers/config';
import { loadCondenserConfigFile } from '@palimpsest/condensers/node';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { demoCondenser } from './demo-condenser.js';
import { runDemo } from './demo.js';
import { chooseModel } from './demo-model.js';
import { apiKeys } from './model-choice.js';
import { coloursFor } from '@palimpsest/terminal';
import { reportTable } from './output/report-table.js';
import { RunPrinter } from './output/run-printer.js';
import { copyWorkspace } from './workspace-copy.js';

/** The exit status for a run that failed; failing tests have their own. */
const failureStatus = 2;
/** The exit status by which shells report a command that SIGINT ended. */
const interruptedStatus = 130;

/** Options of `palimpsest demo`, as the command line gives them. */
export interface DemoFlags {
  readonly logDir: string;
  readonly model?: string;
  readonly config?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** Where a command finds its environment and prints. */
export interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

/**
 * Runs the demo and prints what it does. Resolves to the exit status: that of the project's tests after the run; 2 when the
 * run failed; 130 when the signal ended it.
 *
 * @throws {@link PalimpsestError} for bad input, before the run begins, and when the log cannot be written.
 */
export async function demoCommand(
  flags: DemoFlags,
  { env, stdout, stderr, signal }: CommandSurroundings,
): Promise<number> {
  const colors = coloursFor(stdout);
  const print = (line: string) => {
    if (flags.json !== true) stdout.write(`${line}\n`);
  };
  const llm = await chooseModel(flags.model, env);
  // The offline model follows a plan: it does not mark results as irrelevant.
  const isOffline = flags.model === undefined;
  const { condenser, notes } = await condenserOf(flags, env, llm, await demoCondenser());
  for (const { message } of notes) stderr.write(`palimpsest: ${flags.config ?? ''}: ${message}\n`);
  // The same from src/ and from dist/.
  const { workspace, remove } = await copyWorkspace(fileURLToPath(new URL('../sample-project/', import.meta.url)));
  try {
    print(colors.bold(`An agent at work: model ${llm.model}, in ${workspace.root}`));
    const printer = new RunPrinter({ print, colors });
    const report = await runDemo({
      workspace,
      logDirectory: flags.logDir,
      llm,
      condenser,
      relevance: !isOffline,
      secrets: apiKeys(env),
      onEvent: (event) => printer.follow(event),
      signal,
    });
    if (flags.json === true) stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    if (report.failure !== undefined) print(colors.yellow(`\n${report.failure}`));
    if (report.answer !== undefined) print(`\n${colors.bold('Answer')}\n${report.answer}`);
    print(`\n${colors.bold('The tests, run once more')}\n${report.testOutput.trim()}`);
    print(`\n${reportTable(report)}`);
    if (flags.keep === true) print(`Workspace: ${workspace.root}`);
    if (report.failure === undefined) return report.testStatus;
    return signal.aborted ? interruptedStatus : failureStatus;
  } finally {
    if (flags.keep !== true) await remove();
  }
}

async function condenserOf(
  { config }: DemoFlags,
  env: CommandSurroundings['env'],
  llm: LLM,
  byDefault: Condenser,
): Promise<LoadedCondenser> {
  if (config === undefined) return { condenser: byDefault, notes: [] };
  return loadCondenserConfigFile(config, {
    defaultLLM: llm,
    llm: (name) => chooseModel(name, env),
    defaultCondenser: byDefault,
  });
}
