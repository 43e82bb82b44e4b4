import { knownThinking } from '@palimpsest/events';
import { carriesThinking } from '../../stale-thinking.js';
import type { BatchFacts } from './list-facts.js';
import type { Atom, Invariant } from './invariant.js';

/**
 * A tool loop is a batch with thinking and the batches without that follow it with no words between, late pairs included.
 * A provider that checks the latest turn wants the thinking at its start, so a loop stays together. Thinking that went stale
 * holds nothing together. Holds for the mode `latest-turn` alone.
 *
 * @see provider-rules A.5 and A16
 */
export const toolLoopAtomicity: Invariant = {
  name: 'tool-loop atomicity',
  units({ sent, batches }, { stale }) {
    const loops: Atom[] = [];
    let loop: Atom | undefined;
    const end = (): void => {
      if (loop !== undefined) loops.push(loop);
      loop = undefined;
    };
    const open = batches
      .filter(({ state }) => state === 'open')
      .map((batch) => ({ kind: 'open', index: batch.first, batch }) as const);
    for (const item of inOrder([...sent, ...open])) {
      if (item.kind === 'words') end();
      else if (item.kind === 'late') loop = loop && { first: loop.first, last: item.index };
      else {
        const last = item.kind === 'open' ? Infinity : item.batch.last;
        if (carriesThinking(item.batch.carrier)) {
          end();
          loop = stale.has(item.batch.carrier.id) ? undefined : { first: item.batch.first, last };
        } else loop = loop && { first: loop.first, last };
      }
    }
    end();
    return loops;
  },
  violations(messages, { batches }) {
    const sent = new Set(
      messages.flatMap((message) => (message.role === 'assistant' ? (message.thinkingBlocks ?? []) : [])),
    );
    return batches
      .filter(
        ({ state, carrier }) =>
          state === 'sent' &&
          carriesThinking(carrier) &&
          (knownThinking(carrier).thinkingBlocks ?? []).some((block) => !sent.has(block)),
      )
      .map(({ carrier }) => `the thinking of ${carrier.id} is not sent`);
  },
};

/** An open batch comes last of all that was sent before it; words behind its first action are sent after it. */
function inOrder<Item extends { readonly kind: string; readonly index: number; readonly batch?: BatchFacts }>(
  items: readonly Item[],
): readonly Item[] {
  const open = items.find(({ kind }) => kind === 'open');
  if (open === undefined) return items;
  const before = items.filter((item) => item !== open && item.index < open.index);
  return [...before, open];
}
