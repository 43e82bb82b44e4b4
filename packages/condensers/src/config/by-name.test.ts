import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { condenserByName, condenserNames, condenserNamesWithModel } from './names.js';

const llm = scriptedLLM({ script: [] });

test('every name gives a condenser of that name', () => {
  expect(condenserNames).toEqual([
    'noOp',
    'recentEvents',
    'observationMasking',
    'browserOutput',
    'amortizedForgetting',
    'conversationWindow',
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
