import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { idsOf, shortLog, thinkingBlocks, viewOf } from '../test-support/view-rules.js';
import { outline } from './testing/outline.js';

// One test for each row of the table of cases in the view's rules, in its order: thinking, and cut points.

describe('what makes thinking stale: the first rendered message that an edit changed', () => {
  /** A call that is never answered, then a response with thinking and its result. */
  function thinkingLog() {
    const log = logBuilder();
    log.user('Go.');
    const unsent = log.action('run');
    const { action, result } = log.call('run', {}, 'long', { thinkingBlocks });
    return { log, unsent, action, result };
  }
  const thinks = (log: LogBuilder) => outline(viewOf(log).toMessages()).filter((line) => line.includes(' T ')).length;

  test('forgetting unrendered events makes nothing stale', () => {
    const { log, unsent } = thinkingLog();
    log.condensation([unsent]);
    expect(thinks(log)).toBe(1);
  });

  test('an edit that changes nothing makes nothing stale', () => {
    const { log } = thinkingLog();
    log.condensation(['no-such-event'], { summary: '  ', summaryOffset: 0 });
    expect(thinks(log)).toBe(1);
  });

  test('a batch’s own thinking survives the redaction of that batch’s results; what follows does not', () => {
    const { log, result } = thinkingLog();
    log.call('run', {}, 'next', { thinkingBlocks });
    log.condensation([], { redactions: [{ eventId: result.id, text: 'X' }] });
    expect(outline(viewOf(log).toMessages()).map((line) => line.includes(' T '))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  test('a response not yet rendered at the edit counts as made before it', () => {
    const log = logBuilder();
    log.user('Go.');
    log.user('Please.');
    const action = log.action('run', { thinkingBlocks });
    log.condensation(['event-1']);
    log.observation(action);
    expect(thinks(log)).toBe(0);
  });

  test('what is made after the edit stays', () => {
    const { log } = thinkingLog();
    log.condensation(['event-1'], { summary: 'S', summaryOffset: 0 });
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
    expect(
      outline(viewOf(log).toMessages({ thinking: 'latest-turn' })).filter((line) => line.includes(' T ')),
    ).toHaveLength(2);
  });

  test('a changed system prompt is an edit at the start; the same one again is none', () => {
    const { log } = thinkingLog();
    log.system('You are an agent.');
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
    log.system('You are an agent.');
    expect(thinks(log)).toBe(1);
    log.system('You are another agent.');
    expect(thinks(log)).toBe(0);
  });

  test('a response made while a batch waited is stale: its request lacked what is sent now', () => {
    const log = logBuilder();
    log.user('Go.');
    log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.agent('Meanwhile.', { thinkingBlocks });
    log.user('Go on.');
    expect(thinks(log)).toBe(0);
    log.call('run', {}, 'next', { thinkingBlocks });
    expect(thinks(log)).toBe(1);
  });

  test('but not what a response of the same id holds that was made after a condensation', () => {
    const log = logBuilder();
    log.user('Go.');
    log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    log.call('run', {}, '2', { llmResponseId: 'r', thinkingBlocks });
    expect(thinks(log)).toBe(0);
    log.condensation([]);
    log.call('run', {}, '3', { llmResponseId: 'r', thinkingBlocks });
    expect(thinks(log)).toBe(1);
  });
});

describe('cut points', () => {
  test('only an unsealed batch with a pending call holds them back', () => {
    const log = shortLog();
    const action = log.action('run');
    log.user('Hurry.');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4]);
    log.observation(action);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7]);
    log.action('run');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7]);
    log.agent('Never mind.');
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 7, 8, 9]);
  });

  test('stale thinking glues nothing; fresh thinking loops are atomic in latest-turn, cuttable in prefix-bound', () => {
    const log = logBuilder();
    log.user('Go.');
    log.call('run', {}, '1', { thinkingBlocks });
    log.call('run', {}, '2');
    log.call('run', {}, '3', { thinkingBlocks });
    log.user('And?');
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 5, 7, 8]);
    expect([...viewOf(log, 'prefix-bound').cutPoints]).toEqual([0, 1, 3, 5, 7, 8]);
    log.condensation(['event-1'], { summary: 'S', summaryOffset: 0 });
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 3, 5, 7, 8]);
  });

  test('a late pair belongs to the loop in which it stands', () => {
    const log = logBuilder();
    const late = log.action('run');
    log.call('run', {}, '1', { thinkingBlocks });
    log.observation(late, 'late');
    log.call('run', {}, '2');
    expect([...viewOf(log, 'latest-turn').cutPoints]).toEqual([0, 1, 6]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1, 3, 4, 6]);
  });
});

