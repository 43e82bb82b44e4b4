import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { View, condensation, protectedEventIds } from '../index.js';

const protectedIn = (log: ReturnType<typeof logBuilder>, options?: { readonly userWords: boolean }) => {
  const view = View.fromEvents(log.events);
  const ids = protectedEventIds(view, options);
  return [...view.events].flatMap(({ id }) => (ids.has(id) ? [id] : []));
};

test('the system prompt in force, and the first and the latest message whose source is the user', () => {
  const log = logBuilder();
  log.system('old');
  const first = log.user('first');
  log.agent('Done.');
  log.user('second');
  log.agent('Done.');
  const system = log.system('new');
  const third = log.user('third');
  expect(protectedIn(log)).toEqual([first.id, system.id, third.id]);
  expect(protectedIn(log, { userWords: false })).toEqual([system.id]);
});

test('what stands before the first answer: words of the host always, words of the user unless they are given up', () => {
  const log = logBuilder();
  const setUp = [log.environment('<rules>No tabs.</rules>'), log.environment('The branch is main.')];
  const words = [log.user('Read this first.'), log.user('Now fix it.')];
  const instruction = log.environment('# Environment', { hostText: 'instruction' });
  log.call('read');
  log.agent('Done.');
  log.user('And the docs?');
  log.agent('Done.');
  const latest = log.user('Thanks.');
  const ids = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
  expect(protectedIn(log)).toEqual(ids([...setUp, ...words, instruction, latest]));
  expect(protectedIn(log, { userWords: false })).toEqual(ids([...setUp, instruction]));
  // What was forgotten does not make later words of the host its set-up.
  log.condensation(log.events.slice(0, 8));
  log.environment('Two tests ran.');
  expect(protectedIn(log)).not.toContain(log.events.at(-1)?.id);
});

test('of later words of the host the newest of each kind, and of at most 20 kinds', () => {
  const log = logBuilder();
  log.user('Go.');
  log.agent('Done.');
  const remind = (text: string, hostText: 'instruction' | 'reminder' = 'reminder') =>
    log.environment(text, { hostText }).id;
  const opening = 'You have not used the list of tasks for some time';
  const list = [1, 2, 3].map((n) => remind(`<system-reminder>\n${opening}: ${n} left.</system-reminder>`));
  const other = remind(`<task-notification>${opening}.</task-notification>`);
  const instruction = remind(`<system-reminder>${opening}.</system-reminder>`, 'instruction');
  log.environment(opening);
  expect(protectedIn(log)).toEqual(['event-1', list.at(-1), other, instruction]);
  for (let kind = 0; kind < 20; kind++) remind(`Note ${kind}.`);
  expect(protectedIn(log)).toEqual(['event-1', ...log.events.slice(-20).map(({ id }) => id)]);
});

test("the user's messages that no finished turn has answered, of repeats the newest", () => {
  const log = logBuilder();
  const first = log.user('Look around.');
  log.call('read');
  log.agent('Done.');
  const task = log.user('Fix the parser.');
  log.call('read');
  log.user('Continue.');
  log.agent('I go on.', { llmResponseId: 'response' });
  log.observation(log.action('read', { llmResponseId: 'response' }), 'a');
  log.user('Do not touch the tests.');
  const steer = log.events.at(-1);
  log.agent('I was cut', { cutOff: { reason: 'interrupted' } });
  log.call('read');
  const again = log.user('Continue.');
  log.observation(log.action('finish'), 'It failed.', { isError: true });
  expect(protectedIn(log)).toEqual([first.id, task.id, steer?.id, again.id]);
  expect(protectedIn(log, { userWords: false })).toEqual([]);
  log.call('finish', {}, 'All done.');
  expect(protectedIn(log)).toEqual([first.id, again.id]);
  const next = log.user('Now the docs.');
  // The finish is known when it is forgotten.
  log.condensation(log.events.slice(10, -2));
  expect(protectedIn(log)).toEqual([first.id, next.id]);
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

/** Appends a `view/pin` event as an application does. */
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
