import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { eventText } from './authoring/model/event-text.js';
import { selectConversationWindow } from './conversation-window/conversation-window.js';
import { readFacts } from './digest/facts/event-facts.js';
import { Manifest } from './digest/facts/manifest.js';
import { wordsOfEvent } from './digest/facts/words-of-event.js';
import { timelineOf } from './sliding-window/timeline.js';

const text = (words: string) => [{ type: 'text' as const, text: words }];
const hint = createEvent('message', { source: 'acme/hook', role: 'user', content: text('Use spec/.') });
const review = createEvent('message', { source: 'user', role: 'acme/critic', content: text('Well done.') });

function someLog(): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Go.');
  log.add(hint);
  log.call('read', { path: 'a' });
  log.agent('Done.');
  log.add(review);
  log.user('And now?');
  return log.events;
}

test('words of an unknown source are neither the user’s nor the agent’s, and a message in an unknown role is nobody’s', () => {
  const events = someLog();
  const view = View.fromEvents(events);
  const facts = readFacts(events, view, new Manifest([]));
  const said = facts.flatMap((fact) => (fact.kind === 'words' ? [fact.eventId] : []));
  expect(said).not.toContain(hint.id);
  expect(said).not.toContain(review.id);
  expect(said).toHaveLength(3);
  expect(wordsOfEvent(review)).toBeUndefined();
});

test('a summariser reads an unknown source as the environment, and nothing that no model reads', () => {
  expect(eventText(hint)).toBe('environment: Use spec/.');
  expect(eventText(review)).not.toContain('Well done.');
  const log = logBuilder();
  const action = log.action('look', { thought: [{ type: 'acme/sketch', data: 'x' }, ...text('I look.')] });
  expect(eventText(action)).toMatch(/^I look\.\ncall of look/);
});

test('what a hook says is not an invocation, and belongs to the words of the user before it in a window', () => {
  const events = someLog();
  const view = View.fromEvents(events);
  expect([...selectConversationWindow(view).essential]).toEqual([0, 1, 2]);
  const starts = timelineOf(view, ['finish']).invocations.map(({ start }) => start);
  expect(starts).toEqual([events[1]?.id, events.at(-1)?.id]);
});
