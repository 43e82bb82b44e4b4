import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { View, ViewProjection, condensation } from './index.js';
import { messageViolations } from './testing/index.js';

/** What other systems get wrong in a view. The numbers are those of the project's list of known defects. */

test('G2: cut points are there for every log, with orphans, duplicates and results before their calls too', () => {
  const log = logBuilder();
  log.user('a');
  const { action, result } = log.call('run', {}, '1');
  log.observation(action, 'again');
  log.observation({ ...action, id: 'nowhere', toolCall: { ...action.toolCall, id: 'of-nobody' } }, 'orphan');
  log.agent('b');
  const view = View.fromEvents(log.events);
  expect([...view.cutPoints]).toEqual([0, 1, 4, 5, 6]);
  expect(view.indexOf(result.id)).toBe(2);
  expect(messageViolations(view.toMessages())).toEqual([]);
});

test('G6: an offset means the same whether the view was kept up to date or read again from the log', () => {
  const log = logBuilder();
  log.user('a');
  // Without a result: it stays in the list, and is not sent.
  log.action('run');
  log.agent('b');
  log.call('run', {}, '1');
  log.user('c');
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const made = [projection.view, View.fromEvents(log.events)].map((view) =>
    condensation({ view, start: 3, end: 5, summary: 'S' }),
  );
  expect(made[0]?.summaryOffset).toBe(3);
  expect(made[1]?.summaryOffset).toBe(3);
  for (const event of made) {
    const running = new ViewProjection();
    for (const logged of [...log.events, event]) running.append(logged);
    const replayed = View.fromEvents([...log.events, event]);
    expect([...running.view.events]).toEqual([...replayed.events]);
    expect([...replayed.events].map(({ type }) => type)).toEqual([
      'message',
      'action',
      'message',
      'condensation-summary',
      'message',
    ]);
  }
});

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
