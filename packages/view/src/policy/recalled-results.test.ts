import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { condensation } from './condensation.js';
import { condensationProblem } from './condensation-problem.js';
import { recalledEventIds } from './protection.js';
import { View } from '../view-projection.js';

const marked = { details: { recalledEventIds: ['event-1'] } };
const long = (words: string) => words.repeat(200);

function recalled(log: LogBuilder, text: string) {
  const action = log.action('recall');
  return [action, log.observation(action, text, marked)] as const;
}

function others(log: LogBuilder, count: number): void {
  for (let index = 0; index < count; index++) log.call('read', { index }, long('other text '));
}

function young(log: LogBuilder): readonly string[] {
  return [...recalledEventIds(View.fromEvents(log.events))];
}

describe('a recalled answer', () => {
  test('is kept with its call for ten responses, its own among them', () => {
    const log = logBuilder();
    log.user('Go.');
    others(log, 12);
    const answer = recalled(log, long('recalled '));
    for (let response = 1; response < 10; response++) {
      expect(young(log)).toEqual(answer.map(({ id }) => id));
      others(log, 1);
    }
    expect(young(log)).toEqual(answer.map(({ id }) => id));
    others(log, 1);
    expect(young(log)).toEqual([]);
  });

  test('grows old by the log, however little of it the view holds', () => {
    const log = logBuilder();
    const user = log.user('Go.');
    others(log, 2);
    const answer = recalled(log, 'short');
    others(log, 9);
    log.condensation(
      log.events.filter(({ id }) => ![user, ...answer, ...log.events.slice(-4)].some((kept) => kept.id === id)),
    );
    expect(young(log)).toEqual(answer.map(({ id }) => id));
    others(log, 1);
    expect(young(log)).toEqual([]);
  });

  test('takes at most a quarter of the view, the newest first', () => {
    const log = logBuilder();
    log.user('Go.');
    others(log, 4);
    recalled(log, long('first one '));
    const second = recalled(log, long('the other '));
    expect(young(log)).toEqual(second.map(({ id }) => id));
    recalled(log, long('very much of it '.repeat(4)));
    expect(young(log)).toEqual([]);
  });

  test('is only what a tool marked, and no longer once it is masked', () => {
    const log = logBuilder();
    log.user('Go.');
    others(log, 8);
    for (const details of [undefined, {}, { recalledEventIds: 'event-1' }]) {
      log.observation(log.action('recall'), 'text', details === undefined ? {} : { details });
    }
    expect(young(log)).toEqual([]);
    const [, result] = recalled(log, long('recalled '));
    expect(young(log)).toHaveLength(2);
    log.condensation([], { redactions: [{ eventId: result.id, text: 'hidden' }] });
    expect(young(log)).toEqual([]);
  });

  test('is left by a condensation and its masks, and no host refuses one that takes it', () => {
    const log = logBuilder();
    log.user('Go.');
    others(log, 8);
    const answer = recalled(log, long('recalled '));
    others(log, 2);
    const view = View.fromEvents(log.events);
    const redactions = [...view.events].flatMap(({ id, type }) =>
      type === 'observation' ? [{ eventId: id, text: '' }] : [],
    );
    const masking = condensation({ view, redactions });
    expect(masking.redactions).toHaveLength(10);
    expect(masking.redactions?.map(({ eventId }) => eventId)).not.toContain(answer[1].id);
    const forgetting = condensation({ view, start: 1, end: view.events.length });
    for (const { id } of answer) expect(forgetting.forgottenEventIds).not.toContain(id);
    expect(forgetting.forgottenEventIds).toHaveLength(20);
    const taking = { ...forgetting, forgottenEventIds: answer.map(({ id }) => id) };
    expect(condensationProblem(view, taking)).toBeUndefined();
  });
});
