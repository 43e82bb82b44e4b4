import { summariseOldest } from './summarise-oldest.js';
import type { Rival } from './rival.js';

const [maxSize, keepFirst] = [120, 4];

/**
 * Above 120 events, a model summarises all but the first four and the newest ones, so that 60 are left, the summary included. An earlier
 * summary is replaced with the rest.
 *
 * Simplified: the words of the user and the system prompt stay, as for every condenser of ours; the model reads whole events.
 *
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6
 */
export const openhands: Rival = {
  name: 'rival:openhands',
  create: (llm) =>
    summariseOldest({
      name: openhands.name,
      llm,
      isDue: ({ events }) => events.length > maxSize,
      rangeOf: ({ events }) => {
        const size = Math.min(maxSize, events.length);
        const tail = Math.floor(size / 2) - keepFirst - 1;
        return { start: keepFirst, end: events.length - Math.max(0, tail) };
      },
    }),
};
