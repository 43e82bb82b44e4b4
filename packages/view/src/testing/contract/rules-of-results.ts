import { createEvent, isToolResult } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { condensationProblem, condensedViewProblem } from '../../policy/condensation-problem.js';
import { newestStep } from '../../policy/units.js';
import { pinnedEventIds } from '../../policy/pins.js';
import { protectedEventIds } from '../../policy/protection.js';
import { viewOfLog } from '../../log-view.js';
import type { View } from '../../view.js';
import { messageViolations } from '../message-violations.js';
import { check, named, onEveryHistory, trialOn } from './subject.js';
import { withEvent } from './history.js';
import type { Rule } from './subject.js';

const returnsOneOfTwo: Rule = {
  name: 'returns a view or a condensation',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, history }) => {
      if (outcome.kind !== 'view') return;
      check(
        viewOfLog(outcome.view) === history.view,
        'the view that it returned is not made from the one that it was given',
      );
    }),
};

const forgetsWhatIsThere: Rule = {
  name: 'forgets only what the view holds',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, history: { view } }) => {
      const internal = new Set([...view.internalEvents].map(({ id }) => id));
      const held = (id: string): boolean => view.indexOf(id) !== undefined || internal.has(id);
      if (outcome.kind === 'view') {
        const strange = [...outcome.view.events].filter(({ id }) => view.indexOf(id) === undefined);
        check(strange.length === 0, `the view that it returned holds events that were not there: ${idsOf(strange)}`);
      }
      if (outcome.kind !== 'condensation') return;
      const { forgottenEventIds, redactions = [] } = outcome.condensation;
      const named = [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)];
      const unknown = named.filter((id) => !held(id));
      check(unknown.length === 0, `the condensation names events that are not in the view: ${unknown.join(', ')}`);
      check(new Set(forgottenEventIds).size === forgottenEventIds.length, 'the condensation names an event twice');
    }),
};

const keepsUnitsWhole: Rule = {
  name: 'leaves calls, results and batches whole',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, history, after }) => {
      const { view } = history;
      const violations = messageViolations(after.toMessages());
      check(violations.length === 0, `a provider would refuse the messages: ${violations.join('; ')}`);
      const lost = noLongerSent(view, after);
      check(lost.length === 0, `these stay but can no longer be sent: ${lost.join(', ')}`);
      if (outcome.kind !== 'condensation') return;
      const notes = after.notes.slice(view.notes.length).map(({ note }) => note);
      check(notes.length === 0, `the view could not do all of the condensation: ${notes.join('; ')}`);
    }),
};

/** The stored events that were sent before and are no longer sent, except half of a late pair whose other half is gone. */
function noLongerSent(before: View, after: View): readonly string[] {
  const isGone = (id: EventId): boolean => after.indexOf(id) === undefined;
  const halves = new Map<EventId, EventId>();
  for (const item of before.sent().items) {
    if (item.kind !== 'late') continue;
    halves.set(item.call.event.id, item.result.event.id).set(item.result.event.id, item.call.event.id);
  }
  return after.events
    .filter(({ id }) => after.leftOut.has(id) && before.indexOf(id) !== undefined && !before.leftOut.has(id))
    .filter(({ id, type }) => type !== 'system-prompt' && !isGone(halves.get(id) ?? id))
    .map(({ id }) => `${id} (${after.leftOut.get(id)})`);
}

const keepsProtected: Rule = {
  name: 'keeps protected events, but for the words of the user where it says so',
  check: (subject) =>
    onEveryHistory(subject, ({ condenser, history: { view }, after }) => {
      const kept = [...protectedEventIds(view, { userWords: condenser.protects !== false })];
      const lost = kept.filter((id) => after.indexOf(id) === undefined);
      check(lost.length === 0, `forgot protected events: ${lost.join(', ')}`);
      const rewritten = kept.filter((id) => isRewritten(id, view, after));
      check(rewritten.length === 0, `masked or rewrote protected events: ${rewritten.join(', ')}`);
    }),
};

/** A mask of a result for labels that it only pretends to have is none, so words count for words and masks for results. */
function isRewritten(id: string, before: View, after: View): boolean {
  const [old, now] = [before, after].map((view) => view.events.at(view.indexOf(id) ?? view.events.length));
  if (old === undefined || now === undefined || old === now) return false;
  if (old.type === 'message' || old.type === 'system-prompt') return JSON.stringify(old) !== JSON.stringify(now);
  return 'redacted' in now && now.redacted === true && !('redacted' in old && old.redacted === true);
}

