import { isMeaningful } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event } from '@palimpsest/events';
import { endedNaturally } from '@palimpsest/llm-adapters';
import type { Completion, FinishReason } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import type { AgentOptions } from '../agent-options.js';
import { higherRisk } from '../confirmation.js';
import type { SecurityRisk } from '../confirmation.js';
import { note } from '../notes.prompt.js';
import type { StepOutcome } from '../outcome.js';
import { textOf } from '../state.js';
import { newIdFrom } from '../step.js';
import type { StepContext } from '../step.js';
import { prepareCall } from '../tool-calls/call.js';
import type { PreparedCall, Toolset } from '../tool-calls/call.js';
import { agentError, carryOut } from '../tool-calls/execution.js';
import type { AskingTools, TakenCall } from '../tool-calls/requested-fields.js';
import { usageOf } from './call-cost.js';
import type { ModelAnswer } from './call.js';
import { receivedCalls } from './received-calls.js';
import { cutCallReason, endOfAnswer, incompleteAnswerNote } from './streamed-answer.js';

/**
 * Acts on an answer of the model. All events of the answer, its usage included, are emitted as one batch before the first call
 * is carried out: every prefix of the log has the whole answer or nothing of it.
 */
export async function actOn(answer: ModelAnswer, view: View, step: StepContext): Promise<StepOutcome> {
  const { completion, maxOutputTokens, records } = answer;
  const { createEvent, tools, takeFields, emit, options, state } = step;
  const llmResponseId = newIdFrom(createEvent);
  const { assessRisk } = options;
  const { begunAnswer } = state;
  const { events, ...response } = eventsOfResponse(completion, {
    llmResponseId,
    maxOutputTokens,
    begunAnswer,
    tools,
    takeFields,
    createEvent,
    assessRisk,
  });
  const usage = createEvent('llm-usage', {
    ...usageOf(completion, llmResponseId),
    estimatedInputTokens: view.tokens(),
    purpose: 'agent',
  });
  await emit(...records, usage, ...events);
  return response.type === 'tool-calls' ? carryOut(response.actions, step) : response;
}

/** How the agent understands a response, and its events. The first that fits: whole calls, a cut answer, words, neither. */
export type Response = { readonly events: readonly Event[] } & (
  | {
      readonly type: 'tool-calls';
      /** The calls to carry out. The others are answered. */
      readonly actions: readonly ActionEvent[];
    }
  | { readonly type: 'incomplete'; readonly finishReason: FinishReason }
  | { readonly type: 'message'; readonly answer: string; readonly finishReason?: FinishReason }
  | { readonly type: 'no-answer' }
);

/** What a response is read with. */
export interface ResponseOptions {
  /** The id of the response in the log. */
  readonly llmResponseId: string;
  /** The maximum length of the answer that was asked for. Unit: tokens. Undefined: the adapter's. */
  readonly maxOutputTokens: number | undefined;
  /** The words of incomplete answers that this one goes on with. Empty if there are none. */
  readonly begunAnswer: string;
  readonly tools: Toolset;
  readonly takeFields: AskingTools['take'];
  readonly createEvent: CreateEvent;
  readonly assessRisk: AgentOptions['assessRisk'];
}

/**
 * The events of one response that is no refusal. The agent names the response, because servers repeat their ids or send none.
 * Thought and thinking stand on the first action, whether it can be run or not. A call that can never be run is marked, and stays
 * in the history. A call that was cut is one of these, and its result is among the events: no log holds the one without the other.
 */
