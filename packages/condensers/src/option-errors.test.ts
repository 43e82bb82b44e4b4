import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { InvalidCondenserConfigError } from './authoring/definition/errors.js';
import { summarizingCondenser } from './authoring/summaries/summarizing-condenser.js';
import * as root from './index.js';

const llm = scriptedLLM({ script: () => 'SUMMARY' });
const summarizer: root.Summarizer = { summarize: () => Promise.resolve({ text: 'SUMMARY' }) };

/** Factories as plain JavaScript calls them, and what each needs. */
const factories: readonly (readonly [name: string, create: unknown, needed: object])[] = [
  ['amortizedForgetting', root.amortizedForgettingCondenser, {}],
  ['browserOutput', root.browserOutputCondenser, {}],
  ['conversationWindow', root.conversationWindowCondenser, {}],
  ['extractiveSummary', root.extractiveSummaryCondenser, {}],
  ['llmAttention', root.llmAttentionCondenser, { llm }],
  ['llmSummarizing', root.llmSummarizingCondenser, { llm }],
  ['noOp', root.noOpCondenser, {}],
  ['observationMasking', root.observationMaskingCondenser, {}],
  ['recentEvents', root.recentEventsCondenser, {}],
  ['slidingWindow', root.slidingWindowCondenser, { llm, compactionInterval: 2, overlapSize: 0 }],
  ['slidingWindow', root.slidingWindowCondenser, { summarizer, compactionInterval: 2, overlapSize: 0 }],
  ['structuredSummary', root.structuredSummaryCondenser, { llm }],
  ['summarizing', summarizingCondenser, { summarizer }],
];
const madeBy =
  (create: unknown, options: unknown): (() => Condenser) =>
  () =>
    (create as (options: unknown) => Condenser)(options);
const errorOf = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (error) {
    return error;
  }
};

test.each(factories)('%s: options that are no object are refused as such', (name, create) => {
  for (const [options, shown] of [
    [5, '5'],
    [null, 'null'],
    ['x', '"x"'],
    [[], '[]'],
  ] as const) {
    const error = errorOf(madeBy(create, options));
    expect(error).toBeInstanceOf(InvalidCondenserConfigError);
    expect(error).toHaveProperty('message', `${name}: 'options' must be an object, not ${shown}`);
  }
});

test.each(factories)('%s: an option that there is not is refused', (name, create, needed) => {
  expect(madeBy(create, { ...needed, size: 5 })).toThrow(`${name}: 'size' is not an option`);
});

test.each(factories.filter(([name]) => name !== 'noOp' && name !== 'recentEvents'))(
  '%s: a createEvent that is no function is refused at once',
  (name, create, needed) => {
    expect(madeBy(create, { ...needed, createEvent: 5 })).toThrow(
      `${name}: 'createEvent' must be a function that makes events, not 5`,
    );
  },
);

test('a number that is none is shown as it is', () => {
  expect(madeBy(root.recentEventsCondenser, { maxSize: Number.NaN })).toThrow(/, not NaN$/);
  expect(madeBy(root.recentEventsCondenser, { maxSize: Number.POSITIVE_INFINITY })).toThrow(/, not Infinity$/);
  expect(madeBy(root.recentEventsCondenser, { maxSize: Number.NEGATIVE_INFINITY })).toThrow(/, not -Infinity$/);
});

test.each(
  factories.filter(([, create]) => create !== root.noOpCondenser && create !== root.conversationWindowCondenser),
)('%s: of options that are wrong by themselves, those together are not judged', (_, create, needed) => {
  const wrong = { ...needed, maxSize: -1, compactionInterval: -1, minSavedTokens: -1, attentionWindow: -1 };
  const { message } = errorOf(madeBy(create, wrong)) as Error;
  expect(message).not.toMatch(/'keepFirst' may be|is missing/);
});

test('the message of a wrong size names nothing that nobody gave', () => {
  expect(errorOf(madeBy(root.amortizedForgettingCondenser, { maxSize: -1 }))).toHaveProperty(
    'message',
    "amortizedForgetting: 'maxSize' must be a whole number of at least 2, not -1",
  );
});

test.each(['llmAttention', 'llmSummarizing', 'structuredSummary'])('%s names the option of its prompt', (name) => {
  const [, create] = factories.find(([other]) => other === name)!;
  expect(madeBy(create, { llm, modelCall: { prompt: 'no events' } })).toThrow(
    `${name}: 'modelCall.prompt' shows neither`,
  );
});

test('a list of no tools is refused', () => {
  expect(madeBy(root.browserOutputCondenser, { toolNames: [] })).toThrow(
    "browserOutput: 'toolNames' must name a tool, or be left out, not []",
  );
});
