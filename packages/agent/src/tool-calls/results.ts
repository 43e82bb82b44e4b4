import type { ActionEvent, ContentPart, CreateEvent, Event, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { callNotes } from '../notes.prompt.js';
import { textOf } from '../state.js';
import type { Step } from '../step.js';
import { finishToolName, readOutputToolName } from './built-in-tools.js';
import { excerptOf, wholeOutput } from './output.js';
import type { ShownCharacters, WholeOutputEvent } from './output.js';

/** Makes the result of an action that was not carried out, or not completely. */
export function interrupted(action: ActionEvent, reason: string, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, `Interrupted. ${reason}`, createEvent);
}

/** Makes the result of an action behind the finish. */
export function endedBefore(action: ActionEvent, createEvent: CreateEvent): ToolResultEvent {
  return agentError(action, callNotes.endedBefore, createEvent);
}

/** Makes the result of an action that the framework could not carry out. */
export function agentError(action: ActionEvent, error: string, createEvent: CreateEvent): ToolResultEvent {
  return createEvent('agent-error', { ...addressOf(action), error });
}

/** Makes the result of an action that the user rejected, or a hook on the user's behalf. */
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

/** Returns the fields with which a result names its call. */
export function addressOf(action: ActionEvent) {
  return { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
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
 * Limits an output to what is logged. Of a text above the limit, the beginning and the end are shown, with a handle of the whole
 * text. The whole text goes to the agent's store. It goes into the log if there is no store, or the store fails
 * (`details.outputStoreError` says why) or has not resolved when the signal is aborted.
 */
export async function limitedOutput(
  output: Exclude<ToolOutput, string>,
  action: ActionEvent,
  shown: ShownCharacters,
  { agent, options }: Step,
): Promise<LimitedOutput> {
  const toolName = action.toolCall.name;
  if (wholeOutputs.has(toolName)) return { output };
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = textOf(parts);
  if (text.length <= shown.most) return { output };
  const store = agent.output?.store;
  let handle: string | undefined;
  let failure = {};
  try {
    if (store !== undefined)
      handle = await untilAborted(store.put({ actionId: action.id, toolName, text }), options.signal);
  } catch (error) {
    failure = { outputStoreError: messageOf(error) };
  }
  const whole = handle === undefined ? wholeOutput(action, text, agent.createEvent) : undefined;
  const outputHandle = handle ?? whole?.id ?? '';
  const { head, tail, left } = excerptOf(text, shown.preview);
  const how = agent.tools.has(readOutputToolName)
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

/** Limits a text: an error message can hold a whole log, or the whole input. */
export async function limitedText(
  text: string,
  action: ActionEvent,
  shown: ShownCharacters,
  step: Step,
): Promise<{ readonly said: string; readonly whole?: Event }> {
  const { output, ...rest } = await limitedOutput({ content: text }, action, shown, step);
  return { ...rest, said: typeof output.content === 'string' ? output.content : textOf(output.content) };
}
