import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { loggedSteps } from './target.js';

test('a step is one response and what came until the next one', () => {
  const log = logBuilder();
  const task = log.user('a task');
  const { actions, results } = log.batch([
    { name: 'read', result: 'a' },
    { name: 'read', result: 'b' },
  ]);
  const words = log.environment('a note');
  const again = log.action('read', { llmResponseId: 'response-1' });
  const answer = log.agent('done');
  const steps = loggedSteps(log.events, View.fromEvents(log.events));
  expect(steps.count).toBe(2);
  expect([task, ...actions, ...results, words, again, answer].map(({ id }) => steps.stepOf(id))).toEqual([
    0, 1, 1, 1, 1, 1, 1, 2,
  ]);
  expect(steps.stepOf('nowhere')).toBeUndefined();
});

test('responses of one id are as many steps as the view finds', () => {
  const log = logBuilder();
  const steps = () => loggedSteps(log.events, View.fromEvents(log.events));
  for (const step of [1, 2, 3]) {
    log.usage({ purpose: 'agent' });
    const { result } = log.call('read', {}, 'text', { llmResponseId: 'r' });
    expect(steps().stepOf(result.id)).toBe(step);
  }
  log.call('read', {}, 'of the third response', { llmResponseId: 'r' });
  expect(steps().count).toBe(3);
});

test('calls and results match as in a view: repeated ids, reused ids, duplicates and results without a call', () => {
  const log = logBuilder();
  const first = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'A' });
  const repeated = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'A' });
  const own = log.observation(first, 'first');
  const duplicate = log.observation(first, 'again');
  const reused = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'B' });
  log.agent('between');
  const returned = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'B' });
  const late = log.observation(returned, 'to the newest');
  const orphan = log.observation({ ...first, toolCall: { ...first.toolCall, id: 'y' } }, 'orphan');
  const steps = loggedSteps(log.events, View.fromEvents(log.events));
  expect([first, repeated, reused, returned].map(({ id }) => steps.resultOf(id)?.id)).toEqual([
    own.id,
    undefined,
    undefined,
    late.id,
  ]);
  expect([own, duplicate, late, orphan].map(({ id }) => steps.callOf(id)?.id)).toEqual([
    first.id,
    undefined,
    returned.id,
    undefined,
  ]);
  const { leftOut } = View.fromEvents(log.events);
  const unmatched = [own, duplicate, late, orphan].filter(({ id }) => steps.callOf(id) === undefined);
  expect(unmatched.every(({ id }) => leftOut.has(id))).toBe(true);
});
