import type { Delta } from '@palimpsest/llm-adapters';
import type { TextStream } from './masked-stream.js';
import type { SecretMask } from './secret-mask.js';

/**
 * Hides values in a stream of deltas. A piece that may hold the beginning of a value waits for the next one: call `end` when
 * the answer is complete, and `cut` when it will not become complete. Pieces that wait at a `restart` are void, and dropped.
 */
export function maskedDeltas(
  mask: SecretMask,
  onDelta: (delta: Delta) => void,
): { readonly write: (delta: Delta) => void; readonly end: () => void; readonly cut: () => void } {
  // Text and thinking alternate; calls may be streamed in parallel.
  let words: { readonly kind: string; readonly stream: TextStream } | undefined;
  const calls = new Map<number, TextStream>();
  const endWords = (): void => {
    words?.stream.end();
    words = undefined;
  };
  const close = (how: 'end' | 'cut'): void => {
    words?.stream[how]();
    words = undefined;
    for (const call of calls.values()) call[how]();
    calls.clear();
  };
  const streamOf = (delta: Piece): TextStream => mask.stream((text) => onDelta(pieceLike(delta, text)));
  return {
    write(delta) {
      if (delta.type === 'restart') {
        words = undefined;
        calls.clear();
        return onDelta({ ...delta, reason: mask.text(delta.reason) });
      }
      if (delta.type !== 'tool-call') {
        if (words?.kind !== delta.type) {
          endWords();
          words = { kind: delta.type, stream: streamOf(delta) };
        }
        return words.stream.write(delta.text);
      }
      endWords();
      const { id, name, index } = delta;
      // The name is passed on at once.
      if (id !== undefined || name !== undefined) {
        const named = name === undefined ? {} : { name: mask.text(name) };
        onDelta({ type: 'tool-call', index, arguments: '', id, ...named });
      }
      const call = calls.get(index) ?? streamOf(delta);
      calls.set(index, call);
      call.write(delta.arguments);
    },
    end: () => close('end'),
    cut: () => close('cut'),
  };
}

type Piece = Exclude<Delta, { readonly type: 'restart' }>;

function pieceLike(delta: Piece, text: string): Delta {
  return delta.type === 'tool-call'
    ? { type: 'tool-call', index: delta.index, arguments: text }
    : { type: delta.type, text };
}
