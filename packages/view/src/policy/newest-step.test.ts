import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { newestStep, View } from '../index.js';

test('the newest step is the last response with its results and the words behind it', () => {
  const log = logBuilder();
  log.user('go');
  log.call('read_file');
  log.batch([{ name: 'read_file' }, { name: 'read_file' }]);
  log.user('and then?');
  expect(newestStep(View.fromEvents(log.events))).toEqual({ start: 3, cutPoint: 3, sharesResponse: false });
});

test('without a response it is the last event, and an empty view has an empty one', () => {
  const log = logBuilder();
  log.user('a');
  log.user('b');
  expect(newestStep(View.fromEvents(log.events)).start).toBe(1);
  expect(newestStep(View.fromEvents([])).start).toBe(0);
});

test('where one response id stands on everything, it is the last call and its result', () => {
  const log = logBuilder();
  log.user('go');
  for (let step = 1; step <= 5; step++) log.call('read_file', {}, 'text', { llmResponseId: 'r' });
  expect(newestStep(View.fromEvents(log.events))).toEqual({ start: 9, cutPoint: 1, sharesResponse: true });
});
