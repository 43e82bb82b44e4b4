import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as here from './errors.js';

type Errors = typeof here;

let folder: string;
let copies: Record<'plain' | 'minified', Errors>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  const copy = async (name: string, minify: boolean) => {
    const outDir = join(folder, name);
    const entry = { errors: join(import.meta.dirname, 'errors.ts') };
    const outExtension = () => ({ js: '.mjs' });
    await build({ entry, outDir, outExtension, minify, format: 'esm', target: 'es2022', config: false, silent: true });
    return (await import(/* @vite-ignore */ join(outDir, 'errors.mjs'))) as Errors;
  };
  copies = { plain: await copy('plain', false), minified: await copy('minified', true) };
});

afterAll(async () => await rm(folder, { recursive: true }));

const conflict = (errors: Errors) =>
  new errors.ConcurrencyError({ conversationId: 'c', expectedVersion: 1, actualVersion: 2 });

describe('isInstance', () => {
  test.each(['plain', 'minified'] as const)('holds across another copy of the package: %s', (which) => {
    const there = copies[which];
    expect(there.ConcurrencyError).not.toBe(here.ConcurrencyError);
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      const error = conflict(one);
      expect(error).not.toBeInstanceOf(other.ConcurrencyError);
      expect(other.ConcurrencyError.isInstance(error)).toBe(true);
      expect(other.PalimpsestError.isInstance(error)).toBe(true);
      expect(other.EventStoreError.isInstance(error)).toBe(false);
      expect(other.InvalidEventError.isInstance(error)).toBe(false);
      expect(error.name).toBe('ConcurrencyError');
    }
  });

  test('the minified copy really has other class names', () => {
    expect(copies.minified.ConcurrencyError.name).not.toBe('ConcurrencyError');
  });

  test('every error of the package states its name', () => {
    for (const [name, errorClass] of Object.entries(here)) expect(errorClass.typeName).toBe(name);
  });

  test("a class of somebody's own counts as what it derives from, with or without a stated name", () => {
    class AcmeError extends here.EventStoreError {}
    class NamedError extends here.EventStoreError {
      static override get typeName(): string {
        return 'AcmeNamedError';
      }
    }
    const errors = [new AcmeError('a'), new NamedError('n')];
    expect(errors.map((error) => error.name)).toEqual(['AcmeError', 'AcmeNamedError']);
    for (const error of errors) expect(copies.minified.EventStoreError.isInstance(error)).toBe(true);
    expect(AcmeError.isInstance(errors[0])).toBe(true);
    expect(AcmeError.isInstance(errors[1])).toBe(false);
    expect(NamedError.isInstance(new here.EventStoreError('e'))).toBe(false);
  });

  test.each([undefined, null, 'text', {}, new Error('e'), { name: 'ConcurrencyError', code: 'concurrency' }])(
    'is false for %o',
    (value) => {
      expect(here.ConcurrencyError.isInstance(value)).toBe(false);
      expect(here.PalimpsestError.isInstance(value)).toBe(false);
    },
  );
});

test('errors are errors: a message, a stack, a cause, a stable code, and fields that can be written as JSON', () => {
  const cause = new Error('below');
  const error = new here.EventStoreError('Cannot read', { file: 'c.jsonl', line: 3, cause });
  expect(error).toBeInstanceOf(Error);
  expect(error.stack).toContain('errors.test');
  expect(error.cause).toBe(cause);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'event-store',
    isRetryable: true,
    file: 'c.jsonl',
    line: 3,
    name: 'EventStoreError',
  });
  expect(String(error)).toBe('EventStoreError: Cannot read');
});

test('messages say what happened, to what, and what can be done', () => {
  expect(conflict(here).message).toBe(
    "Another writer changed the conversation 'c': it holds 2 events, and the writer expected 1. " +
      'Nothing was appended; read the conversation again and retry.',
  );
  const invalid = { reason: 'it is empty', path: ['content', 0], eventId: 'e', eventType: 'message' };
  expect(new here.InvalidEventError(invalid).message).toBe(
    "Not a valid event (type 'message', id 'e'): 'content.0': it is empty",
  );
  expect(new here.InvalidEventError({ reason: 'it is empty', path: [] }).message).toBe(
    'Not an event: the value: it is empty',
  );
});

test('a log that is too large is an error of a store that no further try changes', () => {
  const error = new here.LogTooLargeError({ conversationId: 'c', maxBytes: 10 });
  expect(error).toMatchObject({ code: 'log-too-large', conversationId: 'c', maxBytes: 10, isRetryable: false });
  expect(here.EventStoreError.isInstance(error)).toBe(true);
  expect(here.LogTooLargeError.isInstance(new here.EventStoreError('gone'))).toBe(false);
});
