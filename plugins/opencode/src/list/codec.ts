import { anthropicMessages } from '@palimpsest/messages';
import type { AnthropicTool, Codec } from '@palimpsest/messages';
import type { Piece } from './apart.js';

/**
 * Returns the codec of the pieces of opencode's messages: that of the Messages API, whose form they have. What opencode's own compaction
 * has written is never forgotten.
 */
export function opencodePieces(): Codec<Piece, AnthropicTool> {
  const anthropic = anthropicMessages() as Codec<Piece, AnthropicTool>;
  return {
    ...anthropic,
    name: 'opencode',
    read: (piece) => {
      const host = anthropic.read(piece);
      const isSummary = (piece as Partial<Piece> | null | undefined)?.isSummary === true;
      return isSummary ? { ...host, isBarrier: true } : host;
    },
  };
}
