import { wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, EventId, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { abortable } from '../abortable.js';
import { addressOf, agentError, endedBefore, interrupted, rejected } from './call-answers.js';
import { messageOf } from '../errors.js';
import { finalAnswerAfter, textOf } from '../model/final-answer.js';
import { noteOf, vetoOf } from '../hooks.js';
import type { Hooks } from '../hooks.js';
import { shownCharacters } from './output-limit.js';
import type { OutputLimit, ShownCharacters } from './output-limit.js';
import { limitedOutput } from './limited-output.js';
import type { LimitedOutputOptions } from './limited-output.js';
import { readOutputToolName } from './read-output-tool.js';
import type { SecretMask } from '../secrets/secret-mask.js';
import { emitTo } from '../step/event-sink.js';
import type { Emit, EventSink } from '../step/event-sink.js';
import { prepareCall } from './tool-call.js';
import type { PreparedCall, Toolset } from './tool-call.js';
import { toolEvent } from './tool-event.js';
import { runTool } from './tool-run.js';

/**
 * Options of {@link executeActions}. Each result is emitted as soon as it exists; the next call begins when the host has
 * taken it.
 */
export type ToolExecutionOptions = EventSink & {
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  /** The log as tools read it: {@link ToolContext}. */
  readonly log: Iterable<Event>;
  readonly event: (id: EventId) => Event | undefined;
  readonly signal?: AbortSignal;
  readonly hooks?: Hooks;
  /** The time limit of a call whose tool has no `timeoutMs`. Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 */
  readonly timeoutMs?: number;
  /** How many calls of tools marked `parallel` may run at the same time. @defaultValue 4 */
  readonly concurrency?: number;
  /** How much of an output the model is shown. @defaultValue 30000 characters, and a tenth of the window */
  readonly output?: OutputLimit;
  /** The model's window less its answer. Unit: tokens. @defaultValue not known: {@link OutputLimit} assumes 32000 */
  readonly contextWindow?: number;
  /** Hides values in the output of tools before it is cut or stored. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask;
};

const defaultTimeoutMs = 300_000;
const defaultConcurrency = 4;

/**
 * Carries out actions, and answers each of them: with the output of its tool, or with an `agent-error` that says why not.
 * Calls run one after another, in order; neighbouring calls of tools marked `parallel` run at the same time. A failing tool
 * stops nothing. After a successful finish, and once the signal is aborted, the remaining calls are answered as not run.
 * Resolves to the output of the finish tool, if it ran.
 */
export async function executeActions(
  actions: readonly ActionEvent[],
  options: ToolExecutionOptions,
): Promise<string | undefined> {
  let finalAnswer: string | undefined;
  const emit = emitTo(options);
  const shown = shownCharacters(options.output ?? {}, options.contextWindow, actions.length);
  const calls = actions.map((action) => ({ action, prepared: prepareCall(action.toolCall, options.tools) }));
  for (const group of groups(calls)) {
    const waiting = [...group];
    const isFinished = finalAnswer !== undefined;
    const next = async (call: Call): Promise<void> => {
      const { result, whole, failure } = await answer(call.action, call.prepared, isFinished, {
        ...options,
        shown,
        emit,
      });
      await emit(...(whole === undefined ? [result] : [whole, result]));
      if (failure !== undefined) throw failure.error;
      finalAnswer ??= finalAnswerAfter(result, undefined);
    };
    const work = async (): Promise<void> => {
      try {
        for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await next(call);
      } catch (error) {
        // If the host cannot take a result, no further call may begin, here or in a parallel worker.
        waiting.length = 0;
        throw error;
      }
    };
    const workers = Math.min(group.length, options.concurrency ?? defaultConcurrency);
    // All workers end before an error is thrown, so that no result is emitted after it.
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return finalAnswer;
}

interface Call {
  readonly action: ActionEvent;
  readonly prepared: PreparedCall;
}

/** Groups of neighbouring calls that may run at the same time. Any other call is a group of its own. */
function groups(calls: readonly Call[]): readonly (readonly Call[])[] {
  const all: Call[][] = [];
  let wasParallel = false;
  for (const call of calls) {
    const isParallel = call.prepared.type === 'executable' && call.prepared.tool.annotations?.parallel === true;
    if (isParallel && wasParallel) all.at(-1)?.push(call);
    else all.push([call]);
    wasParallel = isParallel;
  }
  return all;
}

async function answer(
  action: ActionEvent,
  prepared: PreparedCall,
  finished: boolean,
  options: CallOptions,
): Promise<Answer> {
  const { createEvent, signal, hooks } = options;
  if (prepared.type === 'refused') {
    const { said, ...rest } = await limitedText(action, prepared.reason, options);
    return { ...rest, result: agentError(action, said, createEvent) };
  }
  // The call could not be run when it was made, so nobody was asked to confirm it.
  if (action.executable === false) return { result: agentError(action, laterTool, createEvent) };
  if (finished) return { result: endedBefore(action, createEvent) };
  if (isAborted(signal)) return { result: interrupted(action, beforeRun, createEvent) };
  const { veto, note } = await verdictOn(action, prepared.input, options);
  if (isAborted(signal)) return { result: interrupted(action, beforeRun, createEvent) };
  if (veto !== undefined) return { result: rejected(action, { reason: veto, source: 'hook' }, createEvent) };
  const { result, ...rest } = await run(action, prepared, options);
  try {
    const remark = await abortable(hooks?.afterToolUse?.(action, result), signal);
    return { ...rest, result: withNotes(result, [note, remark?.note]) };
  } catch (error) {
    // The tool has run, and the log must say so, also when the hook fails.
    return { ...rest, result: withNotes(result, [note]), ...(isAborted(signal) ? {} : { failure: { error } }) };
  }
}

type CallOptions = ToolExecutionOptions & {
  readonly shown: ShownCharacters;
  readonly emit: Emit;
};

/** The result of a call, and the error of a hook after it. The result is emitted first. */
interface Answer {
  readonly result: ToolResultEvent;
  /** Emitted together with the result, before it. */
  readonly whole?: Event;
  readonly failure?: { readonly error: unknown };
}

const beforeRun = 'Not run: the run was interrupted before it.';
const laterTool = 'Not run: it could not be run when you called it. Call it again.';

async function run(
  action: ActionEvent,
  { tool, input, repaired }: Extract<PreparedCall, { readonly type: 'executable' }>,
  options: CallOptions,
): Promise<Answer> {
  const { createEvent, signal, shown } = options;
  const context = {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log: options.log,
    event: options.event,
    append: async (event: Event) => options.emit(wellFormedEvent(toolEvent(event, tool))),
    maxOutputCharacters: shown.most,
  };
  try {
    const timeoutMs = tool.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs;
    const given = await runTool(tool, input, context, { timeoutMs, signal });
    const whole = outputOf(given, tool.name);
    const output = options.secrets?.output(whole) ?? whole;
    const onRecord =
      repaired === undefined ? output : { ...output, details: { ...output.details, repairedArguments: repaired } };
    const { output: part, ...rest } = await limitedOutput(onRecord, limitOf(action, options));
    return { ...rest, result: createEvent('observation', { ...addressOf(action), ...observationFields(part) }) };
  } catch (error) {
    const masked = options.secrets?.text(messageOf(error)) ?? messageOf(error);
    const { said, ...rest } = await limitedText(action, masked, options);
    const result = isAborted(signal)
      ? interrupted(action, `The run was interrupted while it ran: ${said}`, createEvent)
      : agentError(action, said || 'The tool failed and did not say why.', createEvent);
    return { ...rest, result };
  }
}

/** An error message can hold a whole log, or the whole input. */
async function limitedText(
  action: ActionEvent,
  words: string,
  options: CallOptions,
): Promise<{ readonly said: string; readonly whole?: Event }> {
  const { output, ...rest } = await limitedOutput({ content: words }, limitOf(action, options));
  return { ...rest, said: typeof output.content === 'string' ? output.content : textOf(output.content) };
}

function limitOf(
  action: ActionEvent,
  { tools, output, shown, createEvent, signal }: CallOptions,
): LimitedOutputOptions {
  return { action, shown, store: output?.store, canRead: tools.has(readOutputToolName), createEvent, signal };
}

/**
 * The output of a tool. A tool may return nothing; any value that is not an output is an error for its author and for the
 * model.
 */
function outputOf(given: unknown, toolName: string): Exclude<ToolOutput, string> {
  if (given === undefined || given === null) return { content: '' };
  if (typeof given === 'string') return { content: given };
  const content: unknown = (given as { readonly content?: unknown }).content;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw new TypeError(
      `'${toolName}' ran, but answered with neither text nor { content }; what it answered is lost. Check what it did before you repeat it.`,
    );
  }
  return given as Exclude<ToolOutput, string>;
}

/** Calls the hook `beforeToolUse`. If the hook throws, the call is vetoed. */
async function verdictOn(
  action: ActionEvent,
  input: unknown,
  { hooks, signal }: ToolExecutionOptions,
): Promise<{ readonly veto?: string | undefined; readonly note?: string | undefined }> {
  try {
    const verdict = await abortable(hooks?.beforeToolUse?.(action, input), signal);
    return { veto: vetoOf(verdict), note: noteOf(verdict) };
  } catch (error) {
    return { veto: `The check before it failed: ${messageOf(error)}` };
  }
}

function withNotes(result: ToolResultEvent, notes: readonly (string | undefined)[]): ToolResultEvent {
  const extended = notes.flatMap((text) =>
    text === undefined ? [] : [{ type: 'text' as const, text: text.toWellFormed() }],
  );
  if (extended.length === 0) return result;
  if (result.type === 'observation') {
    return Object.freeze({ ...result, extendedContent: [...(result.extendedContent ?? []), ...extended] });
  }
  if (result.type === 'user-reject-observation') return result;
  return Object.freeze({ ...result, error: [result.error, ...extended.map(({ text }) => text)].join('\n') });
}

/** A function, because the value changes while a tool runs. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function observationFields({ content, isError, details }: Exclude<ToolOutput, string>) {
  return {
    content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    ...(isError === true ? { isError } : {}),
    details,
  };
}
