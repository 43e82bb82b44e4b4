import type { CreateEvent } from '@palimpsest/events';
import type { CachePrices, Condenser } from '@palimpsest/view';
import { extractiveSummaryCondenser } from '../extractive-summary/extractive-summary.js';
import type { ExtractiveSummaryOptions } from '../extractive-summary/extractive-summary.js';

/** What a preset consists of. */
export interface Preset {
  readonly stages: readonly Condenser[];
  /** Prices that replace those of the host. */
  readonly prices?: CachePrices | undefined;
}

/** The smallest requests that keep the newest steps and a summary. */
const small = { targetTokens: 14_000, maxSummaryTokens: 1_000, maxNameTokens: 2_500 };

/** The sizes of each preset. Unit: tokens. What each costs and remembers: `docs/results.md` of the test harness. */
const sizes = {
  /** The smallest bill. Old text is read again when it is needed. */
  cheapest: small,
  /** The default: between the two. */
  balanced: { targetTokens: 20_000, maxSummaryTokens: 1_500, maxNameTokens: 4_000, maxFileTokens: 6_000 },
  /** Up to a third of the tokens of doing nothing. */
  remembersMost: { targetTokens: 22_000, maxSummaryTokens: 2_000, maxNameTokens: 8_000, maxFileTokens: 8_000 },
  /** For models without a prompt cache: a request costs what it holds, so it is kept small all the time. */
  noCache: small,
} as const satisfies Readonly<Record<string, ExtractiveSummaryOptions>>;

/** The name of a preset of {@link pricedCondenser}. */
export type PresetName = keyof typeof sizes;

/** The presets of {@link pricedCondenser}, the default first. */
export const presetNames: readonly [PresetName, ...PresetName[]] = ['balanced', 'cheapest', 'remembersMost', 'noCache'];

/** Events are no measure of a bill. */
const anyNumber = Number.MAX_SAFE_INTEGER;

/** The stages of a preset, and its prices. */
export function presetOf(name: PresetName, createEvent?: CreateEvent): Preset {
  const stage = extractiveSummaryCondenser({ maxSize: anyNumber, keepFirst: 1, ...sizes[name], createEvent });
  return name === 'noCache' ? { stages: [stage], prices: { read: 1, write: 1 } } : { stages: [stage] };
}
