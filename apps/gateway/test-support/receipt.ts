import type { Usage } from '@palimpsest/events';
import type { Receipt } from '../src/receipts/receipt.js';

/** The fields that a test states of a request. */
export interface ReceiptFields extends Partial<Omit<Receipt, 'usage' | 'at'>> {
  /** Minutes after the first request. @defaultValue 0 */
  readonly minute?: number;
  /** Input tokens that the cache served, that were written to it, and output tokens. @defaultValue the provider counted nothing */
  readonly counted?: readonly [read: number, written: number, output: number];
}

/** Makes a receipt of an untouched request of a Claude, at 1 USD a million tokens of input. */
export function receipt({ minute = 0, counted, ...fields }: ReceiptFields = {}): Receipt {
  const usage: Usage | undefined = counted && {
    uncachedInputTokens: 0,
    cacheReadTokens: counted[0],
    cacheWriteTokens: counted[1],
    outputTokens: counted[2],
  };
  const sent = fields.sent ?? (counted === undefined ? 0 : counted[0] + counted[1]);
  return {
    at: new Date(Date.parse('2026-11-27T09:00:00Z') + minute * 60_000).toISOString(),
    conversation: '0123456789ab',
    log: 'ba9876543210',
    api: 'messages',
    model: 'claude-opus-4-5',
    status: 200,
    way: 'untouched',
    isSubscription: false,
    usage,
    prices: { input: 1, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteByTtl: { '1h': 2 }, output: 5 },
    held: sent,
    sent,
    isRewrite: false,
    isAgain: false,
    condensations: [],
    inForce: 0,
    isHeldBack: false,
    overheadMs: 1,
    ...fields,
  };
}

/** The fields of a request that has made a condensation. Unit: tokens. */
export function condensing(savedTokens: number, rewrittenTokens: number, hidden = { read: 3 }): ReceiptFields {
  return {
    way: 'condensed',
    isRewrite: true,
    inForce: 1,
    condensations: [{ id: 'evt-1', reason: 'rent', hidden, savedTokens, rewrittenTokens }],
  };
}
