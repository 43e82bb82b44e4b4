import { createEvent } from '@palimpsest/events';
import type { ContentPart } from '@palimpsest/events';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import type { Codec } from '../codecs/codec.js';
import { loadedTools } from '../codecs/deferred-tools.js';
import type { FitOptions } from '../fit.js';
import { neutral } from '../log/history-log.js';
import type { Model } from '../model.js';

/**
 * The size of what is sent beside the view: the tools that the provider loads, and the tail. The instructions are an event of the log, so
 * they are a part of the view. Unit: tokens, as the view estimates.
 */
export function fixedTokens(
  { tools, tail = [] }: FitOptions,
  codec: Codec,
  { estimateTokens, maxPages }: Pick<Model, 'estimateTokens' | 'maxPages'>,
): number {
  const loaded = loadedTools(tools) ?? [];
  const ofTools =
    loaded.length === 0
      ? 0
      : estimateTokens(createEvent('system-prompt', { id: 'tools', systemPrompt: jsonOf(loaded) }));
  return tail.reduce<number>((sum, message) => {
    const content = neutral(codec.read(message), maxPages).pieces.flatMap(partsIn);
    return sum + estimateTokens(createEvent('message', { source: 'environment', role: 'user', content }));
  }, ofTools);
}

function partsIn(piece: Piece): readonly ContentPart[] {
  switch (piece.type) {
    case 'content':
      return [piece.part];
    case 'result':
      return piece.content.flatMap(partsIn);
    case 'call':
      return [{ type: 'text', text: piece.arguments }];
    default:
      return [];
  }
}

/** What cannot be written as JSON is no part of a request. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
