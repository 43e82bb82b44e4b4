import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View } from './index.js';

const thinkingBlocks = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;

function cutsOf(write: (log: LogBuilder) => void, thinking: 'prefix-bound' | 'latest-turn' = 'latest-turn') {
  const log = logBuilder();
  write(log);
  return [...View.fromEvents(log.events, { thinking }).cutPoints];
}

/** The cut points that the upstream system gives for the same lists. */
describe('examples of the upstream system', () => {
  test.each<[string, (log: LogBuilder) => void, readonly number[]]>([
    ['nothing', () => undefined, [0]],
    ['three messages', (log) => ['a', 'b', 'c'].forEach((text) => log.user(text)), [0, 1, 2, 3]],
    ['a call', (log) => log.call('run'), [0, 2]],
    [
      'a call between messages',
      (log) => {
        log.user('a');
        log.call('run');
        log.user('b');
      },
      [0, 1, 3, 4],
    ],
    ['three parallel calls', (log) => log.batch(['a', 'b', 'c'].map((name) => ({ name, result: '1' }))), [0, 6]],
    [
      'words between the results of a batch',
      (log) => {
        const { actions } = log.batch([{ name: 'a', result: '1' }, { name: 'b' }]);
        log.user('Hurry.');
        log.observation(actions[1] as (typeof actions)[0]);
      },
      [0, 5],
    ],
    [
      'a loop of three calls between messages',
      (log) => {
        log.user('a');
        log.call('run', {}, '1', { thinkingBlocks });
        log.call('run');
        log.call('run');
        log.user('b');
      },
      [0, 1, 7, 8],
    ],
    [
      'thinking on every call',
      (log) => {
        for (let times = 0; times < 3; times++) log.call('run', {}, '1', { thinkingBlocks });
      },
      [0, 2, 4, 6],
    ],
  ])('%s', (_, write, expected) => {
    expect(cutsOf(write)).toEqual(expected);
  });
});

describe('tool loops, with latest-turn', () => {
  test('opaque thinking starts one too; words end one, blank words and internal events do not', () => {
    const redacted = [{ type: 'redacted-thinking', data: 'x' }] as const;
    expect(
      cutsOf((log) => {
        log.call('run', {}, '1', { thinkingBlocks: redacted });
        log.user(' ');
        log.pause();
        log.call('run');
        log.environment('Note.');
        log.call('run');
      }),
    ).toEqual([0, 5, 6, 8]);
  });

  test('words inside a batch are sent after it, and end the loop there', () => {
    expect(
      cutsOf((log) => {
        log.call('run', {}, '1', { thinkingBlocks });
        const action = log.action('run');
        log.user('Hurry.');
        log.observation(action);
        log.call('run');
      }),
    ).toEqual([0, 5, 7]);
  });

  test('a call that waits belongs to the loop until it is abandoned', () => {
    const write = (log: LogBuilder) => {
      log.call('run', {}, '1', { thinkingBlocks });
      log.action('run');
    };
    expect(cutsOf(write)).toEqual([0]);
    expect(
      cutsOf((log) => {
        write(log);
        log.agent('Never mind.');
      }),
    ).toEqual([0, 2, 3, 4]);
  });
});

test('indices between and outside of cut points, fractions and infinities included', () => {
  const log = logBuilder();
  log.user('a');
  log.call('run');
  log.user('b');
  const { cutPoints } = View.fromEvents(log.events);
  expect([...cutPoints]).toEqual([0, 1, 3, 4]);
  expect([2, 1.5, -Infinity, 5, Infinity].map((index) => cutPoints.atOrAfter(index))).toEqual([
    3,
    3,
    0,
    undefined,
    undefined,
  ]);
  expect([2, 3.5, Infinity, -1, -Infinity].map((index) => cutPoints.atOrBefore(index))).toEqual([
    1,
    3,
    4,
    undefined,
    undefined,
  ]);
  expect([0, 0.5, 2, 4, NaN].map((index) => cutPoints.has(index))).toEqual([true, false, false, true, false]);
});
