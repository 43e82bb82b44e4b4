import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { View, protectedEventIds } from './index.js';

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
