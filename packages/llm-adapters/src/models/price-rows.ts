import type { TokenPrices, TokenRates } from '../prices.js';

/** The prices of some models at their vendor's own service during a period. */
export interface PriceRow {
  /** The names and aliases of the models with these prices, without routers' prefixes and snapshot dates. */
  readonly models: readonly string[];
  /** Whose service it is: `anthropic`, `openai`, `google`, `deepseek`, `mistral`, `xai`, `moonshot`, or yours. */
  readonly vendor: string;
  readonly prices: TokenPrices;
  /** The first day, as `YYYY-MM-DD` in UTC. @defaultValue since the model exists */
  readonly validFrom?: string;
  /** The last day, as `YYYY-MM-DD` in UTC. @defaultValue no end is announced */
  readonly validTo?: string;
  /** Valid only from Monday to Friday, from one hour (inclusive) to another (exclusive), in UTC. @defaultValue always */
  readonly weekdayHoursUtc?: readonly (readonly [from: number, to: number])[];
  /** The page on which the prices were read. */
  readonly source: string;
  /** The day on which they were read, as `YYYY-MM-DD`. */
  readonly checkedAt: string;
}

const checkedAt = '2026-11-21';
const anthropic = { vendor: 'anthropic', checkedAt } as const;
const openai = { vendor: 'openai', checkedAt } as const;
const google = { vendor: 'google', checkedAt } as const;
const deepseek = { vendor: 'deepseek', checkedAt } as const;
const mistral = { vendor: 'mistral', checkedAt } as const;
const xai = { vendor: 'xai', checkedAt } as const;

const claudePages = 'https://platform.claude.com/docs/en/about-claude/pricing';
const openaiPages = 'https://developers.openai.com/api/docs/models';
const geminiPages = 'https://ai.google.dev/gemini-api/docs/pricing';
const deepseekPages = 'https://api-docs.deepseek.com/quick_start/pricing';
const piModels = 'npm:@earendil-works/pi-ai@1.5.2';

/** Writes cost 1.25 of the input for five minutes and twice the input for an hour. */
function claude(input: number, output: number, cacheRead: number): TokenRates {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteByTtl: { '1h': input * 2 } };
}

/** GPT-5.6 and later: writes cost 1.25 of the input for 30 minutes and 2.5 of it for 12 hours; long prompts cost more. */
function gpt(input: number, output: number, cacheRead: number): TokenPrices {
  const rates = (factor: number, outputFactor: number): TokenRates => ({
    input: input * factor,
    output: output * outputFactor,
    cacheRead: cacheRead * factor,
    cacheWrite: input * factor * 1.25,
    cacheWriteByTtl: { '12h': input * factor * 2.5 },
  });
  return { ...rates(1, 1), tiers: [{ abovePromptTokens: 272_000, ...rates(2, 1.5) }] };
}

/** Cache writes cost the same as uncached input. */
function freeWrites(input: number, output: number, cacheRead: number): TokenRates {
  return { input, output, cacheRead, cacheWrite: input };
}

function freeWritesAbove(bound: number, base: TokenRates, above: TokenRates): TokenPrices {
  return { ...base, tiers: [{ abovePromptTokens: bound, ...above }] };
}

/** 09 to 12 and 14 to 18 in Beijing. */
const deepseekPeak = {
  weekdayHoursUtc: [
    [1, 4],
    [6, 10],
  ],
} as const;

/**
 * GPT-6.2 Astra, Qwen's and Mistral Large 4 are left out: sources contradict each other, or do not say what caching costs.
 */
