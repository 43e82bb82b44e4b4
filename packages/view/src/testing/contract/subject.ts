import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, Condenser } from '../../condenser.js';
import { isCondensation } from '../../condenser.js';
import { NoCondensationAvailableError } from '../../errors.js';
import type { View } from '../../view.js';
import type { History, NamedLog } from './history.js';
import { withEvent } from './history.js';

/** The condenser under test and its test data. */
export interface Subject {
  readonly create: () => Condenser | Promise<Condenser>;
  readonly createHanging: (() => Condenser | Promise<Condenser>) | undefined;
  readonly context: Omit<CondenseContext, 'signal' | 'report'>;
  /** True if the host takes reports. @defaultValue true */
  readonly reports?: boolean;
  /** The history on which it must act. */
  readonly actsOn: History;
  readonly histories: readonly History[];
  /** The result of {@link trialOn} for a history. Each trial is made once. */
  readonly trial: (history: History) => Promise<Trial>;
  /** The maximum number of condensations in a row. */
  readonly settlesWithin: number;
}

/** One promise of the condenser's contract. */
export interface Rule {
  readonly name: string;
  /** Throws if the condenser breaks the rule. */
  readonly check: (subject: Subject) => Promise<void>;
}

/** The outcome of a condenser's call. */
export type Outcome =
  | { readonly kind: 'view'; readonly view: View }
  | { readonly kind: 'condensation'; readonly condensation: Condensation }
  | { readonly kind: 'none' };

/** Calls a condenser. Rethrows its errors, except the error that nothing can be condensed. */
export async function condense(
  condenser: Condenser,
  view: View,
  { context, reports = true }: Subject,
  signal?: AbortSignal,
): Promise<Outcome> {
  let result: View | Condensation;
  try {
    result = await condenser.condense(view, { ...context, signal, ...(reports ? { report: () => undefined } : {}) });
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return { kind: 'none' };
    throw error;
  }
  check(typeof result === 'object' && result !== null, `returned ${result === null ? 'null' : typeof result}`);
  if (isCondensation(result)) return { kind: 'condensation', condensation: result };
  check(
    typeof result.toMessages === 'function' && result.events !== undefined,
    'returned neither a view nor a condensation',
  );
  return { kind: 'view', view: result };
}

/** The view that the model would read after an outcome. */
function viewAfter(history: History, outcome: Outcome): View {
  switch (outcome.kind) {
    case 'view':
      return outcome.view;
    case 'condensation':
      return withEvent(history, outcome.condensation).view;
    case 'none':
      return history.view;
  }
}

/** A new condenser tried on one history. */
export interface Trial {
  readonly condenser: Condenser;
  readonly history: History;
  readonly outcome: Outcome;
  readonly after: View;
}

/** Tries a new condenser on a history. */
export async function trialOn(history: History, subject: Subject): Promise<Trial> {
  const condenser = await subject.create();
  const outcome = await condense(condenser, history.view, subject);
  return { condenser, history, outcome, after: viewAfter(history, outcome) };
}

/** Checks a condenser's outcome on every history. A failure names the history. */
export async function onEveryHistory(subject: Subject, verify: (trial: Trial) => void | Promise<void>): Promise<void> {
  for (const history of subject.histories) await named(history, async () => verify(await subject.trial(history)));
}

/** Prefixes the message of a failing check with the history's name. */
export async function named<Result>(history: NamedLog, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`on ${history.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Throws an error that says what a condenser did, unless the condition holds. */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
