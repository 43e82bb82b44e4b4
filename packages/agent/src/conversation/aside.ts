import type { Event } from '@palimpsest/events';
import type { AttemptReport, View } from '@palimpsest/view';
import { isCondensation, untilAborted } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import type { CompletionRequest } from '@palimpsest/llm-adapters';
import { composedMessages } from '../model/composition.js';
import type { ConversationState } from '../conversation-state.js';
import { textOf } from '../model/final-answer.js';
import { newIdFrom } from '../new-id.js';
import { observedCompletion } from '../model/model-call.js';
import { recordedCost, usageOf } from '../model/call-cost.js';
import type { SecretMask } from '../secrets/mask.js';

/** An answer outside the conversation, and the events that record its cost. */
export interface AsideAnswer {
  readonly answer: string;
  readonly costs: readonly Event[];
}

/** Asks the model a question outside the conversation, with the view that a step would send now. */
export async function askAside(
  question: string,
  agent: Agent,
  state: ConversationState,
  secrets: SecretMask,
  signal: AbortSignal | undefined,
): Promise<AsideAnswer> {
  // Read together with the view that the condenser gets.
  const { standingWords: words, log } = state;
  const { view, costs } = await shownView(agent, state, signal);
  const tools = secrets.tools(agent.toolDefinitions);
  const render = agent.renderOptions(state);
  const messages = composedMessages(view, { words, log, render });
  const { cache } = agent.sentPrompts.toSend(messages, log, render);
  const request = {
    messages: [...messages, { role: 'user', content: [{ type: 'text', text: secrets.text(question) }] }],
    // With the same tools, so that the provider's cache is hit.
    ...(tools.length === 0 ? {} : { tools, toolChoice: 'none' as const }),
    ...(state.conversationId === undefined
      ? {}
      : // The question is sent once; the messages before it are sent again.
        { cache: { key: state.conversationId, ...cache, stableMessages: messages.length } }),
    signal,
  } satisfies CompletionRequest;
  const { llm, instrumentation } = agent;
  const { conversationId } = state;
  const call = { llm, instrumentation, purpose: 'aside', conversationId, secrets, signal };
  const completion = await observedCompletion(request, call);
  const usage = agent.createEvent('llm-usage', {
    ...usageOf(completion, newIdFrom(agent.createEvent)),
    purpose: 'aside',
  });
  return { answer: secrets.text(textOf(completion.message.content)), costs: [...costs, usage] };
}

/**
 * The condenser's view of the log. If the condenser returns a condensation, or fails, the question is asked with the whole
 * view: what it would forget can still be asked about. It is called without a window, so that only its own bounds make it
 * act. Its cost is recorded.
 */
async function shownView(
  { condenser, createEvent }: Agent,
  { view }: ConversationState,
  signal: AbortSignal | undefined,
): Promise<{ readonly view: View; readonly costs: readonly Event[] }> {
  if (condenser === undefined) return { view, costs: [] };
  const costs: Event[] = [];
  const reason = 'It was asked for a question beside the conversation, and nothing came of it.';
  const record = (told: Readonly<Record<string, unknown>> | undefined): void => {
    const paid = recordedCost(told);
    if (paid.data === undefined) return;
    costs.push(createEvent('condensation-attempt', { condenser: condenser.name, outcome: 'aside', reason, ...paid }));
  };
  try {
    const context = {
      preview: true,
      report: ({ data }: AttemptReport) => record(data),
      signal,
    };
    const condensed = await untilAborted((async () => condenser.condense(view, context))(), signal);
    if (!isCondensation(condensed)) return { view: condensed, costs };
    record(condensed.metadata);
    return { view, costs };
  } catch {
    signal?.throwIfAborted();
    return { view, costs };
  }
}
