import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  Agent,
  Conversation,
  ConversationRunError,
  finishTool,
  LimitExceededError,
  secretMask,
} from '@palimpsest/agent';
import { newEventId } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { LLM } from '@palimpsest/llm-adapters';
import { observationLabel, recallTool, relevanceTool, withRecall } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import { incompletePhrase } from './output/failure-phrases.js';
import { testCommand } from './offline-model/sample-plan/steps.js';
import { demoTask, systemPrompt } from './prompts.js';
import { SessionFigures } from './output/figures.js';
import { UsageError } from './usage-error.js';
import type { Comparison } from './output/figures.js';
import { runCommand, workspaceTools } from '@palimpsest/tools';
import type { CommandResult, Workspace } from '@palimpsest/tools';

const maxIterations = 200;
const testTimeoutMs = 120_000;

/** Options of {@link runDemo}. */
export interface DemoOptions {
  /** The folder of the project to work on. */
  readonly workspace: Workspace;
  /** The folder of the event log; created if it does not exist. */
  readonly logDirectory: string;
  readonly llm: LLM;
  readonly condenser: Condenser;
  /** Gives the model the relevance tool, and labels by which it names results. @defaultValue false */
  readonly relevance?: boolean;
  /** Secrets by name. Their values are masked in every event. @defaultValue none */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Called with every event once it is in the log. */
  readonly onEvent?: (event: Event) => void;
  /** Ends the run early; the report covers what was done until then. */
  readonly signal?: AbortSignal;
}

/** How a demo ended. */
export interface DemoReport extends Comparison {
  readonly conversationId: string;
  readonly model: string;
  /** The event log, as an absolute path. */
  readonly logFile: string;
  /** The model's final words. */
  readonly answer?: string;
  /** How the run ended. */
  readonly ending: 'done' | 'stuck' | 'limit' | 'error' | 'interrupted';
  /** Why the run failed, when it did. */
  readonly failure?: string;
  /** The tests, run once more in the workspace after the agent had stopped; absent when the run was interrupted. */
  readonly tests?: { readonly exitStatus: number; readonly output: string };
}

/**
 * Runs an agent on the sample project, with every event in a log on disk, and then runs the project's tests.
 *
 * @throws {@link UsageError} when the log cannot be written there, and `EventStoreError` when that changes later.
 */
export async function runDemo(options: DemoOptions): Promise<DemoReport> {
  const { workspace, logDirectory, llm, condenser, onEvent, signal } = options;
  await assertLogDirectory(logDirectory);
  const secrets = secretMask(options.secrets ?? {});
  const tools = [...workspaceTools(workspace), finishTool()];
  const relevance =
    options.relevance === true
      ? {
          tools: [...tools, relevanceTool({ recall: true, apply: 'batched' }), recallTool({ condenser })],
          render: { labelObservation: observationLabel },
        }
      : { tools: withRecall(tools, { condenser }) };
  const conversation = await Conversation.open({
    agent: new Agent({ llm, systemPrompt, condenser, ...relevance }),
    conversationId: `demo-${newEventId()}`,
    store: fileEventStore({ directory: logDirectory }),
    limits: { maxIterations },
    secrets,
  });
  if (onEvent !== undefined) conversation.events.observe(onEvent);
  await conversation.send(demoTask);
  const ending = await runToTheEnd(conversation, signal);
  // Nobody goes on with it: a summary in the background would keep the process for nothing.
  await conversation.close();
  const tests = await testsAfter(ending.ending, workspace, signal);
  return {
    ...new SessionFigures(conversation.events).comparison,
    ...ending,
    conversationId: conversation.id,
    model: llm.model,
    // The store encodes no character of this id, so the file has the id's name.
    logFile: resolve(logDirectory, `${conversation.id}.jsonl`),
    ...(tests === undefined
      ? {}
      : { tests: { exitStatus: tests.exitStatus ?? 1, output: secrets.text(workspace.neutral(tests.output)) } }),
  };
}

/**
 * Checks the folder first, so that the error names an unusable folder; the store would fail at its first read. The store
 * makes the folder itself, because Node's recursive `mkdir` does not end below `/proc`.
 */
async function assertLogDirectory(directory: string): Promise<void> {
  try {
    const found = await nearestFolder(resolve(directory));
    if (!(await stat(found)).isDirectory()) throw new Error(`'${found}' is not a folder`);
    await access(found, constants.W_OK | constants.X_OK);
  } catch (error) {
    const cause = error as Error;
    throw new UsageError(`Cannot write logs to '${directory}': ${cause.message}`, { cause });
  }
}

/** The path if it exists, otherwise its nearest existing ancestor. */
async function nearestFolder(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  return exists || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Runs the tests. Whoever interrupts wants no more to happen. */
async function testsAfter(
  ending: DemoReport['ending'],
  workspace: Workspace,
  signal: AbortSignal | undefined,
): Promise<CommandResult | undefined> {
  if (ending === 'interrupted') return undefined;
  try {
    return await runCommand(workspace, testCommand, {
      timeoutMs: testTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  }
}

/** Reports a failed run instead of throwing: its log exists, and the tests still show the state of the work. */
async function runToTheEnd(
  conversation: Conversation,
  signal: AbortSignal | undefined,
): Promise<Pick<DemoReport, 'answer' | 'ending' | 'failure'>> {
  try {
    const outcome = await conversation.run(signal === undefined ? {} : { signal });
    if (outcome.status === 'paused') return { ending: 'interrupted', failure: 'The run was interrupted.' };
    if (outcome.status === 'stuck')
      return { ending: 'stuck', failure: `The run got nowhere: ${outcome.stuck ?? 'stuck'}.` };
    if (outcome.status === 'incomplete') return { ending: 'error', failure: incompletePhrase(outcome.finishReason) };
    return { ending: 'done', ...(outcome.answer === undefined ? {} : { answer: outcome.answer }) };
  } catch (error) {
    if (!ConversationRunError.isInstance(error)) throw error;
    const ending = LimitExceededError.isInstance(error.cause) ? 'limit' : 'error';
    return { ending, failure: error.message };
  }
}
