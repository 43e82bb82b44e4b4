import type { Behaviour, Effort, ModelRow } from './model-behaviour.js';

/**
 * The facts assumed for an unknown OpenAI model: those of GPT-6.2. Its reasoning items and plain reasoning do not
 * depend on the messages before them, so a view may cut anywhere.
 *
 * @see provider-rules B.3, B.5, B.8
 */
export const openaiNewest: Behaviour = {
  provider: 'openai',
  thinking: 'prefix-bound',
  thinkingControl: 'always',
  acceptsSampling: false,
  acceptsForcedTools: true,
  acceptsPrefill: false,
  acceptsSystemMessages: true,
  needsResponsesForTools: true,
  cacheMinimumTokens: 1_024,
  charsPerToken: 4,
};

const withoutNone: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const withNone: readonly Effort[] = ['none', ...withoutNone];

const limits = { contextWindow: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 };
const smallLimits = { contextWindow: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000 };

const alwaysReasoning: Behaviour = { ...openaiNewest, ...limits, efforts: withoutNone };
const adaptive: Behaviour = { ...alwaysReasoning, thinkingControl: 'adaptive', efforts: withNone };
const { maxInputTokens: _, ...withoutInputLimit } = limits;
const beforeResponses: Behaviour = { ...adaptive, ...smallLimits, needsResponsesForTools: false };
const withoutEffortNone: Behaviour = { ...beforeResponses, thinkingControl: 'always', efforts: withoutNone };
const oSeries: Behaviour = {
  ...openaiNewest,
  contextWindow: 200_000,
  maxOutputTokens: 100_000,
  efforts: ['low', 'medium', 'high'],
  needsResponsesForTools: false,
};
const withoutReasoning: Behaviour = {
  ...openaiNewest,
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  thinking: 'none',
  thinkingControl: 'none',
  efforts: [],
  acceptsSampling: true,
  acceptsPrefill: true,
  needsResponsesForTools: false,
};

/** Those of before 2025 are from memory; all limits of 2026 from the pages that the spec names. */
export const openaiRows: readonly ModelRow[] = [
  { ...alwaysReasoning, models: ['gpt-6.2-astra', 'gpt-6.2-sol', 'gpt-6.1-sol'] },
  { ...openaiNewest, ...withoutInputLimit, efforts: withoutNone, models: ['gpt-6-astra'] },
  {
    ...adaptive,
    models: ['gpt-6.1-terra', 'gpt-6-sol', 'gpt-6-luna', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'],
  },
  {
    ...openaiNewest,
    ...withoutInputLimit,
    thinkingControl: 'adaptive',
    efforts: withNone,
    models: ['gpt-5.5', 'gpt-5.4'],
  },
  { ...adaptive, ...smallLimits, models: ['gpt-5.4-mini', 'gpt-5.4-nano'] },
  { ...beforeResponses, models: ['gpt-5.2', 'gpt-5.1'] },
  // The coding models of this generation are not available on Chat Completions.
  {
    ...withoutEffortNone,
    needsResponsesForTools: true,
    models: ['gpt-5.3-codex', 'gpt-5.2-codex', 'gpt-5.1-codex', 'gpt-5.1-codex-mini', 'gpt-5-codex'],
  },
  { ...withoutEffortNone, models: ['gpt-5', 'gpt-5-mini', 'gpt-5-nano'] },
  { ...oSeries, models: ['o4-mini', 'o3', 'o3-mini', 'o1'] },
  {
    ...withoutReasoning,
    contextWindow: 1_047_576,
    maxOutputTokens: 32_768,
    models: ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano'],
  },
  { ...withoutReasoning, models: ['gpt-4o', 'gpt-4o-mini', 'chatgpt-4o'] },
  { ...withoutReasoning, maxOutputTokens: 4_096, models: ['gpt-4-turbo'] },
  { ...withoutReasoning, contextWindow: 8_192, maxOutputTokens: 8_192, models: ['gpt-4'] },
  { ...withoutReasoning, contextWindow: 16_385, maxOutputTokens: 4_096, models: ['gpt-3.5-turbo'] },
];
