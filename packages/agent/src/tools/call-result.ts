import { wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, Event, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { noteOf, vetoOf } from '../hooks.js';
import { textOf } from '../model/final-answer.js';
import type { Emit } from '../event-sink.js';
import { addressOf, agentError, endedBefore, interrupted, rejected } from './call-answers.js';
import { limitedOutput } from './limited-output.js';
import type { LimitedOutputOptions } from './limited-output.js';
import type { ShownCharacters } from './output-limit.js';
import { readOutputToolName } from './read-output-tool.js';
import type { PreparedCall } from './tool-call.js';
import { toolEvent } from './tool-event.js';
import type { ToolExecutionOptions } from './tool-execution-options.js';
import { runTool } from './tool-run.js';

/** An action, and what its call comes to. */
export interface PreparedAction {
  readonly action: ActionEvent;
  readonly prepared: PreparedCall;
}

type CallOptions = ToolExecutionOptions & {
  readonly shown: ShownCharacters;
  readonly emit: Emit;
  /** Whether an earlier call of the same response has ended the work. */
  readonly isFinished: boolean;
};

/** The result of a call, and the error of a hook after it. The result is emitted first. */
export interface CallResult {
  readonly result: ToolResultEvent;
  /** Emitted together with the result, before it. */
  readonly whole?: Event;
  readonly failure?: { readonly error: unknown };
}

const defaultTimeoutMs = 300_000;
/** Carries out one call, or answers why not. */
export async function callResult({ action, prepared }: PreparedAction, options: CallOptions): Promise<CallResult> {
  const { createEvent, signal, hooks } = options;
  if (prepared.type === 'refused') {
    const { said, ...rest } = await limitedText(action, prepared.reason, options);
    return { ...rest, result: agentError(action, said, createEvent) };
  }
  // The call could not be run when it was made, so nobody was asked to confirm it.
  if (action.executable === false) return { result: agentError(action, laterTool, createEvent) };
  if (options.isFinished) return { result: endedBefore(action, createEvent) };
  if (isAborted(signal)) return { result: interrupted(action, beforeRun, createEvent) };
  const { veto, note } = await verdictOn(action, prepared.input, options);
  if (isAborted(signal)) return { result: interrupted(action, beforeRun, createEvent) };
  if (veto !== undefined) return { result: rejected(action, { reason: veto, source: 'hook' }, createEvent) };
  const { result, ...rest } = await run(action, prepared, options);
  try {
    const remark = await untilAborted(hooks?.afterToolUse?.(action, result), signal);
    return { ...rest, result: withNotes(result, [note, remark?.note]) };
  } catch (error) {
    // The tool has run, and the log must say so, also when the hook fails.
    return { ...rest, result: withNotes(result, [note]), ...(isAborted(signal) ? {} : { failure: { error } }) };
  }
}

const beforeRun = 'Not run: the run was interrupted before it.';
const laterTool = 'Not run: it could not be run when you called it. Call it again.';

async function run(
  action: ActionEvent,
  { tool, input, repaired }: Extract<PreparedCall, { readonly type: 'executable' }>,
  options: CallOptions,
): Promise<CallResult> {
  const { createEvent, signal, shown, secrets, instrumentation } = options;
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
    const execute = () => runTool(tool, input, context, { timeoutMs, signal });
    const given = await (instrumentation?.tool({ tool, action, input, secrets, signal }, execute) ?? execute());
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
  { hooks, confirmed, signal }: ToolExecutionOptions,
): Promise<{ readonly veto?: string | undefined; readonly note?: string | undefined }> {
  try {
    const isConfirmed = confirmed?.has(action.id) === true;
    const verdict = await untilAborted(hooks?.beforeToolUse?.(action, input, { isConfirmed }), signal);
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
