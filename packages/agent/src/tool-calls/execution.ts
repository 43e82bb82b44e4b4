import { wellFormedEvent } from '@palimpsest/events';
import type {
  ActionEvent,
  ContentPart,
  CreateEvent,
  Event,
  EventId,
  ToolOutput,
  ToolResultEvent,
} from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import { beginningOf, unconfirmed } from '../confirmation.js';
import { messageOf } from '../errors.js';
import { noteOf, vetoOf } from '../hooks.js';
import type { Hooks } from '../hooks.js';
import type { Instrumentation } from '../instrumentation.js';
import { usableWindow } from '../model/composition.js';
import type { StepOutcome } from '../outcome.js';
import type { SecretMask } from '../secrets/mask.js';
import { answerAfter, textOf } from '../state.js';
import { emitTo } from '../step.js';
import type { Emit, EventSink, StepContext } from '../step.js';
import { finishToolName, readOutputToolName } from './built-in-tools.js';
import { prepareCall } from './call.js';
import type { PreparedCall, Toolset } from './call.js';
import { excerptOf, shownCharacters, wholeOutput } from './output.js';
import type { OutputLimit, OutputStore, ShownCharacters, WholeOutputEvent } from './output.js';
import { runTool, toolEvent } from './run-tool.js';

/** Carries out actions, or none of them when one needs a confirmation that nobody has given. */
export async function carryOut(actions: readonly ActionEvent[], step: StepContext): Promise<StepOutcome> {
  const { state, tools, createEvent, emit, hooks, log, secrets, signal } = step;
  const {
    llm,
    confirmation: policy = 'never',
    toolTimeoutMs,
    toolConcurrency,
    output,
    maxOutputTokens,
    instrumentation,
  } = step.options;
  const waiting = unconfirmed(actions, { policy, tools, confirmed: state.confirmedActions });
  if (waiting.length > 0) return { type: 'awaiting-confirmation', actions: waiting };
  // Confirmed actions may be carried out by any process until the log says that one has begun. Actions that need no
  // confirmation begin when they are logged.
  if (actions.some(({ id }) => state.releasedActions.has(id))) await emit(beginningOf(actions, createEvent));
  const window = usableWindow(llm, maxOutputTokens);
  const answer = await executeActions(actions, {
    tools,
    createEvent,
    onEvents: (batch) => emit(...batch),
    log: log.events,
    event: (id) => log.get(id),
    hooks,
    confirmed: state.confirmedActions,
    timeoutMs: toolTimeoutMs,
    concurrency: toolConcurrency,
    output,
    contextWindow: window === undefined ? undefined : Math.max(1, window - (maxOutputTokens ?? 0)),
    secrets,
    instrumentation,
    signal,
  });
  return answer === undefined ? { type: 'tool-calls' } : { type: 'tool-calls', answer };
}

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
    const next = async (call: PreparedAction): Promise<void> => {
      const { result, whole, failure } = await callResult(call, { ...options, shown, emit, isFinished });
      await emit(...(whole === undefined ? [result] : [whole, result]));
      if (failure !== undefined) throw failure.error;
      finalAnswer ??= answerAfter(result, undefined)?.text;
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

/** Groups of neighbouring calls that may run at the same time. Any other call is a group of its own. */
function groups(calls: readonly PreparedAction[]): readonly (readonly PreparedAction[])[] {
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

/** The parameters of {@link limitedOutput}. */
export interface LimitedOutputOptions {
  readonly action: ActionEvent;
  readonly shown: ShownCharacters;
  readonly store: OutputStore | undefined;
  /** Whether the model has {@link readOutputTool}. */
  readonly canRead: boolean;
  readonly createEvent: CreateEvent;
  readonly signal: AbortSignal | undefined;
}

/** An output as the model is shown it. */
export interface LimitedOutput {
  readonly output: Exclude<ToolOutput, string>;
  /** The event with the whole text, appended before the result. Undefined if the output is whole, or a store keeps the rest. */
  readonly whole?: WholeOutputEvent;
}

/** The output of these tools stays whole: one pages by itself, the other is the answer to the user. */
const wholeOutputs: ReadonlySet<string> = new Set([readOutputToolName, finishToolName]);

/**
 * The output as it is logged. Of a text above the limit, the beginning and the end are shown, with a handle of the whole
 * text. The whole text goes to the store. It goes into the log if there is no store, or the store fails
 * (`details.outputStoreError` says why) or has not resolved when the signal is aborted.
 */
export async function limitedOutput(
  output: Exclude<ToolOutput, string>,
  { action, shown, store, canRead, createEvent, signal }: LimitedOutputOptions,
): Promise<LimitedOutput> {
  const toolName = action.toolCall.name;
  if (wholeOutputs.has(toolName)) return { output };
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (text.length <= shown.most) return { output };
  let handle: string | undefined;
  let failure = {};
  try {
    if (store !== undefined) handle = await untilAborted(store.put({ actionId: action.id, toolName, text }), signal);
  } catch (error) {
    failure = { outputStoreError: messageOf(error) };
  }
  const whole = handle === undefined ? wholeOutput(action, text, createEvent) : undefined;
  const outputHandle = handle ?? whole?.id ?? '';
  const { head, tail, left } = excerptOf(text, shown.preview);
  const how = canRead
    ? `${readOutputToolName} with the handle '${outputHandle}' reads all ${text.length}.`
    : `All ${text.length} are kept as '${outputHandle}'; to see others of them, ask for less at a time.`;
  return {
    output: {
      ...output,
      content: [
        { type: 'text', text: `${head}\n[${left} characters are left out here. ${how}]\n${tail}` },
        ...parts.filter(({ type }) => type !== 'text'),
      ],
      details: { ...output.details, ...failure, outputHandle, outputCharacters: text.length },
    },
    whole,
  };
}

/** The answer to an action that was not carried out, or not completely. */
export function interrupted(action: ActionEvent, reason: string, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, `Interrupted. ${reason}`, createEvent);
}

/** The answer to an action of an earlier run that may have been carried out. */
export function lostResult(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  const reason = 'Its result was not recorded, and it was not run again. Check what it did before you repeat it.';
  return interrupted(action, reason, createEvent);
}

/** The answer to an action whose arguments held a secret that is not known any more. */
export function lostSecret(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  return interrupted(action, 'Not run: the log does not keep the secret in its arguments. Call it again.', createEvent);
}

/** The answer to an action behind the finish. */
export function endedBefore(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, 'Not run: an earlier call of the same response ended the work.', createEvent);
}

/** The answer to an action that the framework could not carry out. */
export function agentError(action: ActionEvent, error: string, createEvent: CreateEvent): ToolResultEvent {
  return createEvent('agent-error', { ...addressOf(action), error });
}

/** The answer to an action that the user rejected, or a hook on the user's behalf. */
export function rejected(
  action: ActionEvent,
  { reason, source }: { readonly reason: string; readonly source: 'user' | 'hook' },
  createEvent: CreateEvent,
): ToolResultEvent {
  return createEvent('user-reject-observation', {
    ...addressOf(action),
    rejectionReason: reason.trim() || 'No reason was given.',
    rejectionSource: source,
  });
}

/** The fields with which a result names its call. */
export function addressOf(action: ActionEvent) {
  return { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
}

/**
 * Options of `executeActions`. Each result is emitted as soon as it exists; the next call begins when the host has
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
  /** The actions that the user has confirmed, for the hooks. @defaultValue none */
  readonly confirmed?: ReadonlySet<EventId>;
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
  /** Observes the calls that are carried out. @defaultValue nobody does */
  readonly instrumentation?: Pick<Instrumentation, 'tool'>;
};
