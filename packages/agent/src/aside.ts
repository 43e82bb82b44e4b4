import type { Event } from '@palimpsest/events';
import { isCondensation } from '@palimpsest/view';
import type { Agent } from './agent.js';
import type { ConversationState } from './conversation-state.js';

/** Asks the model something beside the conversation, from the view that it would be shown now. */
export async function askAside(
  question: string,
  agent: Agent,
  state: ConversationState,
  signal: AbortSignal | undefined,
): Promise<{ readonly answer: string; readonly usage: Event }> {
  const condensed = await agent.condenser?.condense(state.view, { report: () => undefined });
  // What the condenser would rather forget first is still there to be asked about.
  const view = condensed === undefined || isCondensation(condensed) ? state.view : condensed;
  const tools = agent.toolDefinitions;
  const completion = await agent.llm.complete({
    messages: [
      ...view.toMessages(agent.renderOptions(state)),
      { role: 'user', content: [{ type: 'text', text: question }] },
    ],
    // The same tools, so that the provider's cache still fits.
    ...(tools.length === 0 ? {} : { tools, toolChoice: 'none' }),
    ...(state.conversationId === undefined ? {} : { cache: { key: state.conversationId } }),
    ...(signal === undefined ? {} : { signal }),
  });
  const usage = agent.createEvent('llm-usage', {
    responseId: completion.responseId,
    model: completion.model,
    usage: completion.usage,
    ...(completion.costUsd === undefined ? {} : { costUsd: completion.costUsd }),
    purpose: 'aside',
  });
  const answer = completion.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { answer, usage };
}
