import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { View } from './index.js';
import { messageViolations } from './testing/index.js';

/** What other systems get wrong in a view. The numbers are those of the project's list of known defects. */

test('G10: one long loop of thinking and calls has cut points, so that half of it can go', () => {
  const log = logBuilder();
  log.user('a');
  const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
  log.call('run', {}, '1', { thinkingBlocks });
  for (let step = 0; step < 60; step++) log.call('run', { step }, `${step}`);
  const bound = View.fromEvents(log.events, { thinking: 'prefix-bound' });
  expect(bound.cutPoints.atOrAfter(60)).toBe(61);
  // Where a provider wants the whole turn, the loop stays whole until something in it was edited once.
  const turn = View.fromEvents(log.events, { thinking: 'latest-turn' });
  expect(turn.cutPoints.atOrAfter(2)).toBe(turn.events.length);
  log.condensation(['event-1'], { summary: 'S' });
  const after = View.fromEvents(log.events, { thinking: 'latest-turn' });
  expect(after.cutPoints.atOrAfter(60)).toBe(61);
  expect(messageViolations(after.toMessages())).toEqual([]);
});