test('removing [i, j) between cut points: everything outside is still sent, except the late half of a pair', () => {
  const log = logBuilder();
  log.user('Go.');
  const late = log.action('run');
  log.agent('Never mind.');
  const result = log.observation(late, 'late');
  log.user('And?');
  const view = viewOf(log);
  expect([...view.cutPoints]).toEqual([0, 1, 2, 3, 4, 5]);
  const rest = view.without(new Set([late.id]));
  expect(outline(rest.toMessages())).toEqual(['user: Go.', 'assistant: Never mind.', 'user: And?']);
  expect([...rest.leftOut.keys()]).toEqual([result.id]);
});

describe('rows that no other test holds', () => {
  test('a call with the id of an answered call of its own batch is a call of its own', () => {
    const log = logBuilder();
    const first = log.action({ name: 'run', id: 'x', input: { n: 1 } });
    const { llmResponseId } = first;
    log.action({ name: 'wait', id: 'y' }, { llmResponseId });
    log.observation(first, 'one');
    const again = log.action({ name: 'run', id: 'x', input: { n: 2 } }, { llmResponseId });
    expect(viewOf(log).leftOut.get(again.id)).toBe('waits for the results of an open batch');
    log.observation(again, 'two');
    log.agent('Done.');
    const lines = outline(viewOf(log).toMessages());
    expect(lines.filter((line) => line.startsWith('tool '))).toEqual([
      'tool x: one',
      expect.stringMatching(/^tool call_[0-9a-f]+: two$/),
    ]);
  });

  test('a summary without an offset takes the place of the first forgotten event', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c', 'd', 'e']) log.user(words);
    const { id } = log.condensation(['event-2', 'event-4'], { summary: 'S' });
    expect(idsOf(viewOf(log))).toEqual(['event-1', `${id}-summary`, 'event-3', 'event-5']);
  });

  test('an id that an earlier condensation forgot is no unknown id', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c']) log.user(words);
    log.condensation(['event-2']);
    log.condensation(['event-2', 'no-such-event']);
    expect(viewOf(log).notes.map(({ note }) => note)).toEqual([
      'not forgotten, because the log has no such event: no-such-event',
    ]);
  });

  test('a batch of which a derived view holds a part is no obstacle to cuts, though a call of it waits', () => {
    const log = logBuilder();
    log.user('Go.');
    const { actions } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
    expect([...viewOf(log).cutPoints]).toEqual([0, 1]);
    expect([...viewOf(log).without(new Set([actions[0]?.id ?? ''])).cutPoints]).toEqual([0, 1, 2, 3]);
  });

  test('a revert repeats no note of the events before it', () => {
    const log = logBuilder();
    for (const words of ['a', 'b', 'c']) log.user(words);
    log.condensation(['no-such-event']);
    const second = log.condensation(['event-2']);
    log.add(log.create('condensation-revert', { condensationId: second.id }));
    expect(viewOf(log).notes.map(({ note }) => note)).toEqual([
      'not forgotten, because the log has no such event: no-such-event',
    ]);
  });

  test('replaced instructions make all thinking stale that was made before', () => {
    const log = logBuilder();
    const system = log.system();
    log.user('Go.');
    const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
    const { action } = log.call('read', {}, 'ok', { thinkingBlocks });
    const view = viewOf(log);
    const replaced = view.replace(new Map([[system.id, { event: { ...system, systemPrompt: 'Other.' } }]]));
    expect(view.sent().isThinkingStale(action.id)).toBe(false);
    expect(replaced.sent().isThinkingStale(action.id)).toBe(true);
  });
});
