import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View, ViewProjection } from './index.js';
import { outline } from './testing/outline.js';

const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
const idsOf = (view: View) => [...view.events].map(({ id }) => id);

test('the same view object is handed out until something is appended', () => {
  const projection = new ViewProjection();
  const { view } = projection;
  expect(projection.view).toBe(view);
  projection.append(logBuilder().user('Go.'));
  expect(projection.view).not.toBe(view);
  expect([view.events.length, projection.view.events.length]).toEqual([0, 1]);
});

test('a request is unhandled until the next condensation, an empty one too', () => {
  const log = logBuilder();
  const handled = () => !View.fromEvents(log.events).unhandledCondensationRequest;
  expect(handled()).toBe(true);
  log.request();
  expect(handled()).toBe(false);
  log.user('Go.');
  expect(handled()).toBe(false);
  log.condensation([], { metadata: { reason: 'nothing-to-forget' } });
  expect(handled()).toBe(true);
});

test('types that are not known are kept aside and change nothing', () => {
  const log = logBuilder();
  log.user('Go.');
  const strange = { ...log.custom('acme/note'), type: 'from-a-newer-version' } as unknown as Event;
  const view = View.fromEvents([...log.events, { ...strange, id: 'newer' }]);
  expect(idsOf(view)).toEqual(['event-1']);
  expect([...view.internalEvents].map(({ type }) => type)).toEqual(['acme/note', 'from-a-newer-version']);
});

describe('summaries', () => {
  test('a later condensation forgets an earlier one’s summary by its id; else all stay', () => {
    const log = logBuilder();
    for (const text of ['a', 'b', 'c']) log.user(text);
    const first = log.condensation(['event-1'], { summary: 'S1', summaryOffset: 0 });
    const second = log.condensation(['event-2'], { summary: 'S2', summaryOffset: 1 });
    expect(idsOf(View.fromEvents(log.events))).toEqual([`${first.id}-summary`, `${second.id}-summary`, 'event-3']);
    const third = log.condensation([`${first.id}-summary`], { summary: 'S3' });
    const view = View.fromEvents(log.events);
    expect(idsOf(view)).toEqual([`${third.id}-summary`, `${second.id}-summary`, 'event-3']);
    expect([...view.condensations]).toEqual([first, second, third]);
    expect(view.events.at(0)).toEqual({
      type: 'condensation-summary',
      id: `${third.id}-summary`,
      timestamp: third.timestamp,
      source: 'environment',
      summary: 'S3',
      condensationId: third.id,
    });
  });

  test('an event with the id of a summary is ignored when it comes after, and forces another id when it was there', () => {
    const log = logBuilder();
    log.user('Go.');
    const { id } = log.condensation([], { summary: 'S' });
    log.summary('planted', { id: `${id}-summary` });
    const view = View.fromEvents(log.events);
    expect(idsOf(view)).toEqual(['event-1', `${id}-summary`]);
    expect([...view.notes]).toEqual([{ eventId: `${id}-summary`, note: expect.stringContaining('ignored') as string }]);

    log.revert(id);
    expect(outline(View.fromEvents(log.events).toMessages())).toEqual(['user: Go. planted']);

    const other = logBuilder();
    other.summary('planted', { id: 'c-summary' });
    other.condensation([], { id: 'c', summary: 'S' });
    expect(idsOf(View.fromEvents(other.events))).toEqual(['c-summary', 'c-summary-']);
  });

  test('the id of a summary does not depend on what comes after it, a revert of something else included', () => {
    const log = logBuilder();
    log.user('Go.');
    const kept = log.condensation([], { summary: 'kept' });
    log.summary('planted', { id: `${kept.id}-summary` });
    log.revert(log.condensation([], { summary: 'reverted' }));
    expect(idsOf(View.fromEvents(log.events))).toEqual(['event-1', `${kept.id}-summary`]);
  });
});

