/**
 * The part of an append that brings the overview of a conversation up to date: what `OverviewChange` of `overview-change.ts` says, in its
 * order, from `$5` on.
 */
const parameters = [
  'tenant',
  'status',
  'activeAt',
  'attempts',
  'inputTokens',
  'outputTokens',
  'nanoUsd',
  'bytes',
  'response',
  'added',
  'spoke',
  'attemptsFrom',
  'kept',
  'removed',
] as const;

/** The number of the parameters. */
export const overviewParameters = parameters.length;

/** The number of those, from the first on, that a conversation which begins needs. */
export const overviewParametersOfNew = parameters.indexOf('spoke');

type Parameter = (typeof parameters)[number];
type Place = (name: Parameter, type?: string) => string;

/** @param first - the number of the first of the parameters */
const placesFrom =
  (first: number): Place =>
  (name, type = 'text') =>
    `$${first + parameters.indexOf(name)}::${type}`;
const ids = (the: Place, name: 'removed' | 'added') => `${the(name, 'text[]')}::int[]`;
const firstOfAppend = 5;

/** The columns of the overview. */
export const overviewColumns =
  'overview_version, tenant, status, active_at, attempts, input_tokens, output_tokens, cost_usd, bytes, response, open_actions';

/**
 * Returns the columns of a conversation that begins, whose version is `$2`.
 *
 * @param first - the number of the first parameter
 */
export function overviewOfNew(first: number = firstOfAppend): string {
  const the = placesFrom(first);
  return `
    $2::bigint, ${the('tenant')}, coalesce(${the('status')}, 'idle'), ${the('activeAt')}::timestamptz, ${the('attempts', 'int')},
    ${the('inputTokens', 'bigint')}, ${the('outputTokens', 'bigint')}, ${the('nanoUsd', 'numeric')} * 0.000000001, ${the('bytes', 'bigint')},
    ${the('response')}::int, ${ids(the, 'added')}`;
}

/** Returns what an append sets of a conversation that goes on. */
export function overviewOfChanged(): string {
  const the = placesFrom(firstOfAppend);
  return `
    overview_version = case when stored.overview_version = stored.version then stored.version + excluded.version
      else stored.overview_version end,
    tenant = coalesce(excluded.tenant, stored.tenant),
    status = case when ${the('status')} is not null then excluded.status
      when ${the('spoke', 'int')} = 1 and stored.status in ('finished', 'stuck') then 'idle' else stored.status end,
    active_at = greatest(stored.active_at, excluded.active_at),
    attempts = case when ${the('attemptsFrom')} = 'stored' or ${the('attemptsFrom')} = 'running' and stored.status = 'running'
      then stored.attempts + excluded.attempts else excluded.attempts end,
    input_tokens = stored.input_tokens + excluded.input_tokens, output_tokens = stored.output_tokens + excluded.output_tokens,
    cost_usd = stored.cost_usd + excluded.cost_usd, bytes = stored.bytes + excluded.bytes,
    response = coalesce(excluded.response, stored.response),
    open_actions = array(
      select action from unnest(stored.open_actions) as action
      where ${the('kept')} in ('all', stored.response::text) and action <> all (${ids(the, 'removed')})
    ) || excluded.open_actions`;
}
