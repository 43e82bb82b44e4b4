import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { defineCondenser, isCondenserDefinition } from './define-condenser.js';
import { InvalidCondenserConfigError } from './errors.js';
import { optionNames } from './options.js';

const named = (name: string): Condenser => ({ name, condense: (view) => view });

const definition = defineCondenser({
  name: 'keepNewest',
  summary: 'keeps the newest',
  options: z.strictObject({ maxSize: z.int().min(4).default(120) }),
  create: ({ maxSize }) => named(`keepNewest ${maxSize}`),
});

describe('a definition', () => {
  test('fills in the defaults of the schema', () => {
    expect(definition.create().name).toBe('keepNewest 120');
    expect(definition.create({ maxSize: 8 }).name).toBe('keepNewest 8');
  });

  test.each([
    [{ maxsize: 8 }, "keepNewest: 'maxsize' is not an option. Did you mean 'maxSize'? There are: maxSize."],
    [{ maxSize: 2 }, "keepNewest: 'maxSize' Too small: expected number to be >=4, not 2"],
  ])('refuses %j, and says what there is', (options, message) => {
    const create = () => definition.create(options as object);

    expect(create).toThrow(InvalidCondenserConfigError);
    expect(create).toThrow(message);
  });

  test('asks for the model that it needs', () => {
    const asking = defineCondenser({
      name: 'asking',
      summary: 'asks',
      options: mini.strictObject({}),
      asksModel: true,
      create: (_, { llm }) => named(llm?.model ?? 'none'),
    });

    expect(() => asking.create({})).toThrow("asking: 'llm' is missing: it asks a model");
    expect(asking.create({}, { llm: scriptedLLM({ script: [] }) }).name).toBe(scriptedLLM({ script: [] }).model);
  });

  test('is recognised, and names its options', () => {
    expect(isCondenserDefinition(definition)).toBe(true);
    expect(isCondenserDefinition(named('condenser'))).toBe(false);
    expect(isCondenserDefinition(undefined)).toBe(false);
    expect(optionNames(definition.options)).toEqual(['maxSize']);
    expect(optionNames(mini.record(mini.string(), mini.unknown()))).toEqual([]);
  });
});
