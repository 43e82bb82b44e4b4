import type { Invariant } from './invariant.js';

/** A call has one result: the first. The others stay in the list, unsent, so that any of them may be cut off. */
export const observationUniqueness: Invariant = {
  name: 'observation uniqueness',
  units: () => [],
  violations(messages) {
    const answered = new Set<string>();
    return messages.flatMap((message) => {
      if (message.role !== 'tool') return [];
      if (answered.has(message.toolCallId)) return [`'${message.toolCallId}' is answered twice`];
      answered.add(message.toolCallId);
      return [];
    });
  },
};
