import type { CreateEvent } from '@palimpsest/events';
import type { CachePrices, Condenser } from '@palimpsest/view';
import { extractiveSummaryCondenser } from '../extractive-summary/extractive-summary.js';
import type { ExtractiveSummaryOptions } from '../extractive-summary/extractive-summary.js';

/** The parts of a preset. */
export interface Preset {
  readonly stages: readonly Condenser[];
  /** Prices that replace those of the host. */
  readonly prices?: CachePrices | undefined;
}

/** Files in work take a third of the request, because an edit quotes them. */
const filesInWork = {
  targetTokens: 12_000,
  maxSummaryTokens: 1_500,
  maxUserWordTokens: 700,
  maxNameTokens: 3_000,
  maxFileTokens: 6_000,
};

/**
 * The sizes of each preset, the same for all prices. Unit: tokens. What each costs and remembers: `docs/results.md` of the test
 * harness. How they were chosen: decision 54.
 */
const sizes = {
  /**
   * The smallest bill: the newest steps, a summary and names; no smaller request remembered four fifths of what is needed again. Old
   * text is read again when it is needed.
   */
  cheapest: { targetTokens: 8_000, maxSummaryTokens: 1_000, maxUserWordTokens: 400, maxNameTokens: 2_500 },
  /** The default, between the two. */
  balanced: filesInWork,
  /** Up to 30 % of the tokens of doing nothing: names take what files in work leave, because identifiers are needed most often. */
  remembersMost: {
    targetTokens: 13_000,
    maxSummaryTokens: 1_500,
    maxUserWordTokens: 700,
    maxNameTokens: 8_000,
    maxFileTokens: 4_000,
  },
  /** For models without a prompt cache: a request costs what it holds, so it is kept small all the time. */
  noCache: filesInWork,
} as const satisfies Readonly<Record<string, ExtractiveSummaryOptions>>;

/** The name of a preset of {@link pricedCondenser}. */
export type PresetName = keyof typeof sizes;

/** The presets of {@link pricedCondenser}, the default first. */
export const presetNames: readonly [PresetName, ...PresetName[]] = ['balanced', 'cheapest', 'remembersMost', 'noCache'];

/** Events are no measure of a bill. */
const anyNumber = Number.MAX_SAFE_INTEGER;

/** Returns the stages of a preset, and its prices. */
export function presetOf(name: PresetName, createEvent?: CreateEvent): Preset {
  const stage = extractiveSummaryCondenser({ maxSize: anyNumber, keepFirst: 1, ...sizes[name], createEvent });
  return name === 'noCache' ? { stages: [stage], prices: { read: 1, write: 1 } } : { stages: [stage] };
}
