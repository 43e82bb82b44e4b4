import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { checkedOptions } from './options.js';

test('a schema of zod/mini without texts of its own says what was expected', () => {
  // Another test of this process may have loaded zod's texts.
  const { localeError } = z.config();
  z.config({ localeError: undefined });
  onTestFinished(() => void z.config({ localeError }));
  const schema = z.strictObject({ share: z.number().check(z.maximum(1)) });

  const check = (value: unknown) => () => checkedOptions(schema, value, { subject: 'foreign' });

  expect(z.config().localeError).toBeUndefined();
  expect(check({ share: 'half' })).toThrow('\'share\' Invalid input: expected number, received string, not "half"');
  expect(check({ share: 2 })).toThrow("'share' Too big: expected number to be <=1, not 2");
});
