import type { CreateEvent } from '@palimpsest/events';
import type { CachePrices, Condenser } from '@palimpsest/view';
import { digestCondenser } from '../digest/digest.js';
import type { DigestOptions } from '../digest/digest.js';

/** The parts of a preset. */
export interface Preset {
  readonly stages: readonly Condenser[];
  /** Prices that replace those of the host. */
  readonly prices?: CachePrices | undefined;
}

/**
 * The sizes of each preset, the same for all prices. Unit: tokens. What each costs and remembers: `docs/results.md` of the test
 * harness.
 */
const sizes = {
  /** The smallest bill. Old text is read again when it is needed. */
  cheapest: { targetTokens: 9_000, maxLineTokens: 5_000 },
  /** The default, between the two. */
  balanced: { targetTokens: 12_000, maxLineTokens: 7_500 },
  /** The most that is remembered for less than a third of the tokens of doing nothing. */
  remembersMost: { targetTokens: 18_000, maxLineTokens: 12_000 },
  /** For models without a prompt cache: the sizes of `balanced`, at prices that do not know one. */
  noCache: { targetTokens: 12_000, maxLineTokens: 7_500 },
} as const satisfies Readonly<Record<string, DigestOptions>>;

/** The name of a preset of {@link pricedCondenser}. */
export type PresetName = keyof typeof sizes;

/** The presets of {@link pricedCondenser}, the default first. */
export const presetNames: readonly [PresetName, ...PresetName[]] = ['balanced', 'cheapest', 'remembersMost', 'noCache'];

/** Events are no measure of a bill. */
const anyNumber = Number.MAX_SAFE_INTEGER;

/** Returns the stages of a preset, and its prices. */
export function presetOf(name: PresetName, createEvent?: CreateEvent): Preset {
  const stage = digestCondenser({ maxSize: anyNumber, keepFirst: 1, ...sizes[name], createEvent });
  return name === 'noCache' ? { stages: [stage], prices: { read: 1, write: 1 } } : { stages: [stage] };
}
