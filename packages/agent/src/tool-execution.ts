import { isErrorResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, EventId, ToolOutput, ToolResultEvent } from '@palimpsest/events';
import { messageOf } from './errors.js';
import { finishToolName } from './finish-tool.js';
import { prepareCall } from './tool-call.js';
import type { Toolset } from './tool-call.js';

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
}

/**
 * Answers every action, one after another in their order: by what its tool returns, or by an `agent-error` that says why
 * not. A failing tool stops nothing. After a finish that worked, and once the signal is aborted, the rest is answered as
 * not run. Resolves to what the finish tool answered, when it ran.
 */
export async function executeActions(
  actions: readonly ActionEvent[],
  options: ToolExecutionOptions,
): Promise<string | undefined> {
  let finalAnswer: string | undefined;
  for (const action of actions) {
    const result = await answer(action, finalAnswer !== undefined, options);
    await options.onEvent(result);
    if (action.toolCall.name === finishToolName && !isErrorResult(result)) finalAnswer = textOf(result);
  }
  return finalAnswer;
}

function textOf(result: ToolResultEvent): string {
  return toolResultContent(result)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

async function answer(action: ActionEvent, finished: boolean, options: ToolExecutionOptions): Promise<ToolResultEvent> {
  const { createEvent, signal } = options;
  const prepared = prepareCall(action.toolCall, options.tools);
  if (prepared.type === 'refused') return agentError(action, prepared.reason, createEvent);
  if (finished) return agentError(action, 'Not run: an earlier call of the same response ended the work.', createEvent);
  if (isAborted(signal)) return interrupted(action, 'Not run: the run was interrupted before it.', createEvent);
  try {
    const output = await prepared.tool.execute(prepared.input, {
      actionId: action.id,
      toolCallId: action.toolCall.id,
      ...(signal === undefined ? {} : { signal }),
      log: options.log,
      event: options.event,
      append: async (event) => options.onEvent(event),
    });
    return createEvent('observation', { ...addressOf(action), ...observationFields(output) });
  } catch (error) {
    return isAborted(signal)
      ? interrupted(action, `The run was interrupted while it ran: ${messageOf(error)}`, createEvent)
      : agentError(action, messageOf(error) || 'The tool failed and did not say why.', createEvent);
  }
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

function addressOf(action: ActionEvent) {
  return { toolName: action.toolCall.name, toolCallId: action.toolCall.id, actionId: action.id };
}

function observationFields(output: ToolOutput) {
  const { content, isError, details } = typeof output === 'string' ? { content: output } : { ...output };
  return {
    content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    ...(isError === true ? { isError } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
