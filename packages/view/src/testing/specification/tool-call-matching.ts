import type { Invariant } from './invariant.js';

/**
 * Every call that is sent is answered by the messages behind it, and every result answers a call. A call and its result in
 * place stay together, and a call that may still be answered in place stays with all that comes after it. The halves of a
 * late pair may part: the result then stands in the list unsent.
 */
export const toolCallMatching: Invariant = {
  name: 'tool-call matching',
  units: ({ batches }) =>
    batches.flatMap(({ state, first, pairs }) => {
      if (state === 'open') return [{ first, last: Infinity }];
      return state === 'sent' ? pairs : [];
    }),
  violations(messages) {
    const violations: string[] = [];
    let open: readonly string[] = [];
    for (const message of messages) {
      if (message.role === 'tool') {
        if (!open.includes(message.toolCallId)) violations.push(`the result of '${message.toolCallId}' has no call`);
        open = open.filter((id) => id !== message.toolCallId);
        continue;
      }
      if (open.length > 0) violations.push(`${open.join(', ')} are not answered at once`);
      open = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
    }
    return open.length > 0 ? [...violations, `${open.join(', ')} are not answered`] : violations;
  },
};
