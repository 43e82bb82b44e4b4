import { expect, test } from 'vitest';
import { createEvent, eventFactory, newEventId, userMessage } from './create-event.js';
import { InvalidEventError } from './errors.js';

test('an event has a UUIDv7, the present time in UTC and the source of its type, and is frozen', () => {
  const before = new Date().toISOString();
  const event = createEvent('condensation-request', { reason: 'asked for' });
  expect(event).toMatchObject({ type: 'condensation-request', source: 'environment', reason: 'asked for' });
  expect(event.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(event.timestamp).toMatch(/Z$/);
  expect(event.timestamp >= before).toBe(true);
  expect(Object.isFrozen(event)).toBe(true);
});

test('what is given is kept, and a field that is undefined counts as not given', () => {
  const fields = { id: 'mine', timestamp: '2026-01-01T00:00:00Z', source: 'user' as const };
  expect(createEvent('pause', fields)).toEqual({ type: 'pause', ...fields });
  expect(createEvent('pause', { source: undefined, id: undefined, timestamp: undefined })).toMatchObject({
    source: 'user',
    id: expect.any(String),
    timestamp: expect.any(String),
  });
});

test('clock and ids can be given', () => {
  let next = 0;
  const create = eventFactory({ now: () => new Date(0), newId: () => `e${++next}` });
  expect([create('pause', {}), create('pause', {})].map(({ id, timestamp }) => [id, timestamp])).toEqual([
    ['e1', '1970-01-01T00:00:00.000Z'],
    ['e2', '1970-01-01T00:00:00.000Z'],
  ]);
});

test('a wrong field is refused by its path', () => {
  expect(() => createEvent('condensation', { forgottenEventIds: [''] })).toThrow(InvalidEventError);
  expect(() => createEvent('condensation', { forgottenEventIds: [''] })).toThrow("'forgottenEventIds.0'");
  expect(() => createEvent('acme/note', { source: 'user', at: new Date() })).toThrow("'at'");
});

test("a custom event has the package's own fields", () => {
  expect(createEvent('acme/note', { source: 'user', text: 'n' })).toMatchObject({ type: 'acme/note', text: 'n' });
});

test("a user's message is text of the user", () => {
  expect(userMessage('hi')).toMatchObject({ source: 'user', role: 'user', content: [{ type: 'text', text: 'hi' }] });
});

test('an id begins with its time, so that ids sort by it', () => {
  const id = newEventId(0x0123456789ab);
  expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const times = [0, 1, 255, 256, 2 ** 32, Date.now(), 2 ** 48 - 1];
  const ids = times.map((time) => newEventId(time));
  expect([...ids].sort()).toEqual(ids);
});

test('ids of one moment are not the same', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newEventId(0))).size).toBe(1000);
});
