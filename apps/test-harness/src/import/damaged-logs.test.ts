import { readdirSync, readFileSync } from 'node:fs';
import { PalimpsestError } from '@palimpsest/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixture, sessionsAt, withFiles } from '../../test-support/fixtures/fixture-files.js';
import type { Session } from './log/session.js';

const files = readdirSync(fixture('.')).filter((name) => /\.jsonl?$/.test(name));
const junk = fc
  .constantFrom<readonly unknown[]>([null], [5], [true], [''], ['x'], [[]], [[null]], [{}], [{ type: 'x' }])
  .map(([value]) => value);

/** Replaces the value at one of the places in a JSON value; the places are numbered depth first. */
function damage(value: unknown, place: { left: number }, by: unknown): unknown {
  if (place.left-- === 0) return by;
  if (Array.isArray(value)) return value.map((item) => damage(item, place, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, damage(item, place, by)]));
}

function damaged(text: string, places: readonly (readonly [number, unknown])[]): string {
  const isDocument = text.startsWith('{\n') || text.startsWith('[\n');
  const values = isDocument
    ? [JSON.parse(text) as unknown]
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
  let all: unknown = values;
  for (const [place, by] of places) all = damage(all, { left: place + 1 }, by);
  return (Array.isArray(all) ? all : []).map((value) => `${JSON.stringify(value)}\n`).join('');
}

async function read(text: string): Promise<readonly Session[] | PalimpsestError> {
  return withFiles({ log: text }, (folder) =>
    sessionsAt(folder + '/log').catch((error: unknown) => {
      if (!PalimpsestError.isInstance(error)) throw error;
      // This wraps what an importer did not foresee, and nothing here should be unforeseen.
      expect(error.message).not.toContain('the reader of');
      return error;
    }),
  );
}

test('a log with junk in any place is read or refused with a typed error, and its events have ids of their own', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(400), junk), { minLength: 1, maxLength: 4 }),
      async (name, places) => {
        const result = await read(damaged(readFileSync(fixture(name), 'utf8'), places));
        if (PalimpsestError.isInstance(result)) return;
        for (const { format, events } of result) {
          // Our own log is kept as it is, repeated ids too.
          if (format !== 'palimpsest-jsonl') expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
        }
      },
    ),
    {
      seed: 20_261_123,
      numRuns: 400,
    },
  ));

test('a log cut off anywhere is read or refused with a typed error', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.double({ min: 0, max: 1, noNaN: true }), async (name, share) => {
      const text = readFileSync(fixture(name), 'utf8');
      await read(text.slice(0, Math.floor(text.length * share)));
    }),
    { seed: 20_261_123, numRuns: 150 },
  ));

test('lists in lists that are deeper than the stack are refused', async () => {
  const result = await read('['.repeat(100_000) + ']'.repeat(100_000));

  expect(result).toMatchObject({ code: 'unknown-log-format' });
});
