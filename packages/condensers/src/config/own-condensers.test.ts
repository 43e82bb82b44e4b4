import { readdir, readFile } from 'node:fs/promises';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { isCondenserDefinition } from '../authoring/definition/define-condenser.js';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import type { OptionsSchema } from '../authoring/definition/options.js';
import * as root from '../index.js';
import { condenserByName, condenserNames, condenserNamesWithModel, ownCondensers } from './own-condensers.js';

const notCondensers = ['authoring', 'config', 'node'];
/** It is the facts of `digest` alone, and stands in its folder. */
const withoutFolder = 'extractive-summary';

test('each folder is a condenser, and each condenser is a folder of its name', async () => {
  const entries = await readdir(new URL('..', import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const kebab = (name: string) => name.replaceAll(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);

  expect([...ownCondensers.keys()].map(kebab).sort()).toEqual(
    [...folders.filter((folder) => !notCondensers.includes(folder)), withoutFolder].sort(),
  );
});

test('what the root entry defines is listed', () => {
  const exported = Object.values<unknown>(root).filter(isCondenserDefinition);

  expect(new Set(ownCondensers.values())).toEqual(new Set(exported));
});

test('the table of the README is made from the definitions', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const table = cells.filter(([, name = '']) => ownCondensers.has(name.replaceAll('`', '')));

  const [first] = table;
  expect(first?.[1]).toBe('`priced`');
  expect(table.map(([, name, summary]) => [name, summary]).sort()).toEqual(
    [...ownCondensers.values()].map(({ name, summary }) => [`\`${name}\``, summary]).sort(),
  );
});

/** The names of a factory's options, but for the parts that are code. */
type DataOf<Options> = Exclude<keyof Options, 'llm' | 'createEvent' | 'summarizer' | 'compactor'>;
/** True where a factory's documented options are those of its schema. */
type SameOptions<Options, Definition extends { readonly options: OptionsSchema }> = [
  DataOf<Options>,
  keyof z.input<Definition['options']>,
] extends [infer A, infer B]
  ? [A, B] extends [B, A]
    ? true
    : [Exclude<A, B>, Exclude<B, A>]
  : never;

test('the documented options of each factory are those of its schema', () => {
  const same: readonly true[] = [
    true satisfies SameOptions<root.AmortizedForgettingOptions, typeof root.amortizedForgetting>,
    true satisfies SameOptions<root.BrowserOutputOptions, typeof root.browserOutput>,
    true satisfies SameOptions<root.DigestOptions, typeof root.digest>,
    true satisfies SameOptions<root.ExtractiveSummaryOptions, typeof root.extractiveSummary>,
    true satisfies SameOptions<root.LLMAttentionOptions, typeof root.llmAttention>,
    true satisfies SameOptions<root.LLMSummarizingOptions, typeof root.llmSummarizing>,
    true satisfies SameOptions<root.ObservationMaskingOptions, typeof root.observationMasking>,
    true satisfies SameOptions<root.PricedOptions, typeof root.priced>,
    true satisfies SameOptions<root.RecentEventsOptions, typeof root.recentEvents>,
    true satisfies SameOptions<root.SlidingWindowOptions, typeof root.slidingWindow>,
    true satisfies SameOptions<root.StructuredSummaryOptions, typeof root.structuredSummary>,
  ];

  // The compiler checks them. noOp and conversationWindow have no options, and a pipeline has condensers.
  expect(same).toHaveLength(ownCondensers.size - 3);
});

const llm = scriptedLLM({ script: [] });

test('every name gives a condenser of that name', () => {
  expect(condenserNames).toEqual([
    'noOp',
    'recentEvents',
    'observationMasking',
    'browserOutput',
    'amortizedForgetting',
    'conversationWindow',
    'digest',
    'extractiveSummary',
    'priced',
    'pipeline',
    'llmSummarizing',
    'structuredSummary',
    'llmAttention',
    'slidingWindow',
  ]);
  for (const name of condenserNames) expect(condenserByName(name, { llm }).name).toBe(name);
});

test('what needs a model says so, and names what needs none', () => {
  for (const name of condenserNames) {
    if (!condenserNamesWithModel.includes(name)) expect(condenserByName(name).name).toBe(name);
    else expect(() => condenserByName(name)).toThrow(InvalidCondenserConfigError);
  }
  expect(() => condenserByName('llmSummarizing')).toThrow(
    /'llm' is missing.*Without one there are: noOp.*extractiveSummary/,
  );
});

test.each(['summary', '', 'toString', '__proto__'])("'%s' is not known, and the error lists what is", (name) => {
  expect(() => condenserByName(name)).toThrow(CondenserNotFoundError);
  expect(() => condenserByName(name)).toThrow(/Known are: noOp, recentEvents, observationMasking/);
});

test.each([
  ['llmSumarizing', 'llmSummarizing'],
  ['observation_masking', 'observationMasking'],
  ['recent', 'recentEvents'],
  ['noop', 'noOp'],
  ['browser_output_masking', 'browserOutput'],
  ['sliding-window', 'slidingWindow'],
])("for '%s' it suggests '%s'", (name, meant) => {
  expect(() => condenserByName(name)).toThrow(`Did you mean '${meant}'?`);
});
