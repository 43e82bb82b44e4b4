import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { timelineOf } from './timeline.js';

/** With which events the invocations start. */
function starts(write: (log: LogBuilder) => void, finishTools: readonly string[] = ['finish']): readonly string[] {
  const log = logBuilder({ idPrefix: '' });
  write(log);
  return timelineOf(View.fromEvents(log.events), finishTools).invocations.map(({ start }) => start);
}

describe('an invocation starts with a message of the user', () => {
  test('that follows an answer in words', () => {
    expect(starts((log) => [log.system(), log.user('a'), log.agent('b'), log.user('c')])).toEqual(['2', '4']);
  });

  test('that follows a finish tool, its call carried out', () => {
    expect(starts((log) => [log.user('a'), log.call('finish'), log.user('b')])).toEqual(['1', '4']);
    expect(starts((log) => [log.user('a'), log.action('finish'), log.user('b')])).toEqual(['1']);
    expect(starts((log) => [log.user('a'), log.call('submit'), log.user('b')])).toEqual(['1']);
    expect(starts((log) => [log.user('a'), log.call('submit'), log.user('b')], ['submit'])).toEqual(['1', '4']);
  });

  test('that follows a finish tool with which other calls were made', () => {
    const write = (log: LogBuilder) => {
      log.user('a');
      log.batch([
        { name: 'finish', result: 'done' },
        { name: 'run', result: 'not run' },
      ]);
      log.user('b');
    };
    expect(starts(write)).toEqual(['1', '6']);
  });

  test('not while a call that was made with the finish tool waits', () => {
    const write = (log: LogBuilder) => {
      log.user('a');
      log.batch([{ name: 'finish', result: 'done' }, { name: 'run' }]);
      log.user('b');
    };
    expect(starts(write)).toEqual(['1']);
  });

  test('not while the run goes on', () => {
    expect(starts((log) => [log.user('a'), log.call('run'), log.user('steer'), log.agent('b')])).toEqual(['1']);
    expect(starts((log) => [log.user('a'), log.user('and b'), log.agent('c')])).toEqual(['1']);
  });

  test('not after an answer that the user cut off', () => {
    const cutOff = { reason: 'interrupted' };
    expect(starts((log) => [log.user('a'), log.agent('I be', { cutOff }), log.user('b')])).toEqual(['1']);
  });

  test('not after words that stand before calls of the same response', () => {
    const write = (log: LogBuilder) => {
      log.user('a');
      log.agent('I look.', { llmResponseId: 'one' });
      const call = log.action('run', { llmResponseId: 'one' });
      log.user('steer');
      log.observation(call, 'x');
      log.user('steer again');
    };
    expect(starts(write)).toEqual(['1']);
  });

  test('not after an answer without words', () => {
    expect(starts((log) => [log.user('a'), log.agent([]), log.environment('Go on.'), log.user('b')])).toEqual(['1']);
  });

  test('not of the framework', () => {
    expect(starts((log) => [log.user('a'), log.agent('b'), log.environment('Note.'), log.user('c')])).toEqual([
      '1',
      '4',
    ]);
  });

  test('or, in a log that begins otherwise, with what comes first', () => {
    expect(starts((log) => [log.system(), log.environment('A timer rang.'), log.agent('b'), log.user('c')])).toEqual([
      '2',
      '4',
    ]);
    expect(starts((log) => [log.system()])).toEqual([]);
  });
});

test('behind a condensation of somebody else a run is as finished as what was forgotten last', () => {
  const write = (endsWith: 'answer' | 'call') => (log: LogBuilder) => {
    log.user('a');
    const last = endsWith === 'answer' ? [log.agent('b')] : Object.values(log.call('run'));
    log.condensation(last, { summary: 'S', summaryOffset: 1 });
    log.user('c');
  };
  expect(starts(write('answer'))).toEqual(['1', '4']);
  expect(starts(write('call'))).toEqual(['1']);
});

test('new is what may be forgotten: neither a protected request alone nor a system prompt', () => {
  const log = logBuilder({ idPrefix: '' });
  log.user('a');
  const answer = log.agent('b');
  log.condensation([answer], { summary: 'S', metadata: { condenser: 'else' } });
  log.system('Other instructions.');
  log.user('c');
  const timeline = timelineOf(View.fromEvents(log.events), []);
  expect(timeline.invocations).toEqual([
    { start: '1', isNew: true },
    { start: '5', isNew: false },
  ]);
  expect(timeline.entries.filter((entry) => entry.kind === 'event' && entry.isNew)).toMatchObject([
    { event: { type: 'condensation-summary' } },
  ]);
  expect(timeline.live).toEqual({ start: '5', index: 3 });
});
