import { expect, test } from 'vitest';
import byDefault, { relevanceDefinition } from './index.js';

test('the default export defines the condenser', () => {
  expect(byDefault).toBe(relevanceDefinition);
  expect(byDefault.create({ apply: 'batched', batching: { expectedCalls: 20 } }).name).toBe('relevance');
});

test('unknown options are refused', () => {
  expect(byDefault.options.safeParse({ aply: 'batched' }).success).toBe(false);
  expect(() => byDefault.create({ batching: { pressure: 2 } })).toThrow();
});
