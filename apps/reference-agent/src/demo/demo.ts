import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { secretMask } from '@palimpsest/agent';
import type { LoadedCondenser } from '@palimpsest/condensers/config';
import { loadCondenserConfigFile, loadCondenserFile } from '@palimpsest/condensers/node';
import { newEventId, sliceText } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { LLM } from '@palimpsest/llm-adapters';
import { llmByName } from '@palimpsest/llm-adapters/by-name';
import { coloursFor, printableLine, printableJson, terminalWidth } from '@palimpsest/terminal';
import { runCommand } from '@palimpsest/tools';
import type { CommandResult } from '@palimpsest/tools';
import type { Condenser } from '@palimpsest/view';
import { defaultCondenser } from '../agent/condenser.js';
import { apiKeys } from '../agent/models.js';
import { followedRun } from '../cli/headless.js';
import { applicationFile, exitStatus, readerGoneStatus, UsageError } from '../context.js';
import type { CliContext } from '../context.js';
import type { ResultEvent, StreamEvent } from '../output/stream-event.js';
import { openSession } from '../session/open-session.js';
import type { SessionParts } from '../session/open-session.js';
import { makeFolders } from '../session/session.js';
import type { Session } from '../session/session.js';
import { demoEnding } from './demo-ending.js';
import type { DemoReport } from './demo-ending.js';
import { offlineModel, withoutStepLabel } from './offline-model.js';
import type { Plan } from './offline-model.js';
import { copyWorkspace } from './workspace-copy.js';
import type { WorkspaceCopy } from './workspace-copy.js';
import { SessionFigures } from '../output/figures.js';
import { RunTable } from '../output/run-table.js';

