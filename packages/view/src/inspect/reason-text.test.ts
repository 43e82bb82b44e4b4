import { expect, test } from 'vitest';
import { reasonText } from './reason-text.js';

test('names of reasons become words; what a condenser of others says stays', () => {
  expect(reasonText('rent')).toBe('to read on would cost more than to write the rest anew');
  expect(reasonText('tokens, events')).toBe('the request had become too large, and the history had become too long');
  expect(reasonText('enough for today')).toBe('enough for today');
});
