import type { Behaviour, ModelRow } from './model-behaviour.js';

/**
 * The facts assumed for an unknown Claude model: those of Fable 5.2 and Opus 5.5. Its tokenizer came with Opus 4.7.
 *
 * @see provider-rules A.2 (prefill, sampling, forced tools, system messages), A.5, A.6
 */
export const claudeNewest: Behaviour = {
  provider: 'anthropic',
  thinking: 'prefix-bound',
  thinkingControl: 'always',
  acceptsSampling: false,
  acceptsForcedTools: false,
  acceptsPrefill: false,
  acceptsSystemMessages: true,
  needsResponsesForTools: false,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  cacheMinimumTokens: 512,
  cacheLifeMs: 5 * 60_000,
  charsPerToken: 2.5,
};

const limits = { contextWindow: 1_000_000, maxOutputTokens: 128_000 };
const smallLimits = { contextWindow: 200_000, maxOutputTokens: 64_000 };

const alwaysThinking: Behaviour = { ...claudeNewest, ...limits };
const adaptive: Behaviour = { ...alwaysThinking, thinkingControl: 'adaptive', acceptsForcedTools: true };
const beforeSystemMessages: Behaviour = { ...adaptive, acceptsSystemMessages: false };
/** Generation 4.6, with the older tokenizer. */
const adaptiveOrManual: Behaviour = {
  ...beforeSystemMessages,
  thinking: 'latest-turn',
  thinkingControl: 'adaptive-or-manual',
  acceptsSampling: true,
  charsPerToken: 3.5,
};
const manual: Behaviour = {
  ...adaptiveOrManual,
  ...smallLimits,
  thinkingControl: 'manual',
  efforts: [],
  acceptsPrefill: true,
  cacheMinimumTokens: 1_024,
};
const withoutThinking: Behaviour = { ...manual, thinking: 'none', thinkingControl: 'none', maxOutputTokens: 8_192 };

/**
 * Blocks of generation 5.5, Fable 5.1 and later are bound to their prefix. Older adaptive models are rendered in the
 * same way: they accept a history without the omitted blocks, and their tool loops may be cut.
 *
 * @see provider-rules A.5, A.6, A.7
 */
export const claudeRows: readonly ModelRow[] = [
  {
    ...alwaysThinking,
    models: [
      'claude-fable-5-2',
      'claude-fable-5-1',
      'claude-fable-5',
      'claude-mythos-5-2',
      'claude-mythos-5-1',
      'claude-mythos-5',
      'claude-opus-5-5',
    ],
  },
  { ...adaptive, models: ['claude-sonnet-5-5', 'claude-opus-5'] },
  // No source gives the minimum length that Haiku 5.5 caches.
  { ...withoutCacheMinimum(adaptive), models: ['claude-haiku-5-5'] },
  { ...adaptive, cacheMinimumTokens: 1_024, models: ['claude-sonnet-5', 'claude-opus-4-8'] },
  { ...beforeSystemMessages, cacheMinimumTokens: 2_048, models: ['claude-opus-4-7'] },
  { ...adaptiveOrManual, cacheMinimumTokens: 4_096, models: ['claude-opus-4-6'] },
  { ...adaptiveOrManual, cacheMinimumTokens: 1_024, models: ['claude-sonnet-4-6'] },
  { ...manual, cacheMinimumTokens: 4_096, models: ['claude-opus-4-5', 'claude-haiku-4-5'] },
  { ...manual, models: ['claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0', 'claude-3-7-sonnet'] },
  { ...manual, maxOutputTokens: 32_000, models: ['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0'] },
  { ...withoutThinking, models: ['claude-3-5-sonnet'] },
  { ...withoutThinking, cacheMinimumTokens: 2_048, models: ['claude-3-5-haiku'] },
  { ...withoutThinking, maxOutputTokens: 4_096, models: ['claude-3-opus', 'claude-3-sonnet', 'claude-3-haiku'] },
];

function withoutCacheMinimum({ cacheMinimumTokens: _, ...rest }: Behaviour): Behaviour {
  return rest;
}
