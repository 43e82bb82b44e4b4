import { createEvent, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { ViewProjection } from '../../view-projection.js';
import { check, condense, named, onEveryHistory } from './subject.js';
import { decision, fingerprint } from './fingerprint.js';
import { historyOf, withEvent } from './history.js';
import type { History } from './history.js';
import type { Rule, Subject } from './subject.js';

/** The time that an aborted condenser may take. Unit: turns of the event loop. */
const turnsToStop = 50;

const hasName: Rule = {
  name: 'has a name',
  check: (subject) =>
    named(subject.actsOn, async () => {
      const { name }: { readonly name?: unknown } = await subject.create();
      const isName = typeof name === 'string' && name.trim() !== '';
      check(isName, '`name` is no text; it stands in the log and in reports of what the condenser did');
    }),
};

const survivesJson: Rule = {
  name: 'survives JSON',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, history, after }) => {
      if (outcome.kind !== 'condensation') return;
      const read = parseEvent(JSON.parse(JSON.stringify(outcome.condensation)));
      check(
        JSON.stringify(read) === JSON.stringify(parseEvent(outcome.condensation)),
        'the condensation changed in JSON',
      );
      check(fingerprint(withEvent(history, read).view) === fingerprint(after), 'read from JSON it makes another view');
    }),
};

const replaysExactly: Rule = {
  name: 'replays exactly',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, history, after }) => {
      if (outcome.kind !== 'condensation') return;
      const projection = new ViewProjection({ thinking: history.thinking });
      for (const event of history.events) projection.append(event);
      projection.append(outcome.condensation);
      const inForce = [...projection.view.condensations].some(({ id }) => id === outcome.condensation.id);
      check(
        inForce && history.view.original(outcome.condensation.id) === undefined,
        'the id of the condensation is taken',
      );
      check(
        fingerprint(projection.view) === fingerprint(after),
        'appended to the log it makes another view than replayed',
      );
    }),
};

const stopsWhenAborted: Rule = {
  name: 'stops when aborted',
  check: (subject) =>
    named(subject.actsOn, async () => {
      const before = new AbortController();
      before.abort(new Error('nobody waits'));
      await settlesSoon(subject, subject.create, before);
      if (subject.createHanging === undefined) return;
      const during = new AbortController();
      const stopped = settlesSoon(subject, subject.createHanging, during);
      await turn();
      during.abort(new Error('nobody waits any more'));
      await stopped;
    }),
};

/** Checks that an aborted condenser settles soon. It may still return a result; an error must be the reason of the abort. */
async function settlesSoon(subject: Subject, create: Subject['create'], { signal }: AbortController): Promise<void> {
  const condenser = await create();
  let failure: unknown;
  let isSettled = false;
  void condense(condenser, subject.actsOn.view, subject, signal)
    .catch((error: unknown) => (failure = error))
    .finally(() => (isSettled = true));
  for (let turns = 0; turns < turnsToStop && !isSettled; turns++) await turn();
  check(isSettled, `was aborted and still ran ${turnsToStop} turns of the event loop later`);
  const isAbort =
    failure === signal.reason ||
    (failure instanceof Error && (failure.name === 'AbortError' || failure.cause === signal.reason));
  check(failure === undefined || isAbort, `threw something else than the reason of the abort: ${String(failure)}`);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

const toleratesUnknownTypes: Rule = {
  name: 'tolerates event types that it does not know',
  check: async (subject) => {
    for (const history of subject.histories) {
      const strange = historyOf(
        { name: `${history.name} + unknown types`, events: withUnknownTypes(history) },
        history.thinking,
      );
      await named(strange, async () => void (await condense(await subject.create(), strange.view, subject)));
    }
  },
};

function withUnknownTypes({ events }: History): readonly Event[] {
  return events.flatMap((event, index) => {
    if (index % 3 !== 0) return [event];
    const note = createEvent('acme/note', { source: 'environment', id: `unknown-${index}`, text: 'unknown' });
    const fromTheFuture = parseEvent({ ...note, type: 'from-a-newer-version', id: `newer-${index}` });
    return [note, event, fromTheFuture];
  });
}

const needsNoReports: Rule = {
  name: 'works for a host that takes no reports',
  check: (subject) =>
    onEveryHistory(subject, async ({ history, outcome }) => {
      const again = await condense(await subject.create(), history.view, { ...subject, reports: false });
      check(decision(again) === decision(outcome), 'decided otherwise without context.report');
    }),
};

/** The rules that a host relies on. */
export const rulesOfHosting: readonly Rule[] = [
  hasName,
  survivesJson,
  replaysExactly,
  stopsWhenAborted,
  toleratesUnknownTypes,
  needsNoReports,
];
