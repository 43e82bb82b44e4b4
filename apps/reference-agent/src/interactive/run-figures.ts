import { usageSchema } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { noUsage, sumUsage, totalInputTokens } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { RunningAccount, savedShares } from '../run-account.js';
import type { CacheBreak, RunAccount } from '../run-account.js';

/** What the calls of one model for one purpose have used. */
export interface ModelBill {
  readonly model: string;
  /** `agent`, or the condenser that asked. */
  readonly purpose: string;
  readonly calls: number;
  readonly usage: Usage;
  /** Unit: USD. Undefined as soon as the cost of one call is not known. */
  readonly costUsd: number | undefined;
}

/** The figures of a session so far. */
export interface SessionFigures {
  /** All input of the agent's last request. Undefined before the first. Unit: tokens, as the provider counts. */
  readonly requestTokens: number | undefined;
  /** What all model calls cost. Undefined as soon as the cost of one is not known. Unit: USD. */
  readonly costUsd: number | undefined;
  /** Of the agent's input, what was read from the prompt cache: from 0 to 1. Undefined before the first call. */
  readonly cachedShare: number | undefined;
  /** The shares of all tokens and of the bill that condensation saved, from 0 to 1; negative if it cost more. */
  readonly savedTokens: number;
  readonly savedBill: number;
  /** What condensation saved. Unit: USD, estimated at the prices of the model, or of a usual one where they are not known. */
  readonly savedUsd: number;
  readonly condensations: number;
  /** Model calls of the agent. */
  readonly steps: number;
}

/** The figures of a session, kept while its log grows. Each append costs O(1) amortised; a condensation as much as in a view. */
export class RunFigures {
  readonly #account = new RunningAccount();
  readonly #bills = new Map<string, ModelBill>();
  #requestTokens: number | undefined;

  /** @param log - the events so far. @defaultValue none */
  constructor(log: Iterable<Event> = []) {
    for (const event of log) this.append(event);
  }

  /** Adds the next event of the log. */
  append(event: Event): void {
    this.#account.append(event);
    switch (event.type) {
      case 'llm-usage':
        if (event.purpose === 'agent') this.#requestTokens = totalInputTokens(event.usage);
        this.#bill(event.model, event.purpose ?? 'other', event);
        break;
      case 'condensation':
        this.#bill(event.metadata?.['model'], event.metadata?.['condenser'], event.metadata ?? {});
        break;
      case 'condensation-attempt':
        this.#bill(event.data?.['model'], event.condenser, event.data ?? {});
        break;
      default:
        break;
    }
  }

  figures(): SessionFigures {
    const { account, bills } = this;
    const { tokens: savedTokens, bill: savedBill } = savedShares(account);
    const agent = sumUsage(bills.filter(({ purpose }) => purpose === 'agent').map(({ usage }) => usage));
    const input = totalInputTokens(agent);
    return {
      requestTokens: this.#requestTokens,
      costUsd: costOf(bills),
      cachedShare: input === 0 ? undefined : agent.cacheReadTokens / input,
      savedTokens,
      savedBill,
      savedUsd: account.costUncondensedUsd - account.costUsd,
      condensations: account.condensations,
      steps: account.steps,
    };
  }

  /** With and without condensation, each call at the prices of its model. */
  get account(): RunAccount {
    return this.#account.account;
  }

  /** By model and purpose, the agent's first. */
  get bills(): readonly ModelBill[] {
    return [...this.#bills.values()].sort((a, b) => Number(b.purpose === 'agent') - Number(a.purpose === 'agent'));
  }

  /** The calls that could not read the whole request before from the prompt cache. */
  get cacheBreaks(): readonly CacheBreak[] {
    return this.#account.cacheBreaks;
  }

  get view(): View {
    return this.#account.view;
  }

  #bill(model: unknown, purpose: unknown, call: { readonly usage?: unknown; readonly costUsd?: unknown }): void {
    const { success, data: usage } = usageSchema.safeParse(call.usage);
    if (!success) return;
    const [name, whom] = [model, purpose].map((each) => (typeof each === 'string' ? each : 'unknown')) as [
      string,
      string,
    ];
    const key = JSON.stringify([name, whom]);
    const before = this.#bills.get(key) ?? { model: name, purpose: whom, calls: 0, usage: noUsage, costUsd: 0 };
    const isKnown = typeof call.costUsd === 'number' && before.costUsd !== undefined;
    this.#bills.set(key, {
      ...before,
      calls: before.calls + 1,
      usage: sumUsage([before.usage, usage]),
      costUsd: isKnown ? before.costUsd + call.costUsd : undefined,
    });
  }
}

/** Unit: USD. Undefined if one is not known. */
export function costOf(bills: readonly ModelBill[]): number | undefined {
  return bills.reduce<number | undefined>(
    (sum, { costUsd }) => (sum === undefined || costUsd === undefined ? undefined : sum + costUsd),
    0,
  );
}
