import { isLLMConvertible, parseEvent } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { condensation } from '../policy/condensation.js';
import { NoCondensationAvailableError } from '../errors.js';
import type { View, ViewOptions } from '../view.js';
import { ViewProjection } from '../view-projection.js';
import { longestRun } from '../fold/runs.js';
import type { ViewProperty } from '../fold/runs.js';
import { fingerprint } from './contract/fingerprint.js';
import type { NamedLog } from './contract/history.js';
import { check, named } from './contract/subject.js';
import { randomLog } from './random-log.js';
import { cutsBetweenRuns, runsIn } from './run-cuts.js';

/** Options of {@link viewPropertyContract}. */
export interface ViewPropertyContractOptions {
  /** The runner's function that declares a test: `test` of vitest, jest or node:test. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly property: ViewProperty;
  /** Logs in which the property names runs. All of these must close before {@link longestRun}. */
  readonly logs: readonly NamedLog[];
  /** Seeds of the generated logs, one clean and one dirty for each. @defaultValue 1 to 5 */
  readonly seeds?: readonly number[] | undefined;
  /** Makes the fold that is tested. @defaultValue a {@link ViewProjection} */
  readonly createProjection?: ((options: ViewOptions) => Pick<ViewProjection, 'append' | 'view'>) | undefined;
}

interface Subject extends Required<Omit<ViewPropertyContractOptions, 'test' | 'seeds'>> {
  /** The caller's logs and the generated ones. */
  readonly all: readonly NamedLog[];
}

interface Rule {
  readonly name: string;
  readonly check: (subject: Subject) => Promise<void>;
}

/**
 * Declares one test for each promise of a {@link ViewProperty}, and of a view that has it: on the caller's logs, and on
 * generated clean and dirty ones.
 *
 * @example
 * ```ts
 * describe('approvals', () => {
 *   viewPropertyContract({ test, property: approvals, logs: [{ name: 'two approvals', events: log.events }] });
 * });
 * ```
 */
export function viewPropertyContract(options: ViewPropertyContractOptions): void {
  const { test, property, logs, seeds = [1, 2, 3, 4, 5] } = options;
  const createProjection = options.createProjection ?? ((one: ViewOptions) => new ViewProjection(one));
  const generated = seeds.flatMap((seed) => [false, true].map((dirty) => randomLog({ seed, dirty, length: 70 })));
  const subject: Subject = { property, logs, createProjection, all: [...logs, ...generated] };
  for (const rule of rules) test(`${rule.name} (seeds ${seeds.join(', ')})`, () => rule.check(subject));
}

const isPure: Rule = {
  name: 'gives an event the same key each time, and after JSON',
  check: ({ property, all }) =>
    onEach(all, ({ events }) => {
      for (const logged of events.filter(isLLMConvertible)) {
        // Not frozen, so that a change is seen.
        const event = structuredClone<LLMConvertibleEvent>(logged);
        const key: unknown = property(event);
        const what = `the key of '${event.id}'`;
        check(key === undefined || typeof key === 'string', `${what} is a ${typeof key}`);
        check(property(event) === key, `${what} is another one the second time`);
        check(
          property(parseEvent(JSON.parse(JSON.stringify(event))) as typeof event) === key,
          `${what} changes in JSON`,
        );
        check(JSON.stringify(event) === JSON.stringify(logged), `the property changed '${event.id}'`);
      }
    }),
};

const runsClose: Rule = {
  name: 'names runs, and each closes before the bound',
  check: ({ property, logs, createProjection }) =>
    onEach(logs, ({ events }) => {
      const { view } = folded(createProjection({}), events);
      const keys = new Map<string, number[]>();
      [...view.events].forEach((event, index) => {
        const key = property(event);
        if (key !== undefined) keys.set(key, [...(keys.get(key) ?? []), index]);
      });
      const lengths = [...keys.values()].map((indices) => (indices.at(-1) ?? 0) - (indices[0] ?? 0) + 1);
      check(Math.max(0, ...lengths) > 1, 'no run of two events is named');
      const longest = Math.max(...lengths);
      check(
        longest <= longestRun,
        `a run of ${longest} events is named, and more than ${longestRun} are never held together`,
      );
    }),
};

