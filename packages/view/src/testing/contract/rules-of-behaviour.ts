import type { Condenser } from '../../condenser.js';
import { View } from '../../view-projection.js';
import { check, condense, named, onEveryHistory } from './subject.js';
import { decision, fingerprint } from './fingerprint.js';
import { historyOf, withEvent } from './history.js';
import type { History } from './history.js';
import type { Rule, Subject } from './subject.js';

const actsWhereItShould: Rule = {
  name: 'acts on the history made for it',
  check: (subject) =>
    named(subject.actsOn, async () => {
      check(subject.actsOn.events.length > 0, '`actsOn` is empty; pass a log on which the condenser must act');
      const outcome = await condense(await subject.create(), subject.actsOn.view, subject);
      check(outcome.kind !== 'none', 'said that nothing can be condensed');
      if (outcome.kind === 'condensation') {
        const { forgottenEventIds, redactions = [] } = outcome.condensation;
        check(forgottenEventIds.length + redactions.length > 0, 'forgot nothing and masked nothing');
        return;
      }
      const isSame = JSON.stringify(outcome.view.toMessages()) === JSON.stringify(subject.actsOn.view.toMessages());
      check(!isSame, 'changed nothing of what the model reads');
    }),
};

const answersRequests: Rule = {
  name: 'answers requests, where it says that it does',
  check: (subject) =>
    onEveryHistory(subject, ({ condenser, history, outcome }) => {
      if (condenser.handlesCondensationRequests !== true || !history.view.unhandledCondensationRequest) return;
      check(
        outcome.kind !== 'view',
        'returned a view; a request asks for a condensation or NoCondensationAvailableError',
      );
    }),
};

const throwsTheTypedError: Rule = {
  name: 'throws nothing but NoCondensationAvailableError, and that only on a request',
  check: (subject) =>
    onEveryHistory(subject, ({ condenser, history, outcome }) => {
      if (outcome.kind !== 'none') return;
      check(
        history.view.unhandledCondensationRequest,
        'threw NoCondensationAvailableError though nobody asked for one',
      );
      check(
        condenser.handlesCondensationRequests === true,
        'threw on a request, which it does not say that it handles',
      );
    }),
};

const leavesItsInput: Rule = {
  name: 'leaves the view that it was given as it was',
  check: async (subject) => {
    for (const history of subject.histories) {
      await named(history, async () => {
        // Not frozen, so that a mutation is detected instead of prevented.
        const events = structuredClone<History['events']>(history.events);
        const { view } = historyOf({ name: history.name, events }, history.thinking);
        const before = [fingerprint(view), JSON.stringify(events)];
        await condense(await subject.create(), view, subject);
        check(fingerprint(view) === before[0], 'changed the view');
        check(JSON.stringify(events) === before[1], 'changed events of the log');
      });
    }
  },
};

const settles: Rule = {
  name: 'settles',
  check: async (subject) => {
    for (const history of subject.histories)
      await named(history, async () => settle(await subject.create(), history, subject));
  },
};

async function settle(condenser: Condenser, history: History, subject: Subject): Promise<void> {
  let current = history;
  for (let round = 0; round <= subject.settlesWithin; round++) {
    const outcome = await condense(condenser, current.view, subject);
    if (outcome.kind === 'none') return;
    if (outcome.kind === 'condensation') {
      current = withEvent(current, outcome.condensation);
      continue;
    }
    const again = await condense(condenser, outcome.view, subject);
    check(again.kind !== 'condensation', 'condensed the view that it had just returned');
    check(again.kind === 'none' || decision(again) === decision(outcome), 'changed the view that it had just returned');
    return;
  }
  const advice = 'act only if at least two events may go (`forgettableEventIds`): a summary is one event more';
  check(false, `condensed ${subject.settlesWithin + 1} times in a row and returned no view; ${advice}`);
}

const keepsNoState: Rule = {
  name: 'decides the same for the same view, and keeps no state',
  check: async (subject) => {
    const used = await subject.create();
    for (const history of subject.histories) {
      await named(history, async () => {
        const first = decision(await condense(used, history.view, subject));
        check(decision(await condense(used, history.view, subject)) === first, 'decided otherwise the second time');
        const rebuilt = View.fromEvents(history.events, { thinking: history.thinking });
        const fresh = decision(await condense(await subject.create(), rebuilt, subject));
        check(fresh === first, 'a new condenser decides otherwise than one that has been used');
      });
    }
  },
};

/** The rules of a condenser's behaviour. */
export const rulesOfBehaviour: readonly Rule[] = [
  actsWhereItShould,
  answersRequests,
  throwsTheTypedError,
  leavesItsInput,
  settles,
  keepsNoState,
];
