import {
  isMeaningful,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { ActionEvent, Event, Message } from '@palimpsest/events';

/**
 * Returns a log as messages, for tests of round trips: a view of it, where every call is followed by its results before
 * anything else. The real rendering is a view's, and this package does not depend on views.
 */
export function messagesOfLog(events: readonly Event[]): readonly Message[] {
  const messages: Message[] = [];
  const newest = events.findLast(({ type }) => type === 'system-prompt');
  let batch: ActionEvent | undefined;
  for (const event of events) {
    if (event.type === 'system-prompt') {
      const content = systemPromptContent(event);
      if (event === newest && content.length > 0) messages.unshift({ role: 'system', content });
    } else if (event.type === 'action') {
      const last = messages.at(-1);
      if (last?.role === 'assistant' && event.llmResponseId === batch?.llmResponseId) {
        messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), event.toolCall] };
        continue;
      }
      batch = event;
      messages.push({
        role: 'assistant',
        content: event.thought.filter(isMeaningful),
        toolCalls: [event.toolCall],
        ...thinkingOf(event),
      });
    } else if (event.type === 'observation') {
      const { toolCallId, toolName } = event;
      messages.push({ role: 'tool', toolCallId, toolName, content: toolResultContent(event) });
    } else if (event.type === 'message' && event.role === 'assistant') {
      const content = messageContent(event);
      if (content.length > 0) messages.push({ role: 'assistant', content, ...thinkingOf(event) });
    } else if (event.type === 'message' || event.type === 'condensation-summary') {
      const content = event.type === 'message' ? messageContent(event) : summaryContent(event);
      const last = messages.at(-1);
      if (content.length === 0) continue;
      if (last?.role === 'user')
        messages[messages.length - 1] = { role: 'user', content: [...last.content, ...content] };
      else messages.push({ role: 'user', content });
    }
  }
  return messages;
}

function thinkingOf(event: Pick<ActionEvent, 'thinkingBlocks' | 'reasoningItems' | 'reasoningContent'>) {
  const { thinkingBlocks, reasoningItems, reasoningContent } = event;
  return { thinkingBlocks, reasoningItems, reasoningContent };
}
