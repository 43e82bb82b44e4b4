import { isErrorResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, EventId, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { messageOf } from './errors.js';
import { finishToolName } from './finish-tool.js';
import { noteOf, vetoOf } from './hooks.js';
import type { Hooks, Verdict } from './hooks.js';
import { limitedOutput } from './output-store.js';
import type { OutputLimit } from './output-store.js';
import { prepareCall } from './tool-call.js';
import type { PreparedCall, Toolset } from './tool-call.js';
import { runTool } from './tool-run.js';

/** What the execution of tool calls needs. */
export interface ToolExecutionOptions {
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  /** Called with each result as soon as it exists; the next call begins when it resolves. */
  readonly onEvent: (event: Event) => void | Promise<void>;
  /** What a tool is shown of the log: {@link ToolContext}. */
  readonly log: Iterable<Event>;
  readonly event: (id: EventId) => Event | undefined;
  readonly signal?: AbortSignal;
  readonly hooks?: Hooks;
  /** Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 for tools that name none */
  readonly timeoutMs?: number;
  /** How many calls may run side by side whose tools are marked `parallel`. @defaultValue 4 */
  readonly concurrency?: number;
  /** @defaultValue output stays whole */
  readonly output?: OutputLimit;
}

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
  const calls = actions.map((action) => ({ action, prepared: prepareCall(action.toolCall, options.tools) }));
  for (const group of groups(calls)) {
    const waiting = [...group];
    const isFinished = finalAnswer !== undefined;
    const work = async (): Promise<void> => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
        const result = await answer(call.action, call.prepared, isFinished, options);
        await options.onEvent(result);
        if (call.action.toolCall.name === finishToolName && !isErrorResult(result)) finalAnswer = textOf(result);
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

function textOf(result: ToolResultEvent): string {
  return toolResultContent(result)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

async function answer(
  action: ActionEvent,
  prepared: PreparedCall,
  finished: boolean,
  options: ToolExecutionOptions,
): Promise<ToolResultEvent> {
  const { createEvent, signal, hooks } = options;
  if (prepared.type === 'refused') return agentError(action, prepared.reason, createEvent);
  if (finished) return agentError(action, 'Not run: an earlier call of the same response ended the work.', createEvent);
  if (isAborted(signal)) return interrupted(action, 'Not run: the run was interrupted before it.', createEvent);
  const verdict = await verdictOn(action, prepared.input, hooks);
  const veto = vetoOf(verdict);
  if (veto !== undefined) return rejected(action, { reason: veto, source: 'hook' }, createEvent);
  const result = await run(action, prepared, options);
  const remark = await hooks?.afterToolUse?.(action, result);
  return withNotes(result, [noteOf(verdict), remark?.note]);
}

async function run(
  action: ActionEvent,
  { tool, input, repaired }: Extract<PreparedCall, { readonly type: 'executable' }>,
  options: ToolExecutionOptions,
): Promise<ToolResultEvent> {
  const { createEvent, signal } = options;
  const context = {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log: options.log,
    event: options.event,
    append: async (event: Event) => options.onEvent(event),
  };
  try {
    const timeoutMs = tool.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs;
    const given = await runTool(tool, input, context, { timeoutMs, signal });
    const output = typeof given === 'string' ? { content: given } : given;
    const onRecord =
      repaired === undefined ? output : { ...output, details: { ...output.details, repairedArguments: repaired } };
    const limited = await limitedOutput(onRecord, { actionId: action.id, toolName: tool.name }, options.output);
    return createEvent('observation', { ...addressOf(action), ...observationFields(limited) });
  } catch (error) {
    return isAborted(signal)
      ? interrupted(action, `The run was interrupted while it ran: ${messageOf(error)}`, createEvent)
      : agentError(action, messageOf(error) || 'The tool failed and did not say why.', createEvent);
  }
}

/** A hook that cannot say whether a call may run has not allowed it. */
async function verdictOn(action: ActionEvent, input: unknown, hooks: Hooks | undefined): Promise<Verdict> {
  try {
    return await hooks?.beforeToolUse?.(action, input);
  } catch (error) {
    return { veto: `The check before it failed: ${messageOf(error)}` };
  }
}

function withNotes(result: ToolResultEvent, notes: readonly (string | undefined)[]): ToolResultEvent {
  const extended = notes.flatMap((text) => (text === undefined ? [] : [{ type: 'text' as const, text }]));
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

/** The answer to an action that was not carried out, or not to its end. */
export function interrupted(action: ActionEvent, reason: string, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, `Interrupted. ${reason}`, createEvent);
}

/** The answer to an action that the framework could not carry out. */
export function agentError(action: ActionEvent, error: string, createEvent: CreateEvent): ToolResultEvent {
  return createEvent('agent-error', { ...addressOf(action), error });
}

/** The answer to an action that the user, or a hook in the user's place, did not allow. */
export function rejected(
  action: ActionEvent,
  { reason, source }: { readonly reason: string; readonly source: 'user' | 'hook' },
  createEvent: CreateEvent,
): ToolResultEvent {
  return createEvent('user-reject-observation', {
    ...addressOf(action),
    rejectionReason: reason,
    rejectionSource: source,
  });
}

function addressOf(action: ActionEvent) {
  return { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
}

function observationFields({ content, isError, details }: Exclude<ToolOutput, string>) {
  return {
    content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    ...(isError === true ? { isError } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
