import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { View, condensation, protectedEventIds } from './index.js';

test('the system prompt in force, and the first and the latest message whose source is the user', () => {
  const log = logBuilder();
  log.environment('Welcome.');
  log.system('old');
  log.user('first');
  log.user('second');
  log.system('new');
  log.user('third');
  log.environment('The branch changed.');
  const view = View.fromEvents(log.events);
  expect([...protectedEventIds(view)].sort()).toEqual(['event-3', 'event-5', 'event-6']);
});

test('of a view that lacks some, those that it has', () => {
  const log = logBuilder();
  expect(protectedEventIds(View.fromEvents(log.events)).size).toBe(0);
  log.user('only');
  expect([...protectedEventIds(View.fromEvents(log.events))]).toEqual(['event-1']);
  log.condensation(['event-1']);
  log.system();
  expect([...protectedEventIds(View.fromEvents(log.events))]).toEqual(['event-3']);
});

/** What an application's `view/pin` event looks like. */
const pin = (log: ReturnType<typeof logBuilder>, ...eventIds: readonly unknown[]) =>
  log.custom('view/pin', { eventIds });

test('what is pinned, as long as it is', () => {
  const log = logBuilder();
  for (let step = 0; step < 5; step++) log.agent(`step ${step}`);
  pin(log, 'event-2', 'event-4', 'unknown', 7);
  expect([...protectedEventIds(View.fromEvents(log.events))]).toEqual(['event-2', 'event-4']);
  log.custom('view/unpin', { eventIds: ['event-2'] });
  log.custom('view/pin', { eventIds: 'event-3' });
  expect([...protectedEventIds(View.fromEvents(log.events))]).toEqual(['event-4']);
});

test('a pinned call or result with all of its batch', () => {
  const log = logBuilder();
  log.call('before');
  const { actions, results } = log.batch([
    { name: 'a', result: 'A' },
    { name: 'b', result: 'B' },
  ]);
  log.call('after');
  const whole = [...actions, ...results].map(({ id }) => id);
  for (const pinned of whole) {
    const view = View.fromEvents([...log.events, log.create('view/pin', { source: 'user', eventIds: [pinned] })]);
    expect([...protectedEventIds(view)], pinned).toEqual(whole);
  }
});

test('a pinned late result with its call, and the other way round', () => {
  const log = logBuilder();
  const action = log.action('slow');
  log.call('next');
  const late = log.observation(action, 'at last');
  log.call('after');
  for (const pinned of [action.id, late.id]) {
    const view = View.fromEvents([...log.events, log.create('view/pin', { source: 'user', eventIds: [pinned] })]);
    const ids = protectedEventIds(view);
    expect(ids.has(action.id) && ids.has(late.id), pinned).toBe(true);
    expect(ids.size).toBe(2);
  }
});

test('a doubled call between a pinned call and its late result does not hide the one from the other', () => {
  const log = logBuilder();
  const action = log.action({ name: 'slow', id: 'call' });
  log.action({ name: 'slow', id: 'call' }, { llmResponseId: action.llmResponseId });
  log.call('next');
  const late = log.observation(action, 'at last');
  for (const pinned of [action.id, late.id]) {
    const view = View.fromEvents([...log.events, log.create('view/pin', { source: 'user', eventIds: [pinned] })]);
    const ids = protectedEventIds(view);
    expect(ids.has(action.id) && ids.has(late.id), pinned).toBe(true);
  }
});

test('what is pinned is neither forgotten nor masked by a condensation', () => {
  const log = logBuilder();
  const { action, result } = log.call('read', {}, 'the requirements');
  const other = log.call('read', {}, 'something else');
  log.agent('done');
  pin(log, result.id);
  const view = View.fromEvents(log.events);
  const done = condensation({
    view,
    start: 0,
    end: 4,
    redactions: [{ eventId: result.id, text: 'masked' }],
  });
  expect(done.forgottenEventIds).toEqual([other.action.id, other.result.id]);
  expect(done.redactions).toBeUndefined();
  const after = View.fromEvents([...log.events, done]);
  expect(after.events.slice(0, 2).map(({ id }) => id)).toEqual([action.id, result.id]);
  expect(after.leftOut.size).toBe(0);
});
