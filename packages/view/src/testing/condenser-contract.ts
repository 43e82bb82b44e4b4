import type { Event } from '@palimpsest/events';
import type { CondenseContext, Condenser } from '../condenser.js';
import { historiesOf, historyOf } from './contract/history.js';
import type { History, NamedLog } from './contract/history.js';
import { rulesOfBehaviour } from './contract/rules-of-behaviour.js';
import { rulesOfHosting } from './contract/rules-of-hosting.js';
import { rulesOfResults } from './contract/rules-of-results.js';
import { rulesOfSteps } from './contract/rules-of-steps.js';
import { trialOn } from './contract/subject.js';
import type { Subject, Trial } from './contract/subject.js';

/** Options of {@link condenserContract}. */
export interface CondenserContractOptions {
  /** The runner's function that declares a test: `test` of vitest, jest or node:test. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes the condenser. Its model must give the same answer to the same request. */
  readonly create: () => Condenser | Promise<Condenser>;
  /** A log on which the condenser must act, so that a condenser that never acts fails. */
  readonly actsOn: readonly Event[];
  /**
   * Makes a condenser whose model never answers, to test the abort. @defaultValue none: the abort of a model call is not tested
   */
  readonly createHanging?: (() => Condenser | Promise<Condenser>) | undefined;
  /** More logs for the tests, such as recorded ones. @defaultValue none */
  readonly logs?: readonly NamedLog[] | undefined;
  /** The context window and the limits that the condenser receives. @defaultValue none */
  readonly context?: Omit<CondenseContext, 'signal' | 'report'> | undefined;
  /** Seeds of the generated logs, one clean and one dirty for each. @defaultValue 1 to 9 */
  readonly seeds?: readonly number[] | undefined;
  /** The maximum number of condensations in a row before the condenser returns a view. @defaultValue 3 */
  readonly settlesWithin?: number | undefined;
}

/**
 * Declares one test for each promise of the {@link Condenser} contract. Each is tried on the log made for the condenser, on the
 * caller's logs, and on generated clean and dirty ones, without and with a request, in both thinking modes. The requirements
 * depend on the condenser's declarations (`handlesCondensationRequests`, `protects`, `rewritesEveryStep`).
 *
 * @example
 * ```ts
 * describe('my condenser', () => {
 *   condenserContract({ test, create: () => myCondenser({ maxSize: 20 }), actsOn: longLog.events });
 * });
 * ```
 */
export function condenserContract(options: CondenserContractOptions): void {
  const { test, create, createHanging, actsOn, logs = [], context = {}, seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9] } = options;
  let histories: readonly History[] | undefined;
  const trials = new Map<History, Promise<Trial>>();
  const subject: Subject = {
    create,
    createHanging,
    context,
    actsOn: historyOf({ name: 'the log made for it', events: actsOn }),
    settlesWithin: options.settlesWithin ?? 3,
    get histories() {
      return (histories ??= historiesOf({ actsOn, logs, seeds }));
    },
    trial(history) {
      const trial = trials.get(history) ?? trialOn(history, subject);
      trials.set(history, trial);
      return trial;
    },
  };
  for (const rule of [...rulesOfResults, ...rulesOfBehaviour, ...rulesOfSteps, ...rulesOfHosting]) {
    test(`${rule.name} (seeds ${seeds.join(', ')})`, () => rule.check(subject));
  }
}
