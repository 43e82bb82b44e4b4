import { memoryEventStore } from '@palimpsest/events';
import { costOf, pricesAt } from '@palimpsest/llm-adapters';
import { anthropicUsage, openaiUsage } from '@palimpsest/llm-adapters/wire';
import { describe, expect, it } from 'vitest';
import { condensing, receipt } from '../../test-support/receipt.js';
import { scriptedSession } from '../../test-support/scripted-session.js';
import type { Needs, Session } from '../../test-support/scripted-session.js';
import { gatewayOf } from '../core/gateway.js';
import { accountOf, byConversation, totalOf } from './account.js';
import type { Receipt } from './receipt.js';

const apis = [
  ['anthropic', 'claude-opus-4-5'],
  ['openai', 'gpt-5'],
] as const;

/** Runs a session without a gateway, and with one. */
async function both(api: 'anthropic' | 'openai', model: string, needs: Needs) {
  const receipts: Receipt[] = [];
  const clocks = [start, start].map((now) => ({ now }));
  const session = { api, model, needs, steps: 60 };
  const alone = await scriptedSession({ ...session, clock: clocks[0]! });
  const through = await scriptedSession({
    ...session,
    clock: clocks[1]!,
    through: (upstream) =>
      gatewayOf({
        upstream,
        store: memoryEventStore(),
        onReceipt: (receipt) => void receipts.push(receipt),
        now: () => clocks[1]!.now,
      }),
  });
  const bill = ({ usages }: Session): number =>
    usages.reduce<number>((sum, reported) => {
      const { usage, cacheWrites } = (api === 'anthropic' ? anthropicUsage : openaiUsage)(reported)!;
      return sum + costOf(usage, pricesAt(model, start)!, { cacheWrites });
    }, 0);
  return { alone: bill(alone), through: bill(through), looks: through.looks, account: accountOf(receipts) };
}

const start = new Date('2026-11-27T09:00:00Z');

describe.each(apis)('the account beside a real run without a gateway: %s', (api, model) => {
  it.each<Needs>(['nothing', 'same-calls', 'other-calls'])(
    'of a model that needs %s',
    async (needs) => {
      const { alone, through, looks, account } = await both(api, model, needs);
      const { actual, control, savedUsd } = account;
      expect(account.condensations).toBeGreaterThan(2);
      expect(account.rereads).toBe(looks);
      expect(looks > 0).toBe(needs !== 'nothing');
      expect(actual.usd).toBeCloseTo(through, 9);
      expect(Math.abs((control.least.usd ?? 0) / alone - 1)).toBeLessThan(needs === 'other-calls' ? 0.01 : 0.001);
      // The saving is never stated too high, but for what an estimate leaves open.
      expect(savedUsd?.least).toBeLessThan((alone - through) * 1.001);
      expect(savedUsd!.most > savedUsd!.least).toBe(looks > 0);
    },
    120_000,
  );
});

describe('an account', () => {
  const grown = [receipt({ counted: [0, 20_000, 100] }), receipt({ counted: [20_000, 10_000, 100] })];
  const fields = { ...condensing(19_000, 6_000), held: 32_000, sent: 13_000 };
  const condensed = receipt({ counted: [5_000, 8_000, 50], ...fields });

  it('counts an error that was tried again once: its rewrite and what came back are those of the second try', () => {
    const rereads = { results: 2, tokens: 900, outputTokens: 30, isAlone: false };
    const busy = receipt({ ...fields, status: 529, rereads });
    const again = receipt({
      ...fields,
      counted: [5_000, 8_000, 50],
      condensations: [],
      isRewrite: false,
      isAgain: true,
    });
    const twice = accountOf([...grown, busy, again]);
    const once = accountOf([...grown, { ...condensed, rereads }]);
    expect(twice.control).toEqual(once.control);
    expect(twice.actual).toEqual(once.actual);
    expect(twice).toMatchObject({ failed: 1, uncounted: 0, condensations: 1, rereads: 2 });
  });

  it('says of an answer without usage that it was not counted', () => {
    expect(accountOf([...grown, receipt()])).toMatchObject({ uncounted: 1, failed: 0 });
  });

  it.each<[string, Partial<Receipt>]>([
    ['a model without a price', { prices: undefined }],
    ['a subscription', { isSubscription: true }],
  ])('has tokens and no money for %s', (_, changes) => {
    const account = accountOf([...grown, condensed].map((one) => ({ ...one, ...changes })));
    expect(account).toMatchObject({ savedTokens: { least: 19_000, most: 19_000 }, withoutPrice: 3 });
    expect([account.savedUsd, account.actual.usd, account.control.most.usd]).toEqual([undefined, undefined, undefined]);
  });

  it('gives a saving as a range: all that came back is the fault of the gateway, or what exceeds a habit', () => {
    const rereads = { results: 1, tokens: 900, outputTokens: 30, isAlone: true };
    const backs = Array.from({ length: 4 }, (_, index) =>
      receipt({
        counted: [13_000 + 900 * index, 900, 70],
        ...fields,
        condensations: [],
        isRewrite: false,
        held: 32_900 + 900 * index,
        rereads,
      }),
    );
    const { savedUsd, control } = accountOf([...grown, condensed, ...backs]);
    const all = accountOf([...grown, condensed, ...backs].map((one) => ({ ...one, rereads: undefined })));
    const whole = all.control.least.usd! - control.least.usd!;
    // Seven requests, so 0.35 of the four results.
    expect(savedUsd!.most - savedUsd!.least).toBeCloseTo((whole * 0.35) / 4, 9);
  });

  it('claims nothing from the request on at which the agent alone would have compacted', () => {
    const [first, second] = [
      { ...grown[0]!, window: 40_000 },
      { ...condensed, window: 40_000, held: 31_000 },
    ];
    const beyond = receipt({
      ...fields,
      counted: [13_000, 3_000, 50],
      window: 40_000,
      held: 34_000,
      condensations: [],
      isRewrite: false,
    });
    const before = accountOf([first, grown[1]!, second]);
    const after = accountOf([first, grown[1]!, second, beyond]);
    expect(before).toMatchObject({ isBeyondWindow: false, held: 31_000 });
    expect(after).toMatchObject({ isBeyondWindow: true });
    expect(after.savedUsd!.least).toBeCloseTo(before.savedUsd!.least, 9);
  });

  it('adds up with others', () => {
    const accounts = [accountOf(grown), accountOf([...grown, condensed])];
    expect(totalOf(accounts).savedTokens).toEqual({ least: 19_000, most: 19_000 });
    const both = byConversation([...grown, { ...condensed, conversation: 'other' }]).map(accountOf);
    expect(both.map(({ conversation, counted }) => [conversation, counted])).toEqual([
      ['0123456789ab', 2],
      ['other', 1],
    ]);
  });
});
