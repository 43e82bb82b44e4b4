import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventBaseSchema } from './event-base.js';
import { eventSchemas } from './event-schemas.js';
import { quickCheck } from './quick-check.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const anyJson = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

/** Data that fits a schema of an event. */
function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      // Names that this version does not know, and by chance those that it does.
      return fc.oneof(fc.constantFrom('hook', 'text', 'thinking'), fc.string({ maxLength: 4 }));
    case 'number':
      return fc.nat(1_000);
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return anyJson;
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'array':
      return fc.array(fitting(def.element), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.string({ maxLength: 3 }), fitting(def.valueType), { maxKeys: 3 });
    case 'union':
      return fc.oneof(...def.options.map(fitting));
    case 'object': {
      const keys = Object.keys(def.shape);
      const requiredKeys = keys.filter((key) => def.shape[key]?._zod.optin !== 'optional');
      const fields = keys.map((key) => [key, fitting(def.shape[key] as z.core.$ZodType)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys });
    }
    case 'optional':
      return fitting(def.innerType);
    default:
      throw new Error(`no event has a ${def.type}`);
  }
}

/** The value with one thing in it changed, taken away or added, wherever the numbers point. */
function damaged(value: Json, path: readonly number[], change: { put: Json } | 'delete' | 'add'): Json {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null || step === undefined) {
    return typeof change === 'object' ? change.put : value;
  }
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return typeof change === 'object' ? change.put : value;
  if (Array.isArray(value)) {
    if (change === 'delete' && rest.length === 0) return value.filter((_, index) => String(index) !== key);
    return value.map((item, index) => (String(index) === key ? damaged(item, rest, change) : item));
  }
  const copy = { ...value };
  if (change === 'add' && rest.length === 0) copy['addition'] = 1;
  else if (change === 'delete' && rest.length === 0) delete copy[key];
  else copy[key] = damaged(value[key] as Json, rest, change);
  return copy;
}

test('says what the schema says, of events whole and damaged, of every type', () => {
  const schemas = [...eventSchemas.values(), eventBaseSchema];
  const counts = { fits: 0, fitsNot: 0 };
  for (const schema of schemas) {
    const check = quickCheck(schema);
    const changes = fc.oneof(fc.constantFrom('delete' as const, 'add' as const), fc.record({ put: anyJson }));
    const damages = fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), changes), { maxLength: 2 });
    fc.assert(
      fc.property(fitting(schema), damages, (whole, list) => {
        const value = list.reduce((json, [path, change]) => damaged(json, path, change), plain(whole));
        const expected = schema.safeParse(value).success;
        counts[expected ? 'fits' : 'fitsNot']++;
        expect(check(value)).toBe(expected);
      }),
      { seed: 20_261_121, numRuns: 400 },
    );
  }
  expect(Math.min(counts.fits, counts.fitsNot)).toBeGreaterThan(1_000);
});

test.each([
  [z.string().min(2).max(3), ['ab', 'a', 'abcd']],
  [z.string().regex(/^a/).min(2), ['a', 'b', 'ab', 'bb', 7]],
  [z.string().regex(/a/g), ['a', 'a', 'b', 'a']],
  [z.string().email(), ['a@b.example', 'a']],
  [z.union([z.union([z.literal('a'), z.literal('b')]), z.number()]), ['a', 'b', 'c', 1]],
  [z.literal(['a', 'b']), ['a', 'c']],
  [z.record(z.string().min(2), z.unknown()), [{ ab: 1 }, { a: 1 }, []]],
  [z.record(z.string(), z.number()), [{ a: 1 }, { a: 'b' }]],
  [z.number().max(3), [3, 4, 'a']],
  [z.tuple([z.string()]), [['a'], [1]]],
  [z.array(z.string()).max(1), [['a'], ['a', 'b']]],
])('other schemas: what it does not know is left to them', (schema, values) => {
  for (const value of values) expect(quickCheck(schema)(value)).toBe(schema.safeParse(value).success);
});

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
