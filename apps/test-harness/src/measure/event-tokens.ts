import type { ContentPart, Event } from '@palimpsest/events';
import type { TextCounter } from '../replay/token-counter.js';
import type { RecordedSession } from './recorded-session.js';

const tokensPerPart = 4;
const tokensPerImage = 1_000;

/** The size of each event of a session, as the prompt meter counts it in a request; 0 for internal events. Unit: tokens. */
export function eventTokens({ events, kinds }: RecordedSession, count: TextCounter): readonly number[] {
  const ofParts = (parts: readonly ContentPart[] = []): number =>
    parts.reduce((sum, part) => sum + (part.type === 'text' ? tokensPerPart + count(part.text) : tokensPerImage), 0);
  const ofThinking = (event: Extract<Event, { type: 'action' | 'message' }>): number => {
    const blocks = event.thinkingBlocks ?? [];
    const items = event.reasoningItems ?? [];
    return (
      blocks.reduce(
        (sum, block) =>
          sum + count('thinking' in block ? String(block.thinking) : 'data' in block ? String(block.data) : ''),
        0,
      ) +
      items.reduce((sum, item) => sum + count(JSON.stringify(item.summary ?? '')), 0) +
      count(event.reasoningContent ?? '')
    );
  };
  const ofEvent = (event: Event): number => {
    switch (event.type) {
      case 'system-prompt':
        return tokensPerPart + count(`${event.systemPrompt}${event.dynamicContext ?? ''}`);
      case 'message':
        return ofParts(event.content) + ofParts(event.extendedContent) + ofThinking(event);
      case 'action': {
        const { name, arguments: text } = event.toolCall;
        return ofParts(event.thought) + tokensPerPart + count(`${name} ${text}`) + ofThinking(event);
      }
      case 'observation':
        return ofParts(event.content) + ofParts(event.extendedContent);
      case 'agent-error':
        return tokensPerPart + count(event.error);
      case 'user-reject-observation':
        return tokensPerPart + count(event.rejectionReason);
      default:
        return 0;
    }
  };
  return events.map((event, index) => (kinds[index] === 'internal' ? 0 : ofEvent(event)));
}
