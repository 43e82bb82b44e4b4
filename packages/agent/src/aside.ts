import type { Event } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { isCondensation } from '@palimpsest/view';
import { abortable } from './abortable.js';
import type { Agent } from './agent.js';
import type { ConversationState } from './conversation-state.js';
import { wordsOf } from './final-answer.js';

/** Asks the model something beside the conversation, from the view that it would be shown now. */
export async function askAside(
  question: string,
  agent: Agent,
  state: ConversationState,
  signal: AbortSignal | undefined,
): Promise<{ readonly answer: string; readonly usage: Event }> {
  const view = await shownView(agent, state, signal);
  const tools = agent.toolDefinitions;
  const asked = agent.llm.complete({
    messages: [
      ...view.toMessages(agent.renderOptions(state)),
      { role: 'user', content: [{ type: 'text', text: question }] },
    ],
    // The same tools, so that the provider's cache still fits.
    ...(tools.length === 0 ? {} : { tools, toolChoice: 'none' }),
    ...(state.conversationId === undefined ? {} : { cache: { key: state.conversationId } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const completion = await abortable(asked, signal);
  const usage = agent.createEvent('llm-usage', {
    responseId: completion.responseId,
    model: completion.model,
    usage: completion.usage,
    ...(completion.costUsd === undefined ? {} : { costUsd: completion.costUsd }),
    purpose: 'aside',
  });
  return { answer: wordsOf(completion.message.content), usage };
}

/**
 * What the condenser would rather forget first is still there to be asked about, and one that fails keeps nobody from asking.
 * It is told no window, so that only its own bounds can make it act.
 */
async function shownView(
  { condenser }: Agent,
  { view }: ConversationState,
  signal: AbortSignal | undefined,
): Promise<View> {
  if (condenser === undefined) return view;
  try {
    const context = { report: () => undefined, ...(signal === undefined ? {} : { signal }) };
    const condensed = await abortable((async () => condenser.condense(view, context))(), signal);
    return isCondensation(condensed) ? view : condensed;
  } catch {
    signal?.throwIfAborted();
    return view;
  }
}