export function eventsOfResponse(completion: Completion, options: ResponseOptions): Response {
  const { llmResponseId, createEvent, maxOutputTokens, begunAnswer } = options;
  const { finishReason } = completion;
  const isIncomplete = isIncompleteReason(finishReason);
  const { content, toolCalls: _calls, ...thinking } = withoutRole(completion);
  const calls = callEvents(completion, options);
  if (calls.events.length > 0) {
    const { events, actions } = calls;
    return isIncomplete && actions.length === 0
      ? { type: 'incomplete', finishReason, events }
      : { type: 'tool-calls', events, actions };
  }
  const end = endOfAnswer(completion, maxOutputTokens);
  const message = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content,
    llmResponseId,
    ...(isIncomplete ? { cutOff: { reason: `The answer ${end}.`, finishReason } } : {}),
    ...thinking,
  });
  const hasWords = content.some(isMeaningful);
  if (isIncomplete) {
    const told = finishReason === 'paused' ? [] : [note(incompleteAnswerNote(end, hasWords), createEvent)];
    return { type: 'incomplete', finishReason, events: [message, ...told] };
  }
  if (!hasWords && begunAnswer.trim() === '')
    return { type: 'no-answer', events: [message, note(correctionText, createEvent)] };
  const ending = endedNaturally(finishReason) ? {} : { finishReason };
  return { type: 'message', answer: `${begunAnswer}${textOf(content)}`, ...ending, events: [message] };
}

/** Words under any other reason are an answer. */
function isIncompleteReason(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'interrupted' || reason === 'paused';
}

/** The actions of a response, the results of those that were cut, and the actions that are to be carried out. */
function callEvents(
  completion: Completion,
  { llmResponseId, maxOutputTokens, tools, takeFields, createEvent, assessRisk }: ResponseOptions,
): { readonly events: readonly Event[]; readonly actions: readonly ActionEvent[] } {
  const { content, toolCalls: _calls, ...thinking } = withoutRole(completion);
  const cutReason = cutCallReason(completion, maxOutputTokens);
  const calls = receivedCalls(completion, createEvent).map(({ toolCall: received, isWhole }, index) => {
    const taken = takeFields(received);
    const { toolCall, stated } = taken;
    const prepared: PreparedCall = isWhole ? prepareCall(toolCall, tools) : { type: 'refused', reason: cutReason };
    const action = createEvent('action', {
      thought: index === 0 ? content.filter(isMeaningful) : [],
      ...(index === 0 ? thinking : {}),
      toolCall,
      llmResponseId,
      ...(prepared.type === 'refused' ? { executable: false } : {}),
      ...riskOf(prepared, taken, assessRisk),
      ...(stated.summary === undefined ? {} : { summary: stated.summary }),
    });
    return { action, isWhole };
  });
  const actions = calls.map(({ action }) => action);
  const cut = calls.flatMap(({ action, isWhole }) => (isWhole ? [] : [action]));
  return {
    events: [...actions, ...cut.map((action) => agentError(action, cutReason, createEvent))],
    actions: actions.filter((action) => !cut.includes(action)),
  };
}

/** The host can only raise what the model says. */
function riskOf(
  prepared: PreparedCall,
  { stated, isAskedForRisk }: TakenCall,
  assessRisk: AgentOptions['assessRisk'],
): { readonly securityRisk?: SecurityRisk } {
  if (assessRisk === undefined && !isAskedForRisk) return {};
  // A call that cannot be run is harmless.
  if (prepared.type === 'refused') return { securityRisk: 'low' };
  if (assessRisk === undefined) return { securityRisk: stated.risk ?? 'unknown' };
  const assessed = assessedRisk(prepared, assessRisk);
  return { securityRisk: stated.risk === undefined ? assessed : higherRisk(assessed, stated.risk) };
}

function assessedRisk(
  { tool, input }: Extract<PreparedCall, { readonly type: 'executable' }>,
  assessRisk: NonNullable<AgentOptions['assessRisk']>,
): SecurityRisk {
  try {
    const risk: unknown = assessRisk({ toolName: tool.name, input });
    return risk === 'low' || risk === 'medium' || risk === 'high' ? risk : 'unknown';
  } catch {
    return 'unknown';
  }
}

const correctionText =
  'Your last response held neither words nor a tool call. Call a tool to go on, or answer in words if the work is done.';

function withoutRole({ message }: Completion) {
  const { role: _role, ...rest } = message;
  return rest;
}