const isTakenByHosts: Rule = {
  name: 'returns what a host takes',
  check: (subject) =>
    onEveryHistory(subject, ({ condenser, history: { view }, outcome }) => {
      const problem =
        outcome.kind === 'condensation'
          ? condensationProblem(view, outcome.condensation, condenser)
          : outcome.kind === 'view'
            ? condensedViewProblem(view, outcome.view)
            : undefined;
      check(problem === undefined, `a host refuses it: ${problem?.reason}`);
    }),
};

const keepsNewestStep: Rule = {
  name: 'keeps the results that no response has followed, or summarises them',
  check: (subject) =>
    onEveryHistory(subject, ({ history: { view }, outcome, after }) => {
      const summarised =
        outcome.kind === 'condensation' && (outcome.condensation.summary ?? '').trim() !== ''
          ? new Set(outcome.condensation.forgottenEventIds)
          : new Set<EventId>();
      const lost = unreadResults(view).filter((id) => after.indexOf(id) === undefined && !summarised.has(id));
      check(
        lost.length === 0,
        `forgot results that the model has not read, without a summary: ${lost.join(', ')}; end before newestStep(view).cutPoint`,
      );
    }),
};

/** The results of the newest step that are sent. */
function unreadResults(view: View): readonly EventId[] {
  return view.events
    .slice(newestStep(view).start)
    .filter((event) => isToolResult(event) && !view.leftOut.has(event.id))
    .map(({ id }) => id);
}

const respectsPins: Rule = {
  name: 'respects a pin on what it would forget or mask',
  check: async (subject) => {
    const { outcome, history, after } = await subject.trial(subject.actsOn);
    if (outcome.kind === 'none') return;
    const { view } = history;
    const changed = [...view.events].filter(
      ({ id }) => after.indexOf(id) === undefined || isRewritten(id, view, after),
    );
    const chosen = [0, 0.5, 1].map((share) => changed[Math.floor((changed.length - 1) * share)]?.id);
    const ids = new Set(chosen.filter((id) => id !== undefined));
    if (ids.size === 0) return;
    for (const pinned of [ids, ...[...ids].map((id) => new Set([id]))]) {
      const withPin = withEvent(history, createEvent('view/pin', { source: 'user', eventIds: [...pinned] }));
      await named({ name: `${history.name} + pin on ${[...pinned].join(', ')}`, events: withPin.events }, async () => {
        const trial = await trialOn(withPin, subject);
        const kept = [...pinnedEventIds(withPin.view)];
        const lost = kept.filter(
          (id) => trial.after.indexOf(id) === undefined || isRewritten(id, withPin.view, trial.after),
        );
        check(lost.length === 0, `forgot or masked what is pinned: ${lost.join(', ')}`);
      });
    }
  },
};

const summariesBetweenUnits: Rule = {
  name: 'puts a summary between units, never inside a batch',
  check: (subject) =>
    onEveryHistory(subject, ({ outcome, after }) => {
      if (outcome.kind !== 'condensation' || outcome.condensation.summary === undefined) return;
      const { id } = outcome.condensation;
      const index = [...after.events].findIndex(
        (event) => event.type === 'condensation-summary' && event.condensationId === id,
      );
      check(index < 0 || after.cutPoints.has(index), `the summary stands inside a batch, at ${index}`);
    }),
};

const neverGrows: Rule = {
  name: 'never grows the view',
  check: (subject) =>
    onEveryHistory(subject, ({ history: { view }, after }) => {
      check(after.tokens() <= view.tokens(), `${view.tokens()} tokens became ${after.tokens()}`);
    }),
};

function idsOf(events: readonly Event[]): string {
  return events.map(({ id }) => id).join(', ');
}

/** The rules of a condenser's result. */
export const rulesOfResults: readonly Rule[] = [
  returnsOneOfTwo,
  forgetsWhatIsThere,
  keepsUnitsWhole,
  keepsProtected,
  keepsNewestStep,
  respectsPins,
  summariesBetweenUnits,
  isTakenByHosts,
  neverGrows,
];
