import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { loggedSteps, targetOf } from './target.js';

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

test('a call means its newest result, as the view matches them; results without a call are no target', () => {
  const log = logBuilder();
  const first = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'A' });
  const repeated = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'A' });
  const own = log.observation(first, 'first');
  const duplicate = log.observation(first, 'again');
  log.agent('between');
  const reused = log.action({ name: 'read', id: 'x' }, { llmResponseId: 'B' });
  const answer = log.observation(reused, 'to the newest');
  log.agent('It runs.');
  const later = log.observation(reused, 'done');
  const orphan = log.observation({ ...first, toolCall: { ...first.toolCall, id: 'y' } }, 'orphan');
  const view = View.fromEvents(log.events);
  const means = (event: Event): string => {
    const found = targetOf({ type: 'found', event }, view);
    return found.type === 'target' ? found.target.id : found.code;
  };
  expect([first, repeated, reused].map(means)).toEqual([own.id, 'no_observation_yet', later.id]);
  expect([own, duplicate, answer, later, orphan].map(means)).toEqual([
    own.id,
    'not_maskable',
    answer.id,
    later.id,
    'not_maskable',
  ]);
});
