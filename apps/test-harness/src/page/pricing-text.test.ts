import { expect, test } from 'vitest';
import { knownPricesOf } from '../measure/money.js';
import { pricingText } from './pricing-text.js';

const prices = (model: string) => knownPricesOf(model, new Date('2026-01-01'));
const own = (model: string) => ({ priced: { prices: prices(model), isAssumed: false } });
const assumed = { priced: { prices: prices('gpt-5'), isAssumed: true } };
const plural = (count: number): string => `${count} session${count === 1 ? '' : 's'}`;

test('one model is named alone, several with their numbers of sessions, and what is assumed is said', () => {
  const recorded = { model: 'gpt-5', because: 'recorded' } as const;
  expect(pricingText([own('gpt-5'), own('gpt-5')], recorded, plural)).toBe(
    'at the prices of gpt-5, the recorded model',
  );
  expect(pricingText([own('gpt-5'), own('claude-opus-4-5'), own('claude-opus-4-5'), assumed], recorded, plural)).toBe(
    'each at the prices of its own model: 2 sessions at the prices of claude-opus-4-5; 1 session at the prices of gpt-5; ' +
      '1 session whose log names no model with known prices at those of gpt-5',
  );
  expect(pricingText([assumed], { model: 'gpt-5', because: 'default' }, plural)).toBe(
    'at the prices of gpt-5, because the logs name no model with known prices',
  );
  expect(pricingText([assumed], { model: 'gpt-5', because: 'named' }, plural)).toBe(
    'at the prices of gpt-5, the model you named',
  );
});
