import * as fc from 'fast-check';
import { test as plain } from 'vitest';

/**
 * Stands in for `@fast-check/vitest`, whose types tests are written with (see `vitest.base.ts`). That makes a `prop` for each chain
 * of vitest's modifiers when it is loaded, which takes 1.8 s of CPU time; tests use that of `test` alone. Hooks
 * of vitest run once for a property, and not for each of its runs.
 */
export const test = new Proxy(plain, {
  get: (target, key): unknown => (key === 'prop' ? prop : Reflect.get(target, key)),
});
export { fc };

type Values = [unknown, ...unknown[]];
type Arbitraries = [fc.Arbitrary<unknown>, ...fc.Arbitrary<unknown>[]];
type Check = (...values: Values) => boolean | void | Promise<boolean | void>;

function prop(arbitraries: Arbitraries, parameters?: fc.Parameters<Values>) {
  return (name: string, check: Check, timeout?: number): void => {
    const property = fc.asyncProperty<Values>(...arbitraries, async (...values) => check(...values));
    plain(name, () => fc.assert(property, parameters), timeout);
  };
}
