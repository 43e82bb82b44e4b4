import type { Event } from '@palimpsest/events';
import { hashOf } from './hash.js';

/**
 * What some events change in the overview of their conversation: the columns beside its version, which are a fold of the log. Ids are hashes:
 * the columns only have to count them.
 */
export interface OverviewChange {
  readonly tenant: string | null;
  /** The status that the events leave; null: that of before, unless the user spoke. */
  readonly status: string | null;
  /** 1: the user spoke after the last status, which begins a finished or stuck conversation anew. */
  readonly spoke: 0 | 1;
  /** The newest timestamp, in ISO 8601. */
  readonly activeAt: string | null;
  /** The number that `attempts` is added to: the stored number, the stored number if that run is open, or 0. */
  readonly attemptsFrom: 'stored' | 'running' | 'none';
  /** The number of times that a run was begun, or taken over. */
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Unit: 10⁻⁹ USD, so that sums are exact. */
  readonly nanoUsd: number;
  /** The size of the bodies. Unit: bytes. */
  readonly bytes: number;
  /** Of the stored open actions these stay: `all`, `none`, or those of this response. */
  readonly kept: string;
  /** Actions that were answered or confirmed, of those that were stored. */
  readonly removed: readonly string[];
  /** Actions that wait for a result. */
  readonly added: readonly string[];
  /** The newest response of the model. */
  readonly response: string | null;
}

/** Returns what events change. Events of strangers, whatever their fields hold, change nothing else than they may. */
export function overviewChange(
  events: readonly Event[],
  bodies: readonly string[],
  tenant: string | undefined,
): OverviewChange {
  const fold = new OverviewFold();
  events.forEach((event, index) => fold.append(event, bodies[index] ?? ''));
  return fold.change(tenant);
}

/** The change as parameters of a statement, in the order that `overview-statement.ts` names. */
export function parametersOf(change: OverviewChange): readonly unknown[] {
  const { tenant, status, activeAt, attempts, inputTokens, outputTokens, nanoUsd, bytes, response, added } = change;
  const { spoke, attemptsFrom, kept, removed } = change;
  return [
    ...[tenant, status, activeAt, attempts, inputTokens, outputTokens, nanoUsd, bytes, response, added],
    ...[spoke, attemptsFrom, kept, removed],
  ];
}

/** Adds up what events change, one by one. */
export class OverviewFold {
  #status: string | undefined;
  #spoke = false;
  #activeAt = Number.NEGATIVE_INFINITY;
  #attemptsFrom: OverviewChange['attemptsFrom'] = 'stored';
  #attempts = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #nanoUsd = 0;
  #bytes = 0;
  #kept = 'all';
  readonly #removed = new Set<string>();
  readonly #added = new Set<string>();
  #response: string | undefined;

  append(event: Event, body: string): void {
    this.#bytes += utf8.encode(body).length;
    const time = Date.parse(event.timestamp);
    if (time >= minTime && time <= maxTime) this.#activeAt = Math.max(this.#activeAt, time);
    switch (event.type) {
      case 'conversation-state-update':
        if (event.key === 'status' && typeof event.value === 'string') this.#become(event.value);
        if (event.key === 'confirmed-actions' && event.source === 'user') this.#confirm(event.value);
        break;
      case 'message':
        if (event.source === 'user' && event.role === 'user') this.#speak();
        if (event.source === 'agent') this.#respond(event.llmResponseId ?? event.id);
        break;
      case 'action':
        this.#respond(event.llmResponseId);
        if (event.executable !== false) this.#added.add(idOf(event.id));
        break;
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        if (event.actionId !== undefined) this.#close(event.actionId);
        break;
      case 'llm-usage':
        this.#spend(event);
        break;
      case 'condensation':
        this.#spend(event.metadata ?? {});
        break;
      case 'condensation-attempt':
        this.#spend(event.data ?? {});
        break;
      default:
        break;
    }
  }

  change(tenant: string | undefined): OverviewChange {
    return {
      tenant: tenant ?? null,
      status: this.#status ?? null,
      spoke: this.#spoke ? 1 : 0,
      activeAt: Number.isFinite(this.#activeAt) ? new Date(this.#activeAt).toISOString() : null,
      attemptsFrom: this.#attemptsFrom,
      attempts: this.#attempts,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      nanoUsd: this.#nanoUsd,
      bytes: this.#bytes,
      kept: this.#kept,
      removed: [...this.#removed],
      added: [...this.#added],
      response: this.#response ?? null,
    };
  }

  #become(status: string): void {
    if (!/^[a-z][a-z-]{0,62}$/.test(status)) return;
    if (status === 'running') {
      // Said again, a run goes on that its process has left.
      if (this.#status === 'running') this.#attempts++;
      else {
        this.#attemptsFrom = this.#status === undefined ? 'running' : 'none';
        this.#attempts = 1;
      }
    }
    this.#status = status;
    this.#spoke = false;
  }

  #speak(): void {
    if (this.#status === undefined) this.#spoke = true;
    else if (this.#status === 'finished' || this.#status === 'stuck') this.#status = 'idle';
  }

  /** A response of the model abandons what is open of the one before. */
  #respond(responseId: string): void {
    const response = idOf(responseId);
    if (response === this.#response) return;
    this.#kept = this.#response === undefined ? response : 'none';
    this.#added.clear();
    this.#response = response;
  }

  #confirm(value: unknown): void {
    const actions = Array.isArray(value) ? value : ((value as { readonly actions?: unknown } | null)?.actions ?? []);
    if (!Array.isArray(actions)) return;
    for (const id of actions) if (typeof id === 'string') this.#close(id);
  }

  #close(actionId: string): void {
    const action = idOf(actionId);
    if (!this.#added.delete(action)) this.#removed.add(action);
  }

  #spend({ usage, costUsd }: { readonly usage?: unknown; readonly costUsd?: unknown }): void {
    const count = (name: string) => {
      const tokens = (usage as Readonly<Record<string, unknown>> | null | undefined)?.[name];
      return typeof tokens === 'number' && tokens >= 0 && tokens <= maxTokens ? Math.round(tokens) : 0;
    };
    this.#inputTokens += count('uncachedInputTokens') + count('cacheReadTokens') + count('cacheWriteTokens');
    this.#outputTokens += count('outputTokens');
    if (typeof costUsd === 'number' && costUsd >= 0 && costUsd <= maxUsd) this.#nanoUsd += Math.round(costUsd * 1e9);
  }
}

const utf8 = new TextEncoder();
/** The largest and smallest values of the columns, whatever the number of events. */
const maxTokens = 1e12;
const maxUsd = 1e6;
const minTime = 0;
const maxTime = Date.UTC(9999, 0);

/** As a signed integer, which the columns hold. */
function idOf(id: string): string {
  return String(hashOf(id) | 0);
}
