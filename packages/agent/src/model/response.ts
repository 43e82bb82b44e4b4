import { isMeaningful } from '@palimpsest/events';
import type { ActionEvent, Event } from '@palimpsest/events';
import { endedNaturally } from '@palimpsest/llm-adapters';
import type { Completion, FinishReason } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import type { AgentOptions } from '../agent-options.js';
import { higherRisk } from '../confirmation.js';
import type { SecurityRisk } from '../confirmation.js';
import { cutCallReason, emptyAnswerNote, endOfAnswer, incompleteAnswerNote, note } from '../notes.prompt.js';
import type { StepOutcome } from '../outcome.js';
import { textOf } from '../state.js';
import { newIdFrom } from '../step.js';
import type { Step } from '../step.js';
import { prepareToolCall } from '../tool-calls/call.js';
import type { PreparedCall } from '../tool-calls/call.js';
import { executeToolCalls } from '../tool-calls/execution.js';
import type { CallWithFields } from '../tool-calls/requested-fields.js';
import { agentError } from '../tool-calls/results.js';
import { usageOf } from './call-cost.js';
import type { ModelAnswer } from './call.js';
import { receivedCalls } from './received-calls.js';

/**
 * Handles an answer of the model that is no refusal. All events of the answer, its usage included, are emitted as one batch before the
 * first call is executed: every prefix of the log has the whole answer or nothing of it.
 */
export async function handleResponse(answer: ModelAnswer, view: View, step: Step): Promise<StepOutcome> {
  const { createEvent } = step.agent;
  // The agent names the response, because servers repeat their ids or send none.
  const llmResponseId = newIdFrom(createEvent);
  const { events, ...response } = readResponse(answer, llmResponseId, step);
  const usage = createEvent('llm-usage', {
    ...usageOf(answer.completion, llmResponseId),
    estimatedInputTokens: view.tokens(),
    purpose: 'agent',
  });
  await step.emit(...answer.records, usage, ...events);
  return response.type === 'tool-calls' ? executeToolCalls(response.actions, step) : response;
}

/** A response as the agent reads it, and its events. The first that fits: whole calls, a cut answer, words, neither. */
type Response = { readonly events: readonly Event[] } & (
  | {
      readonly type: 'tool-calls';
      /** The calls to execute. The others are answered. */
      readonly actions: readonly ActionEvent[];
    }
  | { readonly type: 'incomplete'; readonly finishReason: FinishReason }
  | { readonly type: 'message'; readonly answer: string; readonly finishReason?: FinishReason }
  | { readonly type: 'no-answer' }
);

function readResponse(answer: ModelAnswer, llmResponseId: string, step: Step): Response {
  const { completion, maxOutputTokens } = answer;
  const { createEvent } = step.agent;
  const { begunAnswer } = step.state;
  const { finishReason } = completion;
  const isIncomplete = isIncompleteReason(finishReason);
  const { content, toolCalls: _calls, ...thinking } = withoutRole(completion);
  const calls = callEvents(answer, llmResponseId, step);
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
  if (!hasWords && begunAnswer.trim() === '') {
    return { type: 'no-answer', events: [message, note(emptyAnswerNote, createEvent)] };
  }
  const ending = endedNaturally(finishReason) ? {} : { finishReason };
  return { type: 'message', answer: `${begunAnswer}${textOf(content)}`, ...ending, events: [message] };
}

/** Words under any other reason are an answer. */
function isIncompleteReason(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'interrupted' || reason === 'paused';
}

/**
 * Makes the actions of a response. Thought and thinking stand on the first action, whether it can be run or not. A call that can never
 * be run is marked, and stays in the history. A call that was cut is one of these, and its result is among the events: no log holds the
 * one without the other.
 */
function callEvents(
  { completion, maxOutputTokens }: ModelAnswer,
  llmResponseId: string,
  { agent }: Step,
): { readonly events: readonly Event[]; readonly actions: readonly ActionEvent[] } {
  const { tools, readRequestedFields, createEvent, assessRisk } = agent;
  const { content, toolCalls: _calls, ...thinking } = withoutRole(completion);
  const cutReason = cutCallReason(completion, maxOutputTokens);
  const calls = receivedCalls(completion, createEvent).map(({ toolCall: received, isWhole }, index) => {
    const call = readRequestedFields(received);
    const { toolCall, stated } = call;
    const prepared: PreparedCall = isWhole ? prepareToolCall(toolCall, tools) : { type: 'refused', reason: cutReason };
    const action = createEvent('action', {
      thought: index === 0 ? content.filter(isMeaningful) : [],
      ...(index === 0 ? thinking : {}),
      toolCall,
      llmResponseId,
      ...(prepared.type === 'refused' ? { executable: false } : {}),
      ...riskOf(prepared, call, assessRisk),
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
  { stated, isAskedForRisk }: CallWithFields,
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

function withoutRole({ message }: Completion) {
  const { role: _role, ...rest } = message;
  return rest;
}