const cutsBetween: Rule = {
  name: 'cuts between runs, at every prefix as the rules say',
  check: ({ property, all, createProjection }) =>
    onEach(all, ({ events }) => {
      const [grown, plain] = [createProjection({ properties: [property] }), new ViewProjection()];
      const keyOf = (event: LLMConvertibleEvent): string | undefined => {
        const logged = plain.view.original(event.id);
        return logged === undefined || !isLLMConvertible(logged) ? undefined : property(logged);
      };
      for (const [position, event] of events.entries()) {
        grown.append(event);
        plain.append(event);
        const expected = cutsBetweenRuns([...plain.view.cutPoints], runsIn([...plain.view.events], keyOf, [property]));
        const found = [...grown.view.cutPoints];
        check(
          JSON.stringify(found) === JSON.stringify(expected),
          `after ${position + 1} events the cut points are ${found.join(' ')}, and not ${expected.join(' ')}`,
        );
      }
    }),
};

const isTotal: Rule = {
  name: 'leaves what is sent as it is, and the view of a prefix as it was',
  check: ({ property, all, createProjection }) =>
    onEach(all, ({ events }) => {
      const projection = createProjection({ properties: [property] });
      const seen: { readonly view: View; readonly length: number }[] = [];
      for (const [index, event] of events.entries()) {
        projection.append(event);
        if (index % 7 === 0) seen.push({ view: projection.view, length: index + 1 });
      }
      for (const { view, length } of seen) {
        const rebuilt = folded(createProjection({ properties: [property] }), events.slice(0, length)).view;
        check(
          fingerprint(view) === fingerprint(rebuilt),
          `the view of ${length} events is another one when it is built anew`,
        );
        const plain = folded(new ViewProjection(), events.slice(0, length)).view;
        check(JSON.stringify(view.toMessages()) === JSON.stringify(plain.toMessages()), 'other messages are sent');
      }
    }),
};

const condensesWhole: Rule = {
  name: 'is forgotten whole or not at all',
  check: ({ property, all, createProjection }) =>
    onEach(all, ({ events }) => {
      const { view } = folded(createProjection({ properties: [property] }), events);
      const cuts = [...view.cutPoints];
      for (const step of [2, 3, 5]) {
        const ids = [...view.events].flatMap(({ id }, index) => (index % step === 0 ? [id] : []));
        for (const selection of [{ ids }, { start: step, end: view.events.length - step }]) {
          const gone = forgottenBy(view, selection);
          for (const { first, last } of runsIn([...view.events], (event) => property(event), [property])) {
            // A run that is too long has a cut point in it, or overlaps one that has.
            if (cuts.some((cut) => first < cut && cut <= last)) continue;
            const going = view.events.slice(first, last + 1).filter(({ id }) => gone.has(id)).length;
            const count = last - first + 1;
            check(count === 1 || going === 0 || going === count, `${going} of ${count} events of a run are forgotten`);
          }
        }
      }
    }),
};

function forgottenBy(view: View, selection: { readonly ids?: readonly EventId[] }): ReadonlySet<EventId> {
  try {
    return new Set(condensation({ view, ...selection }).forgottenEventIds);
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return new Set();
    throw error;
  }
}

function folded<Projection extends Pick<ViewProjection, 'append' | 'view'>>(
  projection: Projection,
  events: readonly Event[],
): Projection {
  for (const event of events) projection.append(event);
  return projection;
}

async function onEach(logs: readonly NamedLog[], verify: (log: NamedLog) => void): Promise<void> {
  for (const log of logs) await named(log, async () => verify(log));
}

const rules: readonly Rule[] = [isPure, runsClose, cutsBetween, isTotal, condensesWhole];
