import { retryDelayMs } from '@palimpsest/agent/runner';
import type { Database } from './database.js';

/** For how long one request alone may try a provider that is down, whose worker does not die. Unit: seconds. */
const probeSeconds = 120;

/** The providers of models that are down. Of the requests that failed by one, a single one tries it, and then the others go on. */
export class Outages {
  readonly #database: Database;
  readonly #queue: string;

  constructor(database: Database, queue: string) {
    this.#database = database;
    this.#queue = queue;
  }

  /** Returns 0 if a request may try the provider, or else after what time it may ask again. Unit: milliseconds. */
  async waitMs(provider: string, request: string): Promise<number> {
    const [probe] = await this.#query<object>(
      `update palimpsest_dbos.outages set probe = $3, probe_until = now() + make_interval(secs => ${probeSeconds})
       where queue = $1 and provider = $2 and retry_at <= now() and (probe is null or probe = $3 or probe_until < now())
       returning 1`,
      [provider, request],
    );
    if (probe !== undefined) return 0;
    const [outage] = await this.#query<{ ms: number }>(
      `select ceil(greatest(extract(epoch from retry_at - now()) * 1000, 0))::float8 as ms
       from palimpsest_dbos.outages where queue = $1 and provider = $2`,
      [provider],
    );
    if (outage === undefined) return 0;
    // The one that tries it wakes the others: this is for one that dies.
    return outage.ms + 1_000 + Math.random() * 10_000;
  }

  /** Lets another request try the provider that this one would have tried: it has not asked, or its worker is dead. */
  async release(request: string): Promise<void> {
    await this.#query<object>('update palimpsest_dbos.outages set probe = null where queue = $1 and probe = $2', [
      request,
    ]);
  }

  /** Notes that a provider has failed. The time until the next try grows with each. */
  async failed(provider: string, retryMs: number, retryAfterMs: number | undefined): Promise<void> {
    const [row] = await this.#query<{ failures: number }>(
      `insert into palimpsest_dbos.outages as outage (queue, provider, failures, retry_at) values ($1, $2, 1, now())
       on conflict (queue, provider) do update
       -- What began before it was known is no further failure.
       set failures = outage.failures + case when outage.retry_at <= now() then 1 else 0 end, probe = null
       returning failures`,
      [provider],
    );
    const delayMs = retryDelayMs({ reason: 'provider', provider, retryAfterMs }, row?.failures ?? 1, retryMs);
    await this.#query(
      `update palimpsest_dbos.outages set retry_at = greatest(retry_at, now() + make_interval(secs => $3::float8 / 1000))
       where queue = $1 and provider = $2`,
      [provider, delayMs],
    );
  }

  /** Notes that a provider has answered. Resolves to true if it was down. */
  async answered(provider: string): Promise<boolean> {
    const rows = await this.#query<object>(
      'delete from palimpsest_dbos.outages where queue = $1 and provider = $2 returning 1',
      [provider],
    );
    return rows.length > 0;
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, [this.#queue, ...values]);
  }
}
