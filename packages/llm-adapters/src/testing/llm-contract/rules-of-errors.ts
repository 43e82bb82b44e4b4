import type { LLMError } from '../../errors.js';
import {
  AuthenticationError,
  ContextWindowExceededError,
  RateLimitError,
  ServiceUnavailableError,
} from '../../errors.js';
import { apiKey, ask, expectSame, expectThat, listening, refusalOf } from './rule.js';
import type { LLMRule, Stage } from './rule.js';
import type { ScenarioTurn } from './scenario.js';

/** The rules about the errors of failed calls. */
export const rulesOfErrors: readonly LLMRule[] = [
  {
    name: 'says that the input does not fit into the window',
    needs: 'overflow',
    check: (stage) =>
      bothWays(stage, { type: 'overflow' }, (error) => {
        expectThat(ContextWindowExceededError.isInstance(error), `it was refused with ${error.name}`);
        expectSame([error.isRetryable, error.kind], [false, 'input'], 'whether to try again, and what does not fit');
      }),
  },
  {
    name: 'says that the key is wrong',
    needs: 'keys',
    check: (stage) =>
      bothWays(stage, { type: 'wrong-key' }, (error) => {
        expectThat(AuthenticationError.isInstance(error), `it was refused with ${error.name}`);
        expectSame(error.isRetryable, false, 'whether to try again');
      }),
  },
  {
    name: 'shows its key in no error',
    needs: 'keys',
    check: async (stage) => {
      for (const type of ['wrong-key', 'failure'] as const) {
        await bothWays(stage, { type }, (error) => {
          expectThat(!allTextIn(error).includes(apiKey), `the key stands in the error of '${type}'`);
        });
      }
    },
  },
  {
    name: 'says how long to wait at a rate limit',
    check: (stage) =>
      bothWays(stage, { type: 'rate-limit', retryAfterSeconds: 7 }, (error) => {
        expectThat(RateLimitError.isInstance(error), `it was refused with ${error.name}`);
        expectSame([error.isRetryable, error.retryAfterMs], [true, 7_000], 'whether and when to try again');
      }),
  },
  {
    name: 'says that a failure of the provider is worth another try',
    check: (stage) =>
      bothWays(stage, { type: 'failure' }, (error) => {
        expectThat(ServiceUnavailableError.isInstance(error), `it was refused with ${error.name}`);
        expectSame(error.isRetryable, true, 'whether to try again');
      }),
  },
];

/** With and without a listener; the listener must get no delta of a refused call. */
async function bothWays(stage: Stage, turn: ScenarioTurn, check: (error: LLMError) => void): Promise<void> {
  check(await refusalOf((await stage(turn)).llm, ask));
  const { request, deltas } = listening(ask);
  check(await refusalOf((await stage(turn)).llm, request));
  expectSame(deltas, [], 'the deltas of a call that failed');
}

/** Returns every text that is reachable in a value, including hidden fields and causes. */
function allTextIn(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === 'string') return `${value}\n`;
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return '';
  seen.add(value);
  const isListed = value instanceof Map || value instanceof Headers;
  const entries: readonly unknown[] = isListed ? [...(value as Iterable<readonly unknown[]>)].flat() : [];
  const fields = Reflect.ownKeys(value).map((key) => {
    try {
      return (value as Record<PropertyKey, unknown>)[key];
    } catch {
      return undefined;
    }
  });
  return [...fields, ...entries].map((inner) => allTextIn(inner, seen)).join('');
}
