import type { PostgresClient } from './client.js';
import { asStoreError, wasOverruled } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresRateLimitStore}. */
export interface PostgresRateLimitStoreOptions {
  /** Runs the statements; the caller ends it. */
  readonly client: PostgresClient;
  /** The limit: processes that give the same name share it. */
  readonly name: string;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
}

/** The used part of a limit, for all processes: a `RateLimitStore` of `@palimpsest/llm-adapters`. */
export interface PostgresRateLimitStore {
  /** Charges a call to the next moment that is free. Answers with the time until then. Unit: milliseconds. */
  reserve(charge: { readonly costsMs: readonly number[]; readonly burstMs: number }): Promise<number>;
  /** Changes what was charged. Unit: milliseconds for each rate. */
  adjust(changesMs: readonly number[]): Promise<void>;
  /** No charge from now on gets a moment before that time has passed. Unit: milliseconds. */
  pause(ms: number): Promise<void>;
}

/**
 * Returns a store of the used part of a provider's rates, in one row that all processes share. Each method is one
 * statement, and the time is the server's. A process that dies while it waits leaves the place of one call, which
 * passes.
 *
 * Every method throws an {@link EventStoreError} when the database refuses or cannot be reached, so that nothing is sent uncounted.
 *
 * @throws {@link EventStoreError} when `schema` can be no name.
 */
export function postgresRateLimitStore({
  client,
  name,
  schema,
}: PostgresRateLimitStoreOptions): PostgresRateLimitStore {
  const { reserve, adjust, pause } = statementsFor(tablesIn(schema).rates);
  const run = async (what: string, statement: string, ...parameters: unknown[]): Promise<readonly unknown[]> => {
    for (;;) {
      try {
        return (await client.query(statement, [name, ...parameters])).rows;
      } catch (error) {
        // At an isolation level above the default, whoever comes second is refused. The first one was served, so this ends.
        if (!wasOverruled(error)) throw asStoreError(`${what} of the limit '${name}'`, error);
      }
    }
  };
  return {
    async reserve({ costsMs, burstMs }) {
      const [row] = await run('reserve a place', reserve, costsMs.map(String), String(burstMs));
      return Number((row as { readonly wait_ms: string }).wait_ms);
    },
    async adjust(changesMs) {
      await run('correct what is used', adjust, changesMs.map(String));
    },
    async pause(ms) {
      await run('pause the calls', pause, String(ms));
    },
  };
}

/**
 * `$1` is the name. Times are milliseconds of the server's clock, read after the row is locked. `full_at` holds for each rate the time
 * at which nothing is used of it, `seen_at` when a place was reserved last, and `moment` where that place is.
 */
function statementsFor(rates: string) {
  const clock = `(select extract(epoch from clock_timestamp())::float8 * 1000 as clock) as server`;
  const numbers = (parameter: string) => `${parameter}::text[]::float8[]`;
  return {
    /**
     * `$2` the costs, `$3` the burst. A clock that was set back by an hour would make all wait for an hour. So the times in the
     * row go back as far.
     */
    reserve: `
insert into ${rates} as stored (name, seen_at, moment, closed_until, full_at)
select $1::text, clock, clock, clock,
  array(select clock + cost from unnest(${numbers('$2')}) with ordinality as given (cost, place) order by place)
from ${clock}
on conflict (name) do update set (seen_at, moment, closed_until, full_at) = (
  select now.clock, free.moment, stored.closed_until - now.back, array(
    select case when cost > 0 then greatest(full_at - now.back, free.moment) + cost else coalesce(full_at, now.clock) - now.back end
    from unnest(stored.full_at, ${numbers('$2')}) with ordinality as rate (full_at, cost, place) order by place
  )
  from (select clock, greatest(stored.seen_at - clock, 0) as back from ${clock}) as now,
  lateral (
    select greatest(now.clock, stored.closed_until - now.back,
      max(full_at - now.back - greatest($3::float8 - cost, 0)) filter (where cost > 0)) as moment
    from unnest(stored.full_at, ${numbers('$2')}) as rate (full_at, cost)
  ) as free
)
returning (moment - seen_at)::text as wait_ms`,
    /** `$2` the changes. */
    adjust: `
update ${rates} as stored set full_at = (
  select array(
    select case when change > 0 then greatest(full_at, clock) + change else full_at + coalesce(change, 0) end
    from unnest(stored.full_at, ${numbers('$2')}) with ordinality as rate (full_at, change, place)
    where full_at is not null order by place
  )
  from ${clock}
)
where name = $1::text`,
    /** `$2` how long. */
    pause: `
insert into ${rates} as stored (name, seen_at, moment, closed_until, full_at)
select $1::text, clock, clock, clock + $2::float8, '{}' from ${clock}
on conflict (name) do update set closed_until = greatest(stored.closed_until, excluded.closed_until)`,
  };
}
