import type { Invariant } from './invariant.js';

/**
 * The calls of one model response are sent in one message, or not at all. From the first action to the last result in place
 * a batch stays together, with the words between them, which are sent after it.
 */
export const batchAtomicity: Invariant = {
  name: 'batch atomicity',
  units: ({ batches }) =>
    batches.flatMap(({ state, first, last }) =>
      state === 'open' ? [{ first, last: Infinity }] : state === 'sent' ? [{ first, last }] : [],
    ),
  violations(messages, { batches }) {
    const sizes = messages.flatMap((message) =>
      message.role === 'assistant' && message.toolCalls !== undefined ? [message.toolCalls.length] : [],
    );
    const expected = batches.flatMap(({ state, calls }) => (state === 'sent' ? [calls.length] : []));
    return expected.flatMap((size) => {
      const index = sizes.indexOf(size);
      if (index < 0) return [`no message has the ${size} calls of a batch`];
      sizes.splice(index, 1);
      return [];
    });
  },
};