/** Options of `palimpsest demo`, as the command line gives them. */
export interface DemoFlags {
  readonly logDir: string;
  readonly model?: string;
  readonly config?: string;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** Unit: model calls. */
const maxSteps = 200;
const testTimeoutMs = 120_000;

/**
 * Runs `palimpsest demo`: the agent with a scripted model on a copy of the sample project. Resolves to the exit status:
 * 0 when the project's tests pass after the run, 1 when they fail or the run failed, 3 and 4 when it was stuck or
 * reached a limit, and that of the signal that ended it.
 *
 * @throws {@link PalimpsestError} for bad input, before the run begins, and when the log cannot be written.
 */
export async function demoCommand(flags: DemoFlags, context: CliContext): Promise<number> {
  const { env, cwd, stdout, stderr, interrupts } = context;
  const warn = (text: string): void => void stderr.write(`palimpsest: ${printableLine(sliceText(text, 0, 2_000))}\n`);
  const plan = await samplePlan();
  const llm = flags.model === undefined ? offlineModel(plan) : await llmByName(flags.model, { env });
  const { condenser, notes } = await condenserOf(flags, env, llm);
  for (const { message } of notes) warn(`${flags.config ?? ''}: ${message}`);
  const logDirectory = resolve(cwd, flags.logDir);
  await makeLogDirectory(flags.logDir, logDirectory);
  const copy = await copyWorkspace(applicationFile('sample-project'));
  if (flags.keep === true) copy.keep();
  try {
    const print = (line: string): void => void stdout.write(`${line}\n`);
    const output = flags.json === true ? linesOfJson(print) : linesOfText(print, llm, context);
    const parts = { session: sessionIn(logDirectory, copy), llm, condenser };
    const report = await runDemo(plan, { copy, context, parts, follow: output.follow });
    output.end(report);
    // Nobody reads on where the reader of the output went away.
    const isReaderGone = report.ending === 'interrupted' && interrupts.exitStatus === readerGoneStatus;
    if (report.failure !== undefined && !isReaderGone) warn(report.failure);
    if (flags.keep === true) warn(`the copy of the project stays in ${copy.workspace.root}`);
    return statusOf(report, interrupts.exitStatus);
  } finally {
    if (flags.keep !== true) await copy.remove();
  }
}

/** Reads the plan of the scripted model, which is published beside the sample project. */
export async function samplePlan(): Promise<Plan> {
  return JSON.parse(await readFile(applicationFile('sample-project-plan.json'), 'utf8')) as Plan;
}

/**
 * Returns the default condenser of the reference agent with sizes for a short session. The sizes are a configuration, so that the harness
 * can replay the demo with them.
 */
export async function demoCondenser(): Promise<Condenser> {
  const { stages = [] } = await loadCondenserFile(applicationFile('demo.toml'));
  return defaultCondenser({ stages });
}

async function condenserOf(
  { config }: Pick<DemoFlags, 'config'>,
  env: CliContext['env'],
  llm: LLM,
): Promise<LoadedCondenser> {
  const byDefault = await demoCondenser();
  if (config === undefined) return { condenser: byDefault, notes: [] };
  return loadCondenserConfigFile(config, {
    defaultLLM: llm,
    llm: (name) => llmByName(name, { env }),
    defaultCondenser: byDefault,
  });
}

/** Returns a session whose log is a file of the folder for logs. Everything else of it goes with the copy of the project. */
function sessionIn(logDirectory: string, { folder: parent }: WorkspaceCopy): Session {
  const id = `demo-${newEventId()}`;
  const folder = join(parent, 'session');
  return {
    id,
    folder,
    // The store encodes no character of this id, so the file has the id's name.
    log: join(logDirectory, `${id}.jsonl`),
    outputs: join(folder, 'outputs'),
    files: join(folder, 'files'),
    store: fileEventStore({ directory: logDirectory }),
  };
}

interface DemoRun {
  readonly copy: WorkspaceCopy;
  readonly context: CliContext;
  readonly parts: Required<SessionParts>;
  /** Called with everything that happens. */
  readonly follow: (event: StreamEvent) => void;
}

/** Runs the agent on the copy, with every event in a log on disk, and then runs the project's tests. */
async function runDemo(plan: Plan, { copy, context, parts, follow }: DemoRun): Promise<DemoReport> {
  const { workspace, folder } = copy;
  const { interrupts, env } = context;
  // Not with the user's configuration: the demo is the same for everybody.
  const own = { ...context, cwd: workspace.root, env: { ...env, XDG_CONFIG_HOME: join(folder, 'config') } };
  const flags = { outputFormat: 'text', yolo: true, maxSteps } as const;
  const opened = await openSession(undefined, flags, own, {}, parts);
  let ending;
  try {
    ending = endingOf(await followedRun(opened, plan.task, follow, { interrupts }));
  } finally {
    await opened.close();
  }
  const tests = ending.ending === 'interrupted' ? undefined : await testsIn(copy, plan.test, context.interrupts.signal);
  const output = secretMask(apiKeys(env)).text(workspace.neutral(tests?.output ?? ''));
  return {
    ...new SessionFigures(opened.conversation.events).comparison,
    ...ending,
    conversationId: parts.session.id,
    model: parts.llm.model,
    logFile: parts.session.log,
    tests: tests && { exitStatus: tests.exitStatus ?? 1, output },
  };
}

function endingOf({ status, answer, error }: ResultEvent): Pick<DemoReport, 'answer' | 'ending' | 'failure'> {
  switch (status) {
    case 'done':
      return { ending: 'done', answer };
    case 'interrupted':
      return { ending: 'interrupted', failure: 'The run was interrupted.' };
    default:
      return {
        ending: status === 'stuck' || status === 'limit' ? status : 'error',
        failure: error?.message ?? `The run ended: ${status}.`,
      };
  }
}

/** Runs the tests. Undefined if that was interrupted: the user wants no more to happen. */
async function testsIn(
  { workspace }: WorkspaceCopy,
  command: string,
  signal: AbortSignal,
): Promise<CommandResult | undefined> {
  try {
    return await runCommand(workspace, command, { timeoutMs: testTimeoutMs, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Prints what the demo does. */
interface DemoOutput {
  readonly follow: (event: StreamEvent) => void;
  end(report: DemoReport): void;
}

/** Prints one line of JSON for each thing that happens, as in `--output-format stream-json`, and the report as the last. */
function linesOfJson(print: (line: string) => void): DemoOutput {
  return {
    follow: (event) => print(printableJson(event, 0)),
    end: (report) => print(printableJson({ type: 'demo-report', ...report }, 0)),
  };
}

function linesOfText(print: (line: string) => void, llm: LLM, { env, stdout, cwd }: CliContext): DemoOutput {
  const colors = coloursFor(stdout, env);
  const width = terminalWidth(stdout);
  const isScripted = llm.model === 'offline';
  // A script needs no time, so nobody waits for a line; and all of it fits a screen.
  const printer = new RunTable({ print, colors, width, isBrief: isScripted });
  const model = isScripted ? 'The model is a script; all else is real.' : `The model is ${printableLine(llm.model)}.`;
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

/**
 * Makes the folder of the log first, so that an error names it: the store would fail at its first read.
 *
 * @throws {@link UsageError} when no log can be written there.
 */
async function makeLogDirectory(name: string, directory: string): Promise<void> {
  try {
    await makeFolders(directory);
    if (!(await stat(directory)).isDirectory()) throw new Error(`'${directory}' is not a folder`);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new UsageError(`Cannot write logs to '${name}': ${(cause as Error).message}`, { cause });
  }
}
