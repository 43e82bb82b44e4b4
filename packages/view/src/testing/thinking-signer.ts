import type { Event, EventId, Message, ThinkingBlock } from '@palimpsest/events';
import { callHistory, withoutRepeatedIds } from './call-history.js';
import { sentParts, sentThinking } from './sent-parts.js';

/** The facts of a block that its provider remembers: everything that stood before it, and the block before it. */
interface Signature {
  readonly prefix: string;
  readonly previous: ThinkingBlock | undefined;
}

/**
 * A provider that binds thinking to its prefix, simulated: it signs what a model call makes and checks what later requests send
 * back. Parts are compared in their canonical form. Other thinking is no part of the prefix, but the block before it is.
 *
 * @see provider-rules A.6 and A17
 */
export class ThinkingSigner {
  readonly #signatures = new Map<ThinkingBlock, Signature>();
  readonly #leftOut = new Set<ThinkingBlock>();

  /** Signs the thinking that an event brings, made in answer to a request. */
  sign(event: Event, request: readonly Message[]): void {
    if (event.type !== 'action' && event.type !== 'message') return;
    let previous = sentThinking(request).at(-1)?.block;
    for (const block of event.thinkingBlocks ?? []) {
      this.#signatures.set(block, { prefix: JSON.stringify(sentParts(request)), previous });
      previous = block;
    }
  }

  /** The blocks of a request that do not verify. */
  refused(request: readonly Message[]): readonly ThinkingBlock[] {
    const parts = sentParts(request);
    const thinking = sentThinking(request);
    return thinking
      .filter(({ block, partsBefore }, index) => {
        const signature = this.#signatures.get(block);
        const previous = thinking[index - 1]?.block;
        return (
          signature?.prefix !== JSON.stringify(parts.slice(0, partsBefore)) ||
          (previous !== undefined && previous !== signature.previous)
        );
      })
      .map(({ block }) => block);
  }

  /**
   * The blocks that a request leaves out for the first time, though they would verify. `complete` is the same request with
   * all thinking. What one request did not hold may not come back, so it is not asked for again.
   */
  leftOutInVain(request: readonly Message[], complete: readonly Message[]): readonly ThinkingBlock[] {
    const parts = sentParts(complete);
    const sent = new Set(sentThinking(request).map(({ block }) => block));
    let previous: ThinkingBlock | undefined;
    const inVain = sentThinking(complete).filter(({ block, partsBefore }) => {
      const before = previous;
      if (sent.has(block)) previous = block;
      if (sent.has(block) || this.#leftOut.has(block)) return false;
      const signature = this.#signatures.get(block);
      const isSamePrefix = signature?.prefix === JSON.stringify(parts.slice(0, partsBefore));
      return isSamePrefix && (before === undefined || before === signature.previous);
    });
    for (const block of this.#signatures.keys()) if (!sent.has(block)) this.#leftOut.add(block);
    return inVain.map(({ block }) => block);
  }
}

/**
 * Returns the positions of a log at which a model was called: those of the first assistant event of each response, as
 * the log was when the event came.
 */
export function modelCalls(log: readonly Event[]): readonly number[] {
  const seen = new Set<EventId>();
  return log.flatMap((event, position) => {
    if (seen.has(event.id)) return [];
    seen.add(event.id);
    if (event.type !== 'action' && !(event.type === 'message' && event.role === 'assistant')) return [];
    const { responses } = callHistory(withoutRepeatedIds(log.slice(0, position + 1)));
    return responses.get(event.id) === event.id ? [position] : [];
  });
}
