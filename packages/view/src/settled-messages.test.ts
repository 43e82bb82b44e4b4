import { logBuilder } from '@palimpsest/events/testing';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { RenderedMessages } from './rendered-messages.js';
import { SettledMessages } from './settled-messages.js';
import { View } from './view.js';

const itemsOf = (events: readonly Event[]) => [...View.fromEvents(events).sent().items];
const rendered = new RenderedMessages({ thinking: 'prefix-bound' });

test('what is given up in the middle of merged words is rendered with the words that stay', () => {
  const [one, other] = [logBuilder(), logBuilder({ idPrefix: 'other-' })];
  one.user('First.');
  one.user('Second.');
  one.agent('Answer.');
  other.user('Another.');
  const items = itemsOf(one.events);
  const rendering = { rendered, isStale: () => false, staleCount: 0 };
  const settled = new SettledMessages(items, rendering);
  expect(settled.between([], 3, [])).toHaveLength(2);
  settled.keep(1);
  items.splice(1, 1, ...itemsOf(other.events));
  const messages = settled.between([], 3, []);
  expect(messages).toEqual(new SettledMessages(items, rendering).between([], 3, []));
  expect(JSON.stringify(messages)).not.toContain('Second.');
});

test('an item of which nothing is left when it is rendered again gives its message up', () => {
  const log = logBuilder();
  log.user('Think.');
  log.agent('', { thinkingBlocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] });
  log.agent('Answer.');
  let isStale = false;
  const settled = new SettledMessages(itemsOf(log.events), { rendered, isStale: () => isStale, staleCount: 0 });
  expect(settled.between([], 3, [])).toHaveLength(3);
  isStale = true;
  settled.renew(1);
  expect(settled.between([], 3, []).map(({ role }) => role)).toEqual(['user', 'assistant']);
});
