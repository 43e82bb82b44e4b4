import { expect, test } from 'vitest';
import { newEventId } from './event-id.js';

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
