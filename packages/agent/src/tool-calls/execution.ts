import { wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, Event, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import { usableWindow } from '../agent-options.js';
import { beginningOf, unconfirmed } from '../confirmation.js';
import { messageOf } from '../errors.js';
import { noteOf, vetoOf } from '../hooks.js';
import { callNotes } from '../notes.prompt.js';
import type { StepOutcome } from '../outcome.js';
import { answerAfter } from '../state.js';
import type { Step } from '../step.js';
import { prepareActions } from './call.js';
import type { PreparedAction, PreparedCall } from './call.js';
import { shownCharacters } from './output.js';
import type { ShownCharacters } from './output.js';
import { addressOf, agentError, endedBefore, interrupted, limitedOutput, limitedText, rejected } from './results.js';
import { runTool, toolEvent } from './run-tool.js';

const defaultConcurrency = 4;
const defaultTimeoutMs = 300_000;

/**
 * Executes the calls of actions, or none of them when one needs a confirmation that nobody has given. Each action is answered: with
 * the output of its tool, or with an `agent-error` that says why not. Calls run one after another, in order; neighbouring calls of
 * tools marked `parallel` run at the same time. A failing tool stops nothing. After a successful finish, and once the signal is
 * aborted, the remaining calls are answered as not run.
 */
export async function executeToolCalls(actions: readonly ActionEvent[], step: Step): Promise<StepOutcome> {
  const { agent, state, emit } = step;
  const calls = prepareActions(actions, agent.tools);
  const waiting = unconfirmed(calls, agent, state.confirmedActions);
  if (waiting.length > 0) return { type: 'awaiting-confirmation', actions: waiting };
  // Confirmed actions may be carried out by any process until the log says that one has begun. Actions that need no
  // confirmation begin when they are logged.
  if (actions.some(({ id }) => state.releasedActions.has(id))) await emit(beginningOf(actions, agent.createEvent));
  const window = usableWindow(agent);
  const room = window === undefined ? undefined : Math.max(1, window - (agent.maxOutputTokens ?? 0));
  const shown = shownCharacters(agent.output ?? {}, room, actions.length);
  let answer: string | undefined;
  for (const group of groupsOf(calls)) {
    const left = [...group];
    const response = { shown, isFinished: answer !== undefined };
    const next = async (call: PreparedAction): Promise<void> => {
      const { result, whole, failure } = await runToolCall(call, response, step);
      await emit(...(whole === undefined ? [result] : [whole, result]));
      if (failure !== undefined) throw failure.error;
      answer ??= answerAfter(result, undefined)?.text;
    };
    const work = async (): Promise<void> => {
      try {
        for (let call = left.shift(); call !== undefined; call = left.shift()) await next(call);
      } catch (error) {
        // If the host cannot take a result, no further call may begin, here or in a parallel worker.
        left.length = 0;
        throw error;
      }
    };
    const workers = Math.min(group.length, agent.toolConcurrency ?? defaultConcurrency);
    // All workers end before an error is thrown, so that no result is emitted after it.
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return answer === undefined ? { type: 'tool-calls' } : { type: 'tool-calls', answer };
}

/** Groups neighbouring calls that may run at the same time. Any other call is a group of its own. */
function groupsOf(calls: readonly PreparedAction[]): readonly (readonly PreparedAction[])[] {
  const all: PreparedAction[][] = [];
  let wasParallel = false;
  for (const call of calls) {
    const isParallel = call.prepared.type === 'executable' && call.prepared.tool.annotations?.parallel === true;
    if (isParallel && wasParallel) all.at(-1)?.push(call);
    else all.push([call]);
    wasParallel = isParallel;
  }
  return all;
}

interface CallingResponse {
  readonly shown: ShownCharacters;
  /** An earlier call of the response has ended the work. */
  readonly isFinished: boolean;
}

/** The result of a call, and the error of a hook after it. The result is emitted first. */
interface CallResult {
  readonly result: ToolResultEvent;
  /** Emitted together with the result, before it. */
  readonly whole?: Event;
  readonly failure?: { readonly error: unknown };
}

/** Runs one call with its hooks, or answers why not. */
async function runToolCall(
  { action, prepared }: PreparedAction,
  { shown, isFinished }: CallingResponse,
  step: Step,
): Promise<CallResult> {
  const { createEvent, hooks } = step.agent;
  const { signal } = step.options;
  if (prepared.type === 'refused') {
    const { said, ...rest } = await limitedText(prepared.reason, action, shown, step);
    return { ...rest, result: agentError(action, said, createEvent) };
  }
  if (action.executable === false) return { result: agentError(action, callNotes.notRunnable, createEvent) };
  if (isFinished) return { result: endedBefore(action, createEvent) };
  if (isAborted(signal)) return { result: interrupted(action, callNotes.beforeRun, createEvent) };
  const { veto, note } = await verdictOn(action, prepared.input, step);
  if (isAborted(signal)) return { result: interrupted(action, callNotes.beforeRun, createEvent) };
  if (veto !== undefined) return { result: rejected(action, { reason: veto, source: 'hook' }, createEvent) };
  const { result, ...rest } = await resultOf(action, prepared, shown, step);
  try {
    const remark = await untilAborted(hooks.afterToolUse?.(action, result), signal);
    return { ...rest, result: withNotes(result, [note, remark?.note]) };
  } catch (error) {
    // The tool has run, and the log must say so, also when the hook fails.
    return { ...rest, result: withNotes(result, [note]), ...(isAborted(signal) ? {} : { failure: { error } }) };
  }
}

/** Calls the hook `beforeToolUse`. If the hook throws, the call is vetoed. */
async function verdictOn(
  action: ActionEvent,
  input: unknown,
  { agent, state, options }: Step,
): Promise<{ readonly veto?: string | undefined; readonly note?: string | undefined }> {
  try {
    const isConfirmed = state.confirmedActions.has(action.id);
    const verdict = await untilAborted(agent.hooks.beforeToolUse?.(action, input, { isConfirmed }), options.signal);
    return { veto: vetoOf(verdict), note: noteOf(verdict) };
  } catch (error) {
    return { veto: `The check before it failed: ${messageOf(error)}` };
  }
}

/** Runs the tool, and makes the result of what it returns or throws: masked, then limited. */
async function resultOf(
  action: ActionEvent,
  { tool, input, repaired }: Extract<PreparedCall, { readonly type: 'executable' }>,
  shown: ShownCharacters,
  step: Step,
): Promise<CallResult> {
  const { createEvent, instrumentation, toolTimeoutMs } = step.agent;
  const { signal, secrets } = step.options;
  const context = {
    actionId: action.id,
    toolCallId: action.toolCall.id,
    log: step.events,
    event: step.events.get,
    append: async (event: Event) => step.emit(wellFormedEvent(toolEvent(event, tool))),
    maxOutputCharacters: shown.most,
  };
  try {
    const timeoutMs = tool.timeoutMs ?? toolTimeoutMs ?? defaultTimeoutMs;
    const execute = () => runTool(tool, input, context, { timeoutMs, signal });
    const given = await (instrumentation?.tool({ tool, action, input, secrets, signal }, execute) ?? execute());
    const whole = outputOf(given, tool.name);
    const output = secrets?.output(whole) ?? whole;
    const onRecord =
      repaired === undefined ? output : { ...output, details: { ...output.details, repairedArguments: repaired } };
    const { output: part, ...rest } = await limitedOutput(onRecord, action, shown, step);
    return { ...rest, result: createEvent('observation', { ...addressOf(action), ...observationFields(part) }) };
  } catch (error) {
    const masked = secrets?.text(messageOf(error)) ?? messageOf(error);
    const { said, ...rest } = await limitedText(masked, action, shown, step);
    const result = isAborted(signal)
      ? interrupted(action, `The run was interrupted while it ran: ${said}`, createEvent)
      : agentError(action, said || callNotes.noReason, createEvent);
    return { ...rest, result };
  }
}

/**
 * Reads the output of a tool. A tool may return nothing. Any value that is not an output is an error for its author and for the
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

function observationFields({ content, isError, details }: Exclude<ToolOutput, string>) {
  return {
    content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    ...(isError === true ? { isError } : {}),
    details,
  };
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