describe('revert', () => {
  test('the fold acts as if the condensation had never been', () => {
    const log = logBuilder();
    log.user('a');
    log.call('run', {}, 'long');
    const kept = log.condensation([], { redactions: [{ eventId: 'event-3', text: 'X' }] });
    const before = outline(View.fromEvents(log.events).toMessages());
    log.request();
    const undone = log.condensation(['event-2', 'event-3'], { summary: 'S', summaryOffset: 1 });
    expect(outline(View.fromEvents(log.events).toMessages())).toEqual(['user: a S']);
    const revert = log.revert(undone);
    const view = View.fromEvents(log.events);
    expect(outline(view.toMessages())).toEqual(before);
    expect([...view.condensations]).toEqual([kept]);
    expect([...view.internalEvents]).toEqual([kept, log.events[4], undone, revert]);
    expect(view.unhandledCondensationRequest).toBe(true);
    expect([...view.notes]).toEqual([]);
  });

  test('an older view keeps what it was', () => {
    const log = logBuilder();
    log.user('a');
    const projection = new ViewProjection();
    const condensation = log.condensation(['event-1']);
    for (const event of log.events) projection.append(event);
    const before = projection.view;
    projection.append(log.revert(condensation));
    expect([before.events.length, projection.view.events.length]).toEqual([0, 1]);
    expect([...before.condensations]).toEqual([condensation]);
  });

  test.each([
    ['no such event', () => 'no-such-event', 'there is no such condensation'],
    ['no condensation', () => 'event-1', 'there is no such condensation'],
    ['one that is reverted already', () => 'event-2', 'it is reverted already'],
  ])('of %s is noted and changes nothing', (_, target, note) => {
    const log = logBuilder();
    log.user('a');
    log.revert(log.condensation(['event-1']));
    const id = target();
    log.revert(id);
    const view = View.fromEvents(log.events);
    expect(idsOf(view)).toEqual(['event-1']);
    expect([...view.notes].map((one) => one.note)).toEqual([`cannot revert '${id}': ${note}`]);
  });

  test('thinking that was left out once does not come back; what the revert does not touch stays', () => {
    const log = logBuilder();
    log.user('a');
    log.call('run', {}, '1', { thinkingBlocks });
    log.user('b');
    log.call('run', {}, '2', { thinkingBlocks });
    const condensation = log.condensation(['event-4']);
    const lines = () =>
      outline(View.fromEvents(log.events).toMessages()).filter((line) => line.startsWith('assistant'));
    expect(lines()).toEqual(['assistant: T (call-1)', 'assistant: (call-2)']);
    log.call('run', {}, '3', { thinkingBlocks });
    log.revert(condensation);
    expect(lines()).toEqual(['assistant: T (call-1)', 'assistant: (call-2)', 'assistant: (call-3)']);
  });
});

test('thinking of a batch that is open at the revert is stale if the model had read a summary that is gone', () => {
  const log = logBuilder();
  log.user('a');
  const condensation = log.condensation([], { summary: 'S' });
  const call = log.action('run', { thinkingBlocks });
  log.revert(condensation);
  log.observation(call, '1');
  expect(outline(View.fromEvents(log.events).toMessages())).toEqual([
    'user: a',
    'assistant: (call-1)',
    'tool call-1: 1',
  ]);
});

test('thinking that never lost its prefix stays, whatever the fold without the reverted condensation would say', () => {
  const log = logBuilder();
  log.user('a');
  log.user('b');
  const first = log.condensation(['event-1']);
  log.call('run', {}, '1', { thinkingBlocks });
  log.condensation(['event-1']);
  log.revert(first);
  expect(outline(View.fromEvents(log.events).toMessages())).toEqual([
    'user: b',
    'assistant: T (call-1)',
    'tool call-1: 1',
  ]);
});

describe('size', () => {
  test('a long log of repeated ids and a revert of it, and a batch with many words inside, overflow nothing', () => {
    const log = logBuilder();
    const message = log.user('a');
    const repeated = Array.from({ length: 200_000 }, () => message);
    const condensation = log.create('condensation', { forgottenEventIds: [message.id] });
    const revert = log.create('condensation-revert', { condensationId: condensation.id });
    expect(View.fromEvents([...repeated, condensation, revert]).notes).toHaveLength(199_999);

    const action = log.action('run');
    const words = Array.from({ length: 200_000 }, (_, index) => ({ ...message, id: `word-${index}` }));
    const view = View.fromEvents([action, ...words, log.observation(action)]);
    expect(view.toMessages().map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect([...view.cutPoints]).toEqual([0, 200_002]);
  });
});

describe('an edit, of which only the part behind the last cut point before it is folded anew', () => {
  test('a response that waits behind what was forgotten counts as made before', () => {
    const log = logBuilder();
    const { action, result } = log.call('read', {}, 'text');
    const waiting = log.action('run', { thinkingBlocks });
    log.condensation([action, result, waiting], { summary: 'A file was read.', summaryOffset: 4 });
    log.observation(waiting, 'done');
    const messages = View.fromEvents(log.events).toMessages();
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(messages[0]).not.toHaveProperty('thinkingBlocks');
  });

  test('a batch whose late result is forgotten is still a unit', () => {
    const log = logBuilder();
    log.user('Look around.');
    const first = log.action('read', { llmResponseId: 'r1' });
    const second = log.action('list', { llmResponseId: 'r1' });
    log.observation(second, 'a list');
    log.agent('That took long.');
    const late = log.observation(first, 'a text');
    log.condensation([late]);
    const view = View.fromEvents(log.events);
    expect([...view.cutPoints]).toEqual([0, 1, 4, 5]);
    expect(view.leftOut.has(second.id)).toBe(false);
  });
});
