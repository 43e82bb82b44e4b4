import { describe, expect, test } from 'vitest';
import { addressOf, isAddress } from './address.js';
import { newEventId } from './create-event.js';

describe('an address', () => {
  test('depends on the id alone and has eight characters', () => {
    expect(addressOf('event-1')).toBe(addressOf('event-1'));
    expect(addressOf('event-1')).not.toBe(addressOf('event-2'));
    // Pinned: an address that changes with a release rewrites every prefix and breaks what a model has read.
    expect(addressOf('018f3c5e-7b1a-7c3d-8e4f-000000000001')).toMatchInlineSnapshot(`"yrbkze44"`);
    for (const id of ['a', 'event-1', newEventId(), '数字']) expect(isAddress(addressOf(id))).toBe(true);
    for (const text of ['', 'yrbkze4', 'yrbkze444', 'YRBKZE44', 'yrbkzei4']) expect(isAddress(text)).toBe(false);
  });

  test('is not shared among 50,000 ids that differ in little', () => {
    const hex = (index: number) => index.toString(16).padStart(12, '0');
    const likeUuids = Array.from({ length: 50_000 }, (_, index) => addressOf(`018f3c5e-7b1a-7c3d-8e4f-${hex(index)}`));
    const counted = Array.from({ length: 50_000 }, (_, index) => addressOf(`event-${index}`));
    expect(new Set(likeUuids).size).toBe(likeUuids.length);
    expect(new Set(counted).size).toBe(counted.length);
  });
});
