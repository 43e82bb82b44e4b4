import type { Behaviour, ModelRow } from './model-behaviour.js';

/**
 * The facts assumed for a server that speaks OpenAI's protocol: the oldest form of a request, which all such servers accept.
 * Plain reasoning is sent back, because some servers refuse a history without it.
 *
 * @see provider-rules D
 */
export const compatibleNewest: Behaviour = {
  provider: 'compatible',
  thinking: 'prefix-bound',
  thinkingControl: 'none',
  acceptsSampling: true,
  acceptsForcedTools: true,
  acceptsPrefill: false,
  acceptsSystemMessages: false,
  needsResponsesForTools: false,
  charsPerToken: 3.5,
};

const thinks: Behaviour = { ...compatibleNewest, thinkingControl: 'adaptive' };
const million = 1_048_576;

/** At their vendors' own services. @see provider-rules D */
export const compatibleRows: readonly ModelRow[] = [
  {
    ...thinks,
    contextWindow: million,
    maxOutputTokens: 64_000,
    charsPerToken: 4,
    models: ['gemini-4-argon'],
  },
  {
    ...thinks,
    contextWindow: million,
    maxOutputTokens: 65_536,
    charsPerToken: 4,
    cacheMinimumTokens: 4_096,
    models: [
      'gemini-3.8-flash',
      'gemini-3.7-flash',
      'gemini-3.6-flash',
      'gemini-3.5-flash',
      'gemini-3.1-pro-preview',
      'gemini-3.1-flash-lite',
      'gemini-3.5-flash-lite',
    ],
  },
  {
    ...thinks,
    contextWindow: million,
    maxOutputTokens: 65_536,
    charsPerToken: 4,
    cacheMinimumTokens: 2_048,
    models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'],
  },
  {
    ...thinks,
    contextWindow: 1_000_000,
    maxOutputTokens: 384_000,
    models: ['deepseek-flash', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp', 'deepseek-v4-pro'],
  },
  {
    ...compatibleNewest,
    contextWindow: million,
    maxOutputTokens: 262_000,
    models: ['mistral-large-4', 'mistral-large-4-0-8'],
  },
  {
    ...compatibleNewest,
    contextWindow: 262_000,
    models: ['mistral-medium-3.5', 'mistral-medium', 'mistral-large-2512', 'mistral-small-2603', 'devstral-2512'],
  },
  { ...compatibleNewest, contextWindow: 256_000, models: ['codestral-2508'] },
  // xAI's models refuse penalties and `stop`, not the temperature.
  { ...thinks, contextWindow: 500_000, models: ['grok-4.7', 'grok-4.6', 'grok-4.5'] },
  { ...thinks, contextWindow: 1_000_000, models: ['grok-4.3'] },
  { ...thinks, contextWindow: 1_000_000, maxOutputTokens: 131_000, models: ['qwen3.8-max'] },
  { ...thinks, contextWindow: 991_000, maxOutputTokens: 131_000, models: ['qwen3.7-max', 'qwen3.7-plus'] },
  { ...thinks, contextWindow: 1_000_000, models: ['kimi-k3.1-pro', 'kimi-k3'] },
  { ...thinks, contextWindow: 262_000, models: ['kimi-k2.6'] },
];
