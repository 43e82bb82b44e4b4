import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import type { ViewProperty } from '../index.js';
import { randomLog } from './random-log.js';
import { viewPropertyContract } from './view-property-contract.js';
import type { ViewPropertyContractOptions } from './view-property-contract.js';

/** One key of `keys` for an event, or none, by nothing but its id and type. */
const arbitrary = fc
  .record({ salt: fc.nat(1_000), keys: fc.integer({ min: 1, max: 40 }), share: fc.integer({ min: 1, max: 10 }) })
  .map(({ salt, keys, share }): ViewProperty => {
    const hash = (text: string): number =>
      [...text].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 65_521, salt);
    return ({ id, type }) => (hash(`${type}${id}`) % 10 < share ? `${hash(id) % keys}` : undefined);
  });

test('for any property the view is total, and the incremental one is the rebuilt one', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.nat(1_000), async (property, seed) => {
      const failures = await failuresOf({ property, logs: [], seeds: [seed] });
      expect(failures).toEqual([]);
    }),
    { seed: 20_261_122, numRuns: fewer(40) },
  );
});

test.each(['cuts between runs', 'leaves what is sent', 'is forgotten whole'])(
  'over logs much longer than the bound: %s',
  async (rule) => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(1_000), fc.boolean(), async (property, seed, dirty) => {
        const logs = [randomLog({ seed, dirty, length: 260 })];
        expect(await failuresOf({ property, logs, seeds: [] }, rule)).toEqual([]);
      }),
      { seed: 20_261_122, numRuns: fewer(12) },
    );
  },
  60_000,
);

/** The messages of the rules that fail, or of one of them. */
async function failuresOf(options: Omit<ViewPropertyContractOptions, 'test'>, rule = ''): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  viewPropertyContract({ ...options, test: (name, run) => tests.push({ name, run }) });
  const failures: string[] = [];
  for (const { name, run } of tests.filter((one) => one.name.startsWith(rule))) {
    await run().catch((error: Error) => failures.push(error.message));
    expect(name).toContain('seeds');
  }
  return failures;
}
