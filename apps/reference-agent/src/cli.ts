#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { LoadedCondenser } from '@palimpsest/condensers/config';
import { loadCondenserConfigFile } from '@palimpsest/condensers/node';
import { PalimpsestError } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { defaultCondenser, demoSizes } from './default-condenser.js';
import { runDemo } from './demo.js';
import { apiKeys, chooseModel } from './model-choice.js';
import { colorsFor } from './output/colors.js';
import { reportTable } from './output/report-table.js';
import { RunPrinter } from './output/run-printer.js';
import { copyWorkspace } from './workspace-copy.js';

/** The exit status for bad input and for a run that failed; failing tests have their own. */
const failureStatus = 2;
/** The exit status by which shells report a command that SIGINT ended. */
const interruptedStatus = 130;

interface DemoFlags {
  readonly logDir: string;
  readonly model?: string;
  readonly config?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

const program = new Command('palimpsest').description('A coding agent that condenses its history.');

program
  .command('demo')
  .description('Have an agent work on a small project, and see what condensation does.')
  .option('--log-dir <dir>', 'where the event log goes', '.palimpsest/logs')
  .option('--model <name>', "a provider's model (needs OPENAI_API_KEY or ANTHROPIC_API_KEY); offline without it")
  .option('--config <file>', 'a file (TOML or JSON) that describes the condenser, of a package too')
  .option('--keep', 'keep the copy of the project that the agent worked on')
  .option('--json', 'print the report as JSON, and nothing else')
  .addHelpText(
    'after',
    '\nThe exit status is that of the project’s tests after the run; 2 when the run itself failed; 130 when it was interrupted.',
  )
  .action(demo);

async function demo(flags: DemoFlags): Promise<void> {
  const colors = colorsFor(process.stdout);
  const print = (line: string) => {
    if (flags.json !== true) process.stdout.write(`${line}\n`);
  };
  const llm = chooseModel(flags.model, process.env);
  // The offline model follows a plan: it can neither write summaries nor mark results as irrelevant.
  const isOffline = flags.model === undefined;
  const { condenser, notes } = await condenserOf(flags, llm, defaultCondenser(demoSizes, isOffline ? undefined : llm));
  for (const { message } of notes) process.stderr.write(`palimpsest: ${flags.config ?? ''}: ${message}\n`);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
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
      secrets: apiKeys(process.env),
      onEvent: (event) => printer.follow(event),
      signal: interrupt.signal,
    });
    if (flags.json === true) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    if (report.failure !== undefined) print(colors.yellow(`\n${report.failure}`));
    if (report.answer !== undefined) print(`\n${colors.bold('Answer')}\n${report.answer}`);
    print(`\n${colors.bold('The tests, run once more')}\n${report.testOutput.trim()}`);
    print(`\n${reportTable(report)}`);
    if (flags.keep === true) print(`Workspace: ${workspace.root}`);
    if (report.failure === undefined) process.exitCode = report.testStatus;
    else process.exitCode = interrupt.signal.aborted ? interruptedStatus : failureStatus;
  } finally {
    if (flags.keep !== true) await remove();
  }
}

async function condenserOf({ config }: DemoFlags, llm: LLM, byDefault: Condenser): Promise<LoadedCondenser> {
  if (config === undefined) return { condenser: byDefault, notes: [] };
  return loadCondenserConfigFile(config, {
    defaultLLM: llm,
    llm: (name) => chooseModel(name, process.env),
    defaultCondenser: byDefault,
  });
}

try {
  await program.parseAsync();
} catch (error) {
  if (!PalimpsestError.isInstance(error)) throw error;
  process.stderr.write(`palimpsest: ${error.message}\n`);
  process.exitCode = failureStatus;
}
