import { costOf } from '@palimpsest/llm-adapters';
import { accountOf } from '../receipts/account.js';
import type { Account, Figures } from '../receipts/account.js';
import { requestOf } from '../receipts/counterfactual.js';
import type { CondensationReceipt, Receipt } from '../receipts/receipt.js';

/** A request that the provider has counted. Unit of the sizes: tokens, as the provider counts. */
export interface RequestReport {
  readonly at: string;
  readonly model: string;
  /** The agent's own list, and what was sent. */
  readonly held: number;
  readonly sent: number;
  /** @defaultValue no price is known, or a subscription pays */
  readonly usd: number | undefined;
  /** The results of its list that brought hidden text back. */
  readonly rereads: number;
}

/** A condensation, and what came back of what it and those before it have hidden. */
export interface CondensationReport extends CondensationReceipt {
  readonly at: string;
  /** The place of its request among those that were counted, from 0. Past their end if its request was not counted. */
  readonly request: number;
  /** Up to the next condensation. Unit of the size: tokens, as estimated. */
  readonly cameBack: { readonly results: number; readonly tokens: number };
  /** The text that the model reads in the place of what went. @defaultValue nothing, or it is not kept any more */
  readonly summary?: string | undefined;
}

/** The report on one conversation. */
export interface ConversationReport extends Figures {
  readonly conversation: string;
  readonly log: string;
  readonly models: readonly string[];
  readonly firstAt: string;
  readonly lastAt: string;
  readonly held: number | undefined;
  readonly sent: number | undefined;
  readonly window: number | undefined;
  readonly requests: readonly RequestReport[];
  readonly made: readonly CondensationReport[];
}

/** Returns what is told of a conversation. @param receipts - its own, oldest first, and at least one */
export function conversationReport(receipts: readonly Receipt[]): ConversationReport {
  const { receipts: own, steps, ...figures } = accountOf(receipts);
  const [first, last] = [own[0] as Receipt, own.at(-1) as Receipt];
  return {
    ...figures,
    log: last.log,
    models: [...new Set(own.map(({ model }) => model))],
    firstAt: first.at,
    lastAt: last.at,
    requests: steps.map((step) => {
      const { receipt, held, sent, rereads } = step;
      const { usage, cacheWrites, prices } = requestOf(step);
      const usd = prices && costOf(usage, prices, { cacheWrites });
      return { at: receipt.at, model: receipt.model, held, sent, usd, rereads: rereads?.results ?? 0 };
    }),
    made: condensationsOf({ receipts: own, steps }),
  };
}

function condensationsOf({ receipts, steps }: Pick<Account, 'receipts' | 'steps'>): readonly CondensationReport[] {
  const made: CondensationReport[] = [];
  let request = 0;
  for (const receipt of receipts) {
    const { rereads, condensations, at } = receipt;
    const newest = made.at(-1);
    // What came back with this request was hidden before it.
    if (newest !== undefined && rereads !== undefined) {
      const { results, tokens } = newest.cameBack;
      const cameBack = { results: results + rereads.results, tokens: tokens + rereads.tokens };
      made[made.length - 1] = { ...newest, cameBack };
    }
    for (const one of condensations) made.push({ ...one, at, request, cameBack: { results: 0, tokens: 0 } });
    if (steps[request]?.receipt === receipt) request++;
  }
  return made;
}
