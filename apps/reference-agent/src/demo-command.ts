import { fileURLToPath } from 'node:url';
import { sliceText } from '@palimpsest/events';
import type { LoadedCondenser } from '@palimpsest/condensers/config';
import { loadCondenserConfigFile } from '@palimpsest/condensers/node';
import type { LLM } from '@palimpsest/llm-adapters';
import { coloursFor, onOneLine, shownJson, terminalWidth } from '@palimpsest/terminal';
import type { Condenser } from '@palimpsest/view';
import type { CommandSurroundings } from './command-surroundings.js';
import { demoCondenser } from './demo-condenser.js';
import { chooseModel } from './demo-model.js';
import { runDemo } from './demo.js';
import type { DemoReport } from './demo.js';
import { exitStatus } from './exit-status.js';
import type { StreamEvent } from './output/stream-event.js';
import { StreamTranslation } from './output/stream-translation.js';
import { readerGoneStatus } from './interrupts.js';
import { apiKeys } from './model-choice.js';
import { withoutStepLabel } from './offline-model/recollection.js';
import { demoEnding } from './output/demo-ending.js';
import { RunTable } from './output/run-table.js';
import { copyWorkspace } from './workspace-copy.js';

/** Options of `palimpsest demo`, as the command line gives them. */
export interface DemoFlags {
  readonly logDir: string;
  readonly model?: string;
  readonly config?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/**
 * Runs the demo and prints what it does. Resolves to the exit status: 0 when the project's tests pass after the run, 1 when they fail or
 * the run failed, 3 and 4 when it was stuck or reached a limit, and that of the signal that ended it.
 *
 * @throws {@link PalimpsestError} for bad input, before the run begins, and when the log cannot be written.
 */
export async function demoCommand(flags: DemoFlags, surroundings: CommandSurroundings): Promise<number> {
  const { env, stdout, stderr, interrupts } = surroundings;
  const print = (line: string): void => void stdout.write(`${line}\n`);
  const warn = (text: string): void => void stderr.write(`palimpsest: ${onOneLine(sliceText(text, 0, 2_000))}\n`);
  const llm = await chooseModel(flags.model, env);
  const { condenser, notes } = await condenserOf(flags, env, llm, await demoCondenser());
  for (const { message } of notes) warn(`${flags.config ?? ''}: ${message}`);
  // The same from src/ and from dist/.
  const copy = await copyWorkspace(fileURLToPath(new URL('../sample-project/', import.meta.url)));
  const { workspace } = copy;
  if (flags.keep === true) copy.keep();
  try {
    const translation = new StreamTranslation([]);
    const output = flags.json === true ? linesOfJson(print) : linesOfText(print, llm, surroundings);
    const report = await runDemo({
      workspace,
      logDirectory: flags.logDir,
      llm,
      condenser,
      // The scripted model follows a plan: it does not mark results as irrelevant.
      relevance: flags.model !== undefined,
      secrets: apiKeys(env),
      onEvent: (event) => translation.follow(event).forEach(output.follow),
      signal: interrupts.signal,
    });
    output.end(report);
    // Who went away wants no more words.
    const isReaderGone = report.ending === 'interrupted' && interrupts.exitStatus === readerGoneStatus;
    if (report.failure !== undefined && !isReaderGone) warn(report.failure);
    if (flags.keep === true) warn(`the copy of the project stays in ${workspace.root}`);
    return statusOf(report, interrupts.exitStatus);
  } finally {
    if (flags.keep !== true) await copy.remove();
  }
}

/** Tells what the demo does. */
interface DemoOutput {
  readonly follow: (event: StreamEvent) => void;
  end(report: DemoReport): void;
}

/** One line of JSON for each thing that happens, as in `--output-format stream-json`, and the report as the last. */
function linesOfJson(print: (line: string) => void): DemoOutput {
  return {
    follow: (event) => print(shownJson(event, 0)),
    end: (report) => print(shownJson({ type: 'demo-report', ...report }, 0)),
  };
}

function linesOfText(print: (line: string) => void, llm: LLM, { env, stdout, cwd }: CommandSurroundings): DemoOutput {
  const colors = coloursFor(stdout, env);
  const width = terminalWidth(stdout);
  const isScripted = llm.model === 'offline';
  // A script needs no time, so nobody waits for a line; and all of it fits a screen.
  const printer = new RunTable({ print, colors, width, isBrief: isScripted });
  const model = isScripted ? 'The model is a script; all else is real.' : `The model is ${onOneLine(llm.model)}.`;
  print(colors.bold(`An agent at work on a small library. ${model}`));
  return {
    follow: (event) => {
      const isScript = isScripted && event.type === 'message';
      printer.follow(isScript ? { ...event, text: withoutStepLabel(event.text) } : event);
    },
    end: (report) => {
      printer.flush();
      for (const line of demoEnding(report, { colors, width, cwd })) print(line);
    },
  };
}

function statusOf({ ending, tests }: DemoReport, interrupted: number): number {
  if (ending === 'interrupted') return interrupted;
  if (ending !== 'done') return exitStatus[ending];
  return tests === undefined ? interrupted : tests.exitStatus === 0 ? exitStatus.done : exitStatus.error;
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
