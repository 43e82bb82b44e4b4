import { accountOf, byConversation, totalOf } from './account.js';
import type { Account, Figures } from './account.js';
import { count, gapsIn, rangeText, savedText, tokensText, usdText, wayOutText } from './phrases.js';
import type { Receipt } from './receipt.js';

/** The last lines of a run: what was sent, what it cost, what is known of the saving, how large the agent's own list is, how to leave. */
export function summaryOf(receipts: readonly Receipt[]): readonly string[] {
  if (receipts.length === 0) return ['No request arrived: the agent has sent to another place, or to none.'];
  const accounts = byConversation(receipts).map(accountOf);
  const total = totalOf(accounts);
  const main = accounts.reduce((one, other) => ((other.held ?? 0) > (one.held ?? 0) ? other : one));
  const gaps = gapsIn(total);
  return [
    sentLine(receipts, accounts.length, total),
    savedLine(receipts, total),
    ...(gaps.length === 0 ? [] : [gaps.join(' ')]),
    ...(total.isHeldBack ? ['Condensation is held back: what came back has cost more than it may.'] : []),
    ...problemLines(total),
    ...listLines(main),
    main.isBeyondWindow ? wayOutText() : 'To go on without the gateway, start the agent as usual.',
  ];
}

function sentLine(receipts: readonly Receipt[], conversations: number, { actual, failed }: Figures): string {
  const read = receipts.reduce((sum, { usage }) => sum + (usage?.cacheReadTokens ?? 0), 0);
  const errors = failed === 0 ? '' : ` (${failed} failed)`;
  const tokens = `${tokensText(actual.inputTokens)} tokens sent, ${tokensText(read)} of them read from the cache, ${tokensText(actual.outputTokens)} of output`;
  const cost = actual.usd === undefined ? '' : `. Cost: ${usdText(actual.usd)}`;
  return `${count(receipts.length, 'request')}${errors} in ${count(conversations, 'conversation')}: ${tokens}${cost}.`;
}

function savedLine(receipts: readonly Receipt[], total: Figures): string {
  if (receipts.every(({ holdOut }) => holdOut?.isHeldOut))
    return 'This session was held out: it passed unchanged, so that `report` can compare the others with it.';
  if (receipts.every(({ way }) => way === 'passed')) return 'All of it passed unchanged: nothing was condensed.';
  if (receipts.every(({ inForce }) => inForce === 0))
    return 'Nothing was condensed so far: nothing is saved, and nothing is lost.';
  if (total.counted === 0) return 'Nothing is known of the saving: the provider has counted nothing.';
  const { least, most } = total.control;
  const without =
    least.usd === undefined || most.usd === undefined
      ? `${rangeText({ least: least.inputTokens, most: most.inputTokens }, tokensText)} tokens`
      : rangeText({ least: least.usd, most: most.usd }, usdText);
  const made = `${count(total.condensations, 'condensation')}, ${count(total.rereads, 'hidden result')} read again`;
  return `${made}. Without the gateway: ${without}. So far the gateway has ${savedText(total)}.`;
}

function problemLines({ problems }: Figures): readonly string[] {
  if (problems.length === 0) return [];
  return [`${count(problems.length, 'request')} went on in spite of a problem: ${problems.at(-1)}`];
}

function listLines({ held, sent, window }: Account): readonly string[] {
  if (held === undefined || sent === undefined) return [];
  const ofWindow = window === undefined ? '' : ` of a window of ${tokensText(window)}`;
  const last = Math.abs(held - sent) < 1 ? '' : `; the last request sent ${tokensText(sent)}`;
  return [`The agent's own list has ${tokensText(held)} tokens${ofWindow}${last}.`];
}
