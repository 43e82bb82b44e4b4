import { eventBaseSchema, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { isRelevanceDirective, relevanceDirectives } from './directive.js';
import { directive } from '../test-support/directive-builder.js';

test('a directive survives JSON, and what is read is equal', () => {
  const log = logBuilder();
  const issued = directive(log, log.call('read').result, { agentStepIndex: 2 });
  const read = parseEvent(JSON.parse(JSON.stringify(issued)));
  expect(read).toEqual(issued);
  expect(isRelevanceDirective(read)).toBe(true);
  expect(eventBaseSchema.safeParse(read).success).toBe(true);
});

test.each([
  ['no target', { targetEventId: undefined }],
  ['no text', { text: '' }],
  ['a user as its source', { source: 'user' }],
  ['a step that is no number', { agentStepIndex: 'three' }],
  ['another type', { type: 'relevance/other' }],
])('%s: not a directive', (_, change) => {
  const log = logBuilder();
  const issued = directive(log, log.call('read').result);
  const changed = { ...issued, ...change };
  expect(isRelevanceDirective(changed as unknown as Event)).toBe(false);
});

test('directives are listed in the order of issue, never among what the model reads, with or without a target', () => {
  const log = logBuilder();
  log.user('a task');
  const first = directive(log, log.call('read').result);
  const second = directive(log, { id: 'nowhere' });
  log.custom('acme/note');
  log.custom('relevance/directive', { broken: true });
  const view = View.fromEvents(log.events);
  expect(relevanceDirectives(view)).toEqual([first, second]);
  expect(relevanceDirectives(view.without(new Set([log.events[1]?.id ?? ''])))).toEqual([first, second]);
  expect([...view.events].some(({ id }) => id === first.id || id === second.id)).toBe(false);
  expect(JSON.stringify(view.toMessages())).not.toContain(first.summary);
});
