import { compactsFrom } from './counterfactual.js';
import type { Amount, Figures, Range } from './account.js';
import type { HeldOut } from './held-out.js';

/** Returns a number of tokens as people read it: 950, 9.5k, 130k, 1.2M, 2M. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  const [unit, size] = tokens < 999_500 ? ['k', tokens / 1_000] : ['M', tokens / 1_000_000];
  return `${size.toFixed(size < 9.95 ? 1 : 0).replace('.0', '')}${unit}`;
}

/** Returns an amount of money: in cents, and a small one in tenths of them. */
export function usdText(usd: number): string {
  return `$${usd.toFixed(Math.abs(usd) < 0.1 ? 3 : 2)}`;
}

/** Returns a range of what is at least 0, as one number where its ends read alike. */
export function rangeText({ least, most }: Range, text: (value: number) => string): string {
  const [from, to] = [text(least), text(most)];
  return from === to ? from : `${from} to ${to}`;
}

/** Returns what is known of a saving: `saved $0.50 to $0.62 (27 to 31 %)`, `lost $0.02 (3 %)`. */
export function savedText({ control, savedUsd, savedTokens }: Figures): string {
  const amount = (range: Range): string =>
    savedUsd === undefined ? `${rangeText(range, tokensText)} tokens` : rangeText(range, usdText);
  const { least, most } = savedUsd ?? savedTokens;
  if (Math.max(Math.abs(least), Math.abs(most)) < (savedUsd === undefined ? 0.5 : 0.0005)) return 'saved nothing';
  const share = (part: number, { usd, inputTokens }: Amount): number => part / (usd ?? (inputTokens || 1));
  const percent = (range: Range): string => `${rangeText(range, (part) => (part * 100).toFixed(0))} %`;
  if (least < 0 && most > 0)
    return `lost ${amount({ least: -least, most: -least })}, or saved ${amount({ least: most, most })}, or something between`;
  const shares = [share(least, control.least), share(most, control.most)].map(Math.abs);
  const of = percent({ least: Math.min(...shares), most: Math.max(...shares) });
  if (most <= 0 && least < 0) return `lost ${amount({ least: -most, most: -least })} (${of})`;
  return `saved ${amount({ least, most })} (${of})`;
}

/** Returns what limits the truth of a bill, in whole sentences. */
export function gapsIn({
  counted,
  uncounted,
  withoutPrice,
  isSubscription,
  isBeyondWindow,
}: Figures): readonly string[] {
  const gaps: string[] = [];
  if (uncounted > 0) gaps.push(`${count(uncounted, 'answer')} came without usage, and stands in no figure.`);
  if (isSubscription) gaps.push('A subscription pays: what is saved is no money.');
  else if (withoutPrice > 0 && withoutPrice === counted) gaps.push('The price of the model is not known.');
  else if (withoutPrice > 0)
    gaps.push(`The price of ${count(withoutPrice, 'request')} is not known: no sum of money holds it.`);
  if (isBeyondWindow)
    gaps.push('The agent alone would have compacted its list by now: nothing counts as saved from there on.');
  return gaps;
}

/** Returns how to leave a gateway behind which the agent's own list has grown too large. */
export function wayOutText(): string {
  return `The agent's own list is more than ${compactsFrom * 100} % of the window. Resumed directly, such a session is refused: resume it through the gateway, and give /compact there first.`;
}

/** Returns what the sessions that passed unchanged tell of the saving in the others. */
export function heldOutText({ sessions, heldOut, saving, isKnown, sessionsNeeded }: HeldOut): string {
  const drawn = `Held out: ${heldOut} of ${count(sessions, 'session')}.`;
  if (saving === undefined) return `${drawn} What is saved is not known yet.`;
  const { mean, low, high } = saving;
  const percent = (part: number): string => (part * 100).toFixed(0);
  if (!isKnown)
    return `${drawn} What is saved is not known yet: between ${percent(low)} and ${percent(high)} % of a typical session. Some ${sessionsNeeded} sessions would show a quarter.`;
  const [least, most] = mean > 0 ? [low, high] : [-high, -low];
  return `${drawn} A typical session costs ${percent(Math.abs(mean))} % ${mean > 0 ? 'less' : 'more'} than they do (95 % interval: ${percent(least)} to ${percent(most)} %).`;
}

/** Returns a number with its noun: `1 request`, `3 requests`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
