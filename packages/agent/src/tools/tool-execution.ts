import { wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, EventId, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { abortable } from '../abortable.js';
import { addressOf, agentError, endedBefore, interrupted, rejected } from './call-answers.js';
import { messageOf } from '../errors.js';
import { answerAfter, wordsOf } from '../model/final-answer.js';
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

/** What the execution of tool calls needs. Each result is emitted as soon as it exists; the next call begins when the host has taken it. */
export type ToolExecutionOptions = EventSink & {
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  /** What a tool is shown of the log: {@link ToolContext}. */
  readonly log: Iterable<Event>;
  readonly event: (id: EventId) => Event | undefined;
  readonly signal?: AbortSignal;
  readonly hooks?: Hooks;
  /** Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 for tools that name none */
  readonly timeoutMs?: number;
  /** How many calls may run side by side whose tools are marked `parallel`. @defaultValue 4 */
  readonly concurrency?: number;
  /** How much of an output the model is shown. @defaultValue 30000 characters, and a tenth of the window */
  readonly output?: OutputLimit;
  /** The model's window less its answer. Unit: tokens. @defaultValue not known, which {@link OutputLimit} takes for 32000 */
  readonly contextWindow?: number;
  /** Hides values in what tools answer, before it is cut or kept elsewhere. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask;
};

const defaultTimeoutMs = 300_000;
const defaultConcurrency = 4;

/**
 * Answers every action: by what its tool returns, or by an `agent-error` that says why not. Calls run one after another in
 * their order; neighbours whose tools are marked `parallel` run side by side, and each result is told as soon as it exists.
 * A failing tool stops nothing. After a finish that worked, and once the signal is aborted, the rest is answered as not run.
 * Resolves to what the finish tool answered, when it ran.
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
      finalAnswer ??= answerAfter(result, undefined);
    };
    const work = async (): Promise<void> => {
      try {
        for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await next(call);
      } catch (error) {
        // What the log cannot hold must not be begun either, here or by a neighbour.
        waiting.length = 0;
        throw error;
      }
    };
    const workers = Math.min(group.length, options.concurrency ?? defaultConcurrency);
    // All of them end before an error is passed on, so that no result is told after it.
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return finalAnswer;
}

interface Call {
  readonly action: ActionEvent;
  readonly prepared: PreparedCall;
}

/** Neighbours that may run side by side, and every other call by itself. */
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
    const { said, ...rest } = await limitedWords(action, prepared.reason, options);
    return { ...rest, result: agentError(action, said, createEvent) };
  }
  // Nobody was asked to confirm it, because it could not be run then.
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
    // The tool has done its work, and the log must say so, whatever became of the hook.
    return { ...rest, result: withNotes(result, [note]), ...(isAborted(signal) ? {} : { failure: { error } }) };
  }
}

type CallOptions = ToolExecutionOptions & {
  readonly shown: ShownCharacters;
  readonly emit: Emit;
};

/** The result of a call, and what a hook threw after it: the result is told first. */
interface Answer {
  readonly result: ToolResultEvent;
  /** Told before the result. */
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
    const { said, ...rest } = await limitedWords(action, masked, options);
    const result = isAborted(signal)
      ? interrupted(action, `The run was interrupted while it ran: ${said}`, createEvent)
      : agentError(action, said || 'The tool failed and did not say why.', createEvent);
    return { ...rest, result };
  }
}

/** What is said of a failure can hold a whole log, or the whole input. */
async function limitedWords(
  action: ActionEvent,
  words: string,
  options: CallOptions,
): Promise<{ readonly said: string; readonly whole?: Event }> {
  const { output, ...rest } = await limitedOutput({ content: words }, limitOf(action, options));
  return { ...rest, said: typeof output.content === 'string' ? output.content : wordsOf(output.content) };
}

function limitOf(
  action: ActionEvent,
  { tools, output, shown, createEvent, signal }: CallOptions,
): LimitedOutputOptions {
  return { action, shown, store: output?.store, canRead: tools.has(readOutputToolName), createEvent, signal };
}

/** A tool that only does something may return nothing. What is no output is an error for its author and for the model. */
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

/** A hook that cannot say whether a call may run has not allowed it. */
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

/** A function, because it changes while a tool runs. */
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
