import { createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { condensationProblem, condensedViewProblem } from './condensation-problem.js';
import { redactedCopy } from '../fold/redacted-copy.js';
import { View } from '../view-projection.js';

const forgetting = (...forgottenEventIds: readonly string[]) => createEvent('condensation', { forgottenEventIds });

function session() {
  const log = logBuilder();
  const system = log.system();
  const task = log.user('Fix the tests.');
  const first = log.call('read', { path: 'a' }, 'A');
  const middle = log.user('Only the slow ones.');
  const second = log.call('finish', { path: 'b' }, 'B');
  const latest = log.user('Hurry.');
  log.call('read', { path: 'c' }, 'C');
  return { log, system, task, first, middle, second, latest };
}

test('what may be forgotten is no problem', () => {
  const { log, first, middle } = session();
  const view = View.fromEvents(log.events);
  const ids = [first.action.id, first.result.id, middle.id];
  expect(condensationProblem(view, forgetting(...ids))).toBeUndefined();
  expect(condensationProblem(view, forgetting(...ids, 'gone'))).toBeUndefined();
});

test('the instructions in force, the first and the latest words of the user are protected', () => {
  const { log, system, task, first, latest } = session();
  const view = View.fromEvents(log.events);
  for (const { id } of [system, task, latest]) {
    expect(condensationProblem(view, forgetting(first.action.id, first.result.id, id))).toMatchObject({
      kind: 'protected',
      eventIds: [id],
    });
  }
});

test('a condenser that keeps less may forget the words of the user, and neither the instructions nor a pin', () => {
  const { log, system, task, first, latest } = session();
  log.custom('view/pin', { eventIds: [first.result.id] });
  const view = View.fromEvents(log.events);
  const problem = (...ids: readonly string[]) => condensationProblem(view, forgetting(...ids), { protects: false });
  expect(problem(task.id, latest.id)).toBeUndefined();
  expect(problem(task.id, system.id)).toMatchObject({ kind: 'protected', eventIds: [system.id] });
  // The call stands in the log of the result: without it the result could not be sent.
  expect(problem(first.action.id)).toMatchObject({ kind: 'protected', eventIds: [first.action.id] });
});

test('a pinned result may not be masked either', () => {
  const { log, first, second } = session();
  log.custom('view/pin', { eventIds: [first.action.id] });
  const view = View.fromEvents(log.events);
  const masking = (eventId: string) =>
    createEvent('condensation', { forgottenEventIds: [], redactions: [{ eventId, text: '…' }] });
  expect(condensationProblem(view, masking(second.result.id))).toBeUndefined();
  expect(condensationProblem(view, masking(first.result.id))?.eventIds).toEqual([first.result.id]);
});

test.each<[string, (session_: ReturnType<typeof session>) => unknown]>([
  ['nothing', () => undefined],
  ['a text', () => 'condensation'],
  ['another event', () => createEvent('pause', {})],
  ['ids that are no list', ({ first }) => ({ ...forgetting(), forgottenEventIds: first.action.id })],
  ['ids that are no text', () => ({ ...forgetting(), forgottenEventIds: [7] })],
  ['an offset below 0', ({ first }) => ({ ...forgetting(first.action.id), summary: 'S', summaryOffset: -1 })],
  ['what is no plain data', ({ first }) => ({ ...forgetting(first.action.id), metadata: { at: new Date(0) } })],
  ['an id that is taken', ({ first, task }) => ({ ...forgetting(first.action.id), id: task.id })],
  ['unknown ids only', () => forgetting('no-such-event', 'nor-this')],
])('it is invalid with %s', (_name, make) => {
  const given = session();
  const view = View.fromEvents(given.log.events);
  expect(condensationProblem(view, make(given))).toMatchObject({ kind: 'invalid', eventIds: [] });
});

test('an internal event can be forgotten, and once', () => {
  const { log, first } = session();
  const note = log.custom('acme/note', {});
  expect(condensationProblem(View.fromEvents(log.events), forgetting(note.id))).toBeUndefined();
  const done = forgetting(first.action.id, first.result.id);
  const after = View.fromEvents([...log.events, done]);
  expect(condensationProblem(after, forgetting(first.action.id))).toMatchObject({ kind: 'invalid' });
});

test('an empty one is no problem, with a summary or without', () => {
  const view = View.fromEvents(session().log.events);
  expect(condensationProblem(view, forgetting())).toBeUndefined();
  const summary = createEvent('condensation', { forgottenEventIds: [], summary: 'All is done.', summaryOffset: 0 });
  expect(condensationProblem(view, summary)).toBeUndefined();
});

test('a derived view is judged by the view of the log that it comes from', () => {
  const { log, task } = session();
  const view = View.fromEvents(log.events).without(new Set([task.id]));
  expect(condensationProblem(view, forgetting(task.id))).toMatchObject({ kind: 'protected' });
});

test('a view is refused when it is not made from the one given, or lacks or masks a pin', () => {
  const { log, system, first, second } = session();
  const bare = View.fromEvents(log.events);
  expect(condensedViewProblem(bare, bare)).toBeUndefined();
  // The host adds what is missing to the request.
  expect(condensedViewProblem(bare, bare.without(new Set([system.id])))).toBeUndefined();
  expect(condensedViewProblem(bare, View.fromEvents(log.events))).toMatchObject({ kind: 'invalid' });
  expect(condensedViewProblem(bare, { ...bare })).toMatchObject({ kind: 'invalid' });

  log.custom('view/pin', { eventIds: [first.action.id] });
  const view = View.fromEvents(log.events);
  const lacking = view.without(new Set([first.action.id, first.result.id]));
  expect(condensedViewProblem(view, lacking)?.eventIds).toEqual([first.action.id, first.result.id]);
  const masked = (event: typeof first.result) =>
    view.replace(new Map([[event.id, { event: redactedCopy(event, { text: '' }) ?? event }]]));
  expect(condensedViewProblem(view, masked(second.result))).toBeUndefined();
  expect(condensedViewProblem(view, masked(first.result))?.eventIds).toEqual([first.result.id]);
});
