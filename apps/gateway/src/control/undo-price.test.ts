import { expect, it } from 'vitest';
import { condensing, receipt } from '../../test-support/receipt.js';
import { undoOf } from './undo-price.js';

const fields = { ...condensing(19_000, 6_000), newest: 'evt-1' };
const grown = [receipt({ counted: [0, 20_000, 100] }), receipt({ counted: [20_000, 12_000, 100] })];
const condensed = receipt({ ...fields, counted: [5_000, 8_000, 50], held: 32_000, sent: 13_000 });
const later = receipt({
  ...fields,
  condensations: [],
  isRewrite: false,
  counted: [13_000, 2_000, 50],
  held: 34_000,
  sent: 15_000,
});

it('says what it costs to take the newest condensation back', () => {
  const undo = undoOf([...grown, condensed, later]);
  expect(undo?.id).toBe('evt-1');
  // 6,000 of then, 2,000 that came since and 19,000 that come back, at 1.25 and 0.1 USD a million tokens.
  expect(undo?.price).toBe(
    'The next request grows from 15k to 34k tokens and writes 27k of them again, once for about $0.033. Each later one reads 19k tokens more, for $0.002.',
  );
});

it('says no money where a subscription pays', () => {
  expect(undoOf([...grown, condensed, { ...later, isSubscription: true }])?.price).not.toContain('$');
});

it('knows when there is nothing to take back', () => {
  expect(undoOf([])).toBeUndefined();
  expect(undoOf(grown)).toBeUndefined();
  expect(undoOf([...grown, condensed, { ...later, inForce: 0, newest: undefined }])).toBeUndefined();
});
