import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ContentPart, Message } from '@palimpsest/events';

/** The unit of all token counts: tokens of the o200k vocabulary. */
export const tokenUnit = 'o200k';

const tokensPerMessage = 4;
const tokensPerImage = 1_000;

/** Text of a log may look like a control token; it is counted as text. */
const asText = { disallowedSpecial: new Set<string>() };

/** A tokenizer's time is quadratic in a run without white space, so long runs are cut; a cut adds at most one token. */
function pieces(text: string): readonly string[] {
  return text.split(/(\S{512}|\s{512})/u).filter((piece) => piece !== '');
}

/** Counts the tokens of messages. Each text is counted once and remembered, since most is sent again and again. */
export interface TokenCounter {
  (messages: readonly Message[]): number;
}

/**
 * A counter with the o200k vocabulary: text, tool names, arguments and thinking, 4 tokens for each message's frame and
 * 1,000 for an image. Tools and other parts that are the same for every condenser are not counted.
 */
export function tokenCounter(): TokenCounter {
  const known = new Map<string, number>();
  const ofText = (text: string): number => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = 0;
      for (const piece of pieces(text)) tokens += countTokens(piece, asText);
      known.set(text, tokens);
    }
    return tokens;
  };
  const ofPart = (part: ContentPart): number =>
    part.type === 'text' ? ofText(part.text) : part.type === 'image' ? tokensPerImage : 0;
  return (messages) => {
    let total = 0;
    for (const message of messages) {
      total += tokensPerMessage;
      for (const part of message.content) total += ofPart(part);
      if (message.role !== 'assistant') continue;
      for (const call of message.toolCalls ?? []) total += ofText(call.name) + ofText(call.arguments);
      for (const block of message.thinkingBlocks ?? []) {
        if (block.type === 'thinking') total += ofText(block.thinking);
      }
      if (message.reasoningContent !== undefined) total += ofText(message.reasoningContent);
    }
    return total;
  };
}
