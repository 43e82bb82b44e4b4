import type { ContentPart, Event } from '@palimpsest/events';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { RecordedSession } from './recorded-session.js';

/** A counter of the tokens of a text. */
export type TextCounter = (text: string) => number;

/** Text of a log may look like a control token; it is counted as text. */
const asText = { disallowedSpecial: new Set<string>() };

/** A tokenizer's time is quadratic in a run without white space, so long runs are cut; a cut adds at most one token. */
const longRun = /(\S{512}|\s{512})/u;

/** Returns a counter with the o200k vocabulary. It remembers each text, because most of a history is sent again and again. */
export function textCounter(): TextCounter {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = 0;
      for (const piece of text.split(longRun)) if (piece !== '') tokens += countTokens(piece, asText);
      known.set(text, tokens);
    }
    return tokens;
  };
}

const tokensPerPart = 4;
const tokensPerImage = 1_000;

/** Returns the size of each event of a session as {@link tokensOfEvent} counts it; 0 for internal events. Unit: tokens. */
export function eventTokens({ events, kinds }: RecordedSession, count: TextCounter): readonly number[] {
  return events.map((event, index) => (kinds[index] === 'internal' ? 0 : tokensOfEvent(event, count)));
}

/** Returns the size of an event, as the prompt meter counts it in a request. Unit: tokens. */
export function tokensOfEvent(event: Event, count: TextCounter): number {
  switch (event.type) {
    case 'system-prompt':
      return tokensPerPart + count(`${event.systemPrompt}${event.dynamicContext ?? ''}`);
    case 'message':
      return (
        tokensOfParts(event.content, count) +
        tokensOfParts(event.extendedContent, count) +
        tokensOfThinking(event, count)
      );
    case 'action': {
      const { name, arguments: text } = event.toolCall;
      return (
        tokensOfParts(event.thought, count) + tokensPerPart + count(`${name} ${text}`) + tokensOfThinking(event, count)
      );
    }
    case 'observation':
      return tokensOfParts(event.content, count) + tokensOfParts(event.extendedContent, count);
    case 'agent-error':
      return tokensPerPart + count(event.error);
    case 'user-reject-observation':
      return tokensPerPart + count(event.rejectionReason);
    case 'condensation-summary':
      return tokensPerPart + count(event.summary);
    default:
      return 0;
  }
}

function tokensOfParts(parts: readonly ContentPart[] = [], count: TextCounter): number {
  return parts.reduce(
    (sum, part) => sum + (part.type === 'text' ? tokensPerPart + count(part.text) : tokensPerImage),
    0,
  );
}

function tokensOfThinking(event: Extract<Event, { type: 'action' | 'message' }>, count: TextCounter): number {
  const { thinkingBlocks = [], reasoningItems = [], reasoningContent = '' } = event;
  const texts = [
    ...thinkingBlocks.map((block) =>
      'thinking' in block ? String(block.thinking) : 'data' in block ? String(block.data) : '',
    ),
    ...reasoningItems.map((item) => JSON.stringify(item.summary ?? '')),
    reasoningContent,
  ];
  return texts.reduce((sum, text) => sum + count(text), 0);
}