export const priceRows: readonly PriceRow[] = [
  { ...anthropic, models: ['claude-fable-5-2'], validFrom: '2026-11-09', prices: claude(8, 40, 0.2), source: piModels },
  {
    ...anthropic,
    models: ['claude-fable-5-1'],
    validFrom: '2026-09-01',
    prices: claude(10, 50, 0.25),
    source: claudePages,
  },
  {
    ...anthropic,
    models: ['claude-opus-5-5'],
    validFrom: '2026-09-22',
    prices: claude(4, 20, 0.2),
    source: claudePages,
  },
  { ...anthropic, models: ['claude-sonnet-5-5'], prices: claude(2, 10, 0.1), source: claudePages },
  {
    ...anthropic,
    models: ['claude-haiku-5-5'],
    prices: { ...claude(0.1, 0.5, 0.01), tiers: [{ abovePromptTokens: 100_000, ...claude(0.5, 2.5, 0.05) }] },
    source: claudePages,
  },
  { ...anthropic, models: ['claude-opus-5'], validFrom: '2026-07-24', prices: claude(5, 25, 0.5), source: claudePages },
  {
    ...anthropic,
    models: ['claude-sonnet-5'],
    validFrom: '2026-06-30',
    prices: claude(2, 10, 0.2),
    source: claudePages,
  },
  { ...anthropic, models: ['claude-fable-5'], validFrom: '2026-06-09', prices: claude(10, 50, 1), source: claudePages },
  {
    ...anthropic,
    models: ['claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    prices: claude(5, 25, 0.5),
    source: claudePages,
  },
  { ...anthropic, models: ['claude-sonnet-4-6', 'claude-sonnet-4-5'], prices: claude(3, 15, 0.3), source: claudePages },
  { ...anthropic, models: ['claude-haiku-4-5'], prices: claude(1, 5, 0.1), source: claudePages },

  { ...openai, models: ['gpt-6.2-sol'], validFrom: '2026-11-17', prices: gpt(2, 10, 0.1), source: openaiPages },
  { ...openai, models: ['gpt-6.1-sol'], validFrom: '2026-09-29', prices: gpt(2, 10, 0.1), source: openaiPages },
  {
    ...openai,
    models: ['gpt-6.1-terra'],
    validFrom: '2026-10-26',
    prices: gpt(1, 5, 0.05),
    source: 'https://docs.litellm.ai/blog/gpt-6-1-terra',
  },
  { ...openai, models: ['gpt-6-astra'], validFrom: '2026-09-03', prices: gpt(10, 50, 1), source: openaiPages },
  { ...openai, models: ['gpt-6-sol'], validFrom: '2026-09-22', prices: gpt(2, 10, 0.2), source: openaiPages },
  { ...openai, models: ['gpt-6-luna'], validFrom: '2026-09-22', prices: gpt(0.1, 0.5, 0.01), source: openaiPages },
  // The price fell from 5 and 30 on a day that no source names. The row starts on the day on which the new price was read.
  { ...openai, models: ['gpt-5.6-sol'], validFrom: checkedAt, prices: gpt(4, 20, 0.4), source: openaiPages },
  { ...openai, models: ['gpt-5.6-terra'], prices: gpt(2, 12, 0.2), source: openaiPages },
  { ...openai, models: ['gpt-5.6-luna'], prices: gpt(0.2, 1.2, 0.02), source: openaiPages },
  {
    ...openai,
    models: ['gpt-5.5'],
    prices: freeWritesAbove(272_000, freeWrites(5, 30, 0.5), freeWrites(10, 45, 1)),
    source: piModels,
  },
  {
    ...openai,
    models: ['gpt-5.4'],
    prices: freeWritesAbove(272_000, freeWrites(2.5, 15, 0.25), freeWrites(5, 22.5, 0.5)),
    source: piModels,
  },
  { ...openai, models: ['gpt-5.4-mini'], prices: freeWrites(0.75, 4.5, 0.075), source: piModels },
  { ...openai, models: ['gpt-5.4-nano'], prices: freeWrites(0.2, 1.25, 0.02), source: piModels },
  { ...openai, models: ['gpt-5.3-codex', 'gpt-5.2'], prices: freeWrites(1.75, 14, 0.175), source: piModels },
  { ...openai, models: ['gpt-5.1', 'gpt-5'], prices: freeWrites(1.25, 10, 0.125), source: piModels },
  { ...openai, models: ['gpt-5-mini'], prices: freeWrites(0.25, 2, 0.025), source: piModels },
  { ...openai, models: ['gpt-5-nano'], prices: freeWrites(0.05, 0.4, 0.005), source: piModels },
  { ...openai, models: ['gpt-4.1'], prices: freeWrites(2, 8, 0.5), source: openaiPages },
  { ...openai, models: ['gpt-4o'], prices: freeWrites(2.5, 10, 1.25), source: openaiPages },

  { ...google, models: ['gemini-4-argon'], validTo: '2026-11-30', prices: freeWrites(2, 10, 0.1), source: geminiPages },
  {
    ...google,
    models: ['gemini-4-argon'],
    validFrom: '2026-12-01',
    prices: freeWrites(4, 20, 0.2),
    source: geminiPages,
  },
  {
    ...google,
    models: ['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
    validTo: '2026-12-31',
    prices: freeWrites(0.75, 3.75, 0.075),
    source: geminiPages,
  },
  {
    ...google,
    models: ['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
    validFrom: '2027-01-01',
    prices: freeWrites(1.5, 7.5, 0.15),
    source: geminiPages,
  },
  { ...google, models: ['gemini-3.5-flash'], prices: freeWrites(1.5, 9, 0.15), source: piModels },
  {
    ...google,
    models: ['gemini-3.1-pro-preview'],
    prices: freeWritesAbove(200_000, freeWrites(2, 12, 0.2), freeWrites(4, 18, 0.4)),
    source: piModels,
  },
  {
    ...google,
    models: ['gemini-2.5-pro'],
    prices: freeWritesAbove(200_000, freeWrites(1.25, 10, 0.125), freeWrites(2.5, 15, 0.25)),
    source: 'npm:@pydantic/genai-prices@0.1.8',
  },
  { ...google, models: ['gemini-2.5-flash'], prices: freeWrites(0.3, 2.5, 0.03), source: piModels },
  { ...google, models: ['gemini-2.5-flash-lite'], prices: freeWrites(0.1, 0.4, 0.01), source: piModels },

  // Chinese holidays have no peak hours; the table does not know them.
  {
    ...deepseek,
    ...deepseekPeak,
    models: ['deepseek-flash', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
    prices: freeWrites(0.3, 1.2, 0.006),
    source: deepseekPages,
  },
  {
    ...deepseek,
    models: ['deepseek-flash', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
    prices: freeWrites(0.15, 0.6, 0.003),
    source: deepseekPages,
  },
  {
    ...deepseek,
    ...deepseekPeak,
    models: ['deepseek-v4-pro'],
    prices: freeWrites(1.32, 3.96, 0.044),
    source: deepseekPages,
  },
  { ...deepseek, models: ['deepseek-v4-pro'], prices: freeWrites(0.66, 1.98, 0.022), source: deepseekPages },

  {
    ...mistral,
    models: ['mistral-medium-3.5', 'mistral-medium'],
    prices: freeWrites(1.5, 7.5, 0.15),
    source: piModels,
  },
  {
    ...xai,
    models: ['grok-4.7', 'grok-4.6'],
    prices: freeWritesAbove(200_000, freeWrites(2, 6, 0.5), freeWrites(4, 12, 1)),
    source: piModels,
  },
  { ...xai, models: ['grok-4.5'], prices: freeWrites(2, 6, 0.3), source: piModels },
  { ...xai, models: ['grok-4.3'], prices: freeWrites(1.25, 2.5, 0.2), source: piModels },
  {
    vendor: 'moonshot',
    checkedAt,
    models: ['kimi-k3.1-pro'],
    prices: freeWrites(2, 10, 0.2),
    source: piModels,
  },
  { vendor: 'moonshot', checkedAt, models: ['kimi-k3'], prices: freeWrites(3, 15, 0.3), source: piModels },
  { vendor: 'moonshot', checkedAt, models: ['kimi-k2.6'], prices: freeWrites(0.95, 4, 0.16), source: piModels },
];
