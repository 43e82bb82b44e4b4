import { InvalidEventError, parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { pin, pinnedEventIds, unpin, View } from '../index.js';

test('the events are plain, survive JSON, and no model reads them', () => {
  const log = logBuilder();
  const { result } = log.call('read');
  const event = pin([result.id, 'event-1'], { source: 'environment', reason: 'requirements', createEvent: log.create });
  expect(event).toMatchObject({
    type: 'view/pin',
    source: 'environment',
    eventIds: [result.id, 'event-1'],
    reason: 'requirements',
  });
  expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  expect(unpin('a')).toMatchObject({ type: 'view/unpin', source: 'user', eventIds: ['a'] });
  const before = View.fromEvents(log.events).toMessages();
  expect(View.fromEvents([...log.events, event]).toMessages()).toEqual(before);
});

test('they pin, and unpin', () => {
  const log = logBuilder();
  const words = log.agent('The port is 8080.');
  log.add(pin(words.id));
  expect([...pinnedEventIds(View.fromEvents(log.events))]).toEqual([words.id]);
  log.add(unpin(words.id));
  expect([...pinnedEventIds(View.fromEvents(log.events))]).toEqual([]);
});

test('the types of older logs are read, also beside the new ones', () => {
  const log = logBuilder();
  const [one, two] = [log.agent('one'), log.agent('two')];
  log.custom('condensers/pin', { eventIds: [one.id, two.id] });
  expect([...pinnedEventIds(View.fromEvents(log.events))]).toEqual([one.id, two.id]);
  log.add(unpin(one.id));
  expect([...pinnedEventIds(View.fromEvents(log.events))]).toEqual([two.id]);
  log.custom('condensers/unpin', { eventIds: [two.id] });
  expect([...pinnedEventIds(View.fromEvents(log.events))]).toEqual([]);
});

test('an id that is none is refused', () => {
  expect(() => pin('')).toThrow(InvalidEventError);
  expect(() => pin(['a', 3 as unknown as string])).toThrow("'eventIds.1'");
  for (const wrong of [logBuilder().user('Hi.'), undefined, null, 7]) {
    for (const make of [pin, unpin]) {
      expect(() => make(wrong as never)).toThrow(InvalidEventError);
      expect(() => make(wrong as never)).toThrow("'eventIds': pass the id of an event, or a list of ids");
    }
  }
});
