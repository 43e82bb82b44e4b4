import { createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { isLastResort, lastResort } from './last-resort.js';
import type { LastResortOptions } from './last-resort.js';
import { jsonSize } from './overflow.js';

const megabyte = `first words ${'x'.repeat(1_000_000)} last words`;
const room = 80_000;

function resort(log: LogBuilder, options: Partial<LastResortOptions> = {}) {
  const view = View.fromEvents(log.events);
  const made = lastResort(view, { room, isLast: false, canRead: true, createEvent, ...options });
  if (made === undefined) throw new Error('nothing was done');
  const after = View.fromEvents([...log.events, made]);
  const messages = after.toMessages();
  expect(messageViolations(messages)).toEqual([]);
  expect(isLastResort(made)).toBe(true);
  return { made, after, text: JSON.stringify(messages), tokens: after.tokens() };
}

function begun(task = 'Do it.') {
  const log = logBuilder();
  log.system('Be careful.');
  log.user(task);
  return log;
}

const work = (log: LogBuilder, steps: number, result = 'y'.repeat(400)) => {
  for (let step = 0; step < steps; step++) log.call('read', { path: `file-${step}` }, `${step}: ${result}`);
};

describe('giant events are masked before anything is forgotten', () => {
  test('one result among many: its ends stay, and everything else', () => {
    const log = begun();
    work(log, 10);
    const { result } = log.call('dump', {}, megabyte);
    work(log, 10);
    const { made, text, tokens } = resort(log);
    expect(made.forgottenEventIds).toEqual([]);
    expect(made.redactions).toHaveLength(1);
    expect(made.metadata).toMatchObject({ masked: 1, tokensBefore: expect.any(Number) as number });
    expect(text).toMatch(/first words x+\\n\[\d+ characters were removed here/);
    expect(text).toContain(`read_output with the handle '${result.id}' reads them`);
    expect(text).toContain('x last words');
    expect(tokens).toBeLessThan(10_000);
  });

  test('arguments: the keys stay, short texts too, and the result is JSON', () => {
    const log = begun();
    log.call('write', { path: 'a.txt', content: megabyte }, 'written');
    log.call('write', { path: 'b.txt', list: Array.from({ length: 200_000 }, (_, n) => n) }, 'written');
    log.call('write', `{"path": "c.txt", "content": "${megabyte}`, 'no JSON');
    work(log, 1);
    const { after } = resort(log);
    const parsed = [...after.events].flatMap((event) =>
      event.type === 'action' ? [JSON.parse(event.toolCall.arguments) as Record<string, unknown>] : [],
    );
    expect(parsed[0]).toEqual({
      path: 'a.txt',
      content: expect.stringMatching(/^first words x+\n\[.*\]\nx+ last words$/) as string,
    });
    expect(Object.keys(parsed[1] ?? {})).toEqual(['removed']);
    expect(Object.keys(parsed[2] ?? {})).toEqual(['removed']);
  });

  test('without the tool that reads it, the mask does not name it', () => {
    const log = begun();
    log.call('dump', {}, megabyte);
    work(log, 1);
    expect(resort(log, { canRead: false }).text).not.toContain('read_output');
  });

  test('an output that was shown in part is read by the handle of the whole', () => {
    const log = begun();
    const action = log.action('dump');
    log.observation(action, 'z'.repeat(100_000), { details: { outputHandle: 'the-whole' } });
    work(log, 1);
    expect(resort(log).text).toContain("handle 'the-whole'");
  });
});

describe('the newest step', () => {
  test('a giant in it is masked with a longer excerpt', () => {
    const log = begun();
    work(log, 3);
    log.call('dump', {}, megabyte);
    const { made, text } = resort(log);
    expect(made.forgottenEventIds).toEqual([]);
    expect(/x{1000,}/.exec(text)?.[0].length).toBeGreaterThan(1_200);
  });

  test('in a parallel batch the largest results are masked, and no more than necessary', () => {
    const log = begun();
    const sizes = [400, 2_000, 500_000, 60_000, 8_000, 900_000];
    log.batch(sizes.map((size, index) => ({ name: 'dump', result: 'abcdef'.charAt(index).repeat(size) })));
    const { made, tokens } = resort(log);
    expect(made.forgottenEventIds).toEqual([]);
    expect(made.redactions).toHaveLength(2);
    expect(tokens).toBeLessThan(room / 2);
  });

  test('many giants in one batch', () => {
    const log = begun();
    log.batch(Array.from({ length: 60 }, () => ({ name: 'dump', result: megabyte })));
    expect(resort(log).tokens).toBeLessThan(room / 2);
  });

  test('it stays, and as much of what is before it as fits into half of the room', () => {
    const log = begun();
    work(log, 400, 'y'.repeat(1_000));
    const { made, after, tokens, text } = resort(log);
    expect(made.redactions).toBeUndefined();
    expect(tokens).toBeLessThanOrEqual(room / 2);
    expect(tokens).toBeGreaterThan(room / 2 - 1_000);
    expect(text).toContain('399: yyy');
    expect(after.events.at(1)).toMatchObject({ type: 'message', source: 'user' });
    expect(text).toContain('were dropped');
  });

  test('in the last attempt only the newest step stays, with stubs in place of long texts', () => {
    const log = begun();
    work(log, 40, 'y'.repeat(4_000));
    const { tokens, after } = resort(log, { isLast: true });
    expect([...after.events].map(({ type }) => type)).toEqual([
      'system-prompt',
      'message',
      'condensation-summary',
      'action',
      'observation',
    ]);
    expect(tokens).toBeLessThan(200);
  });
});

describe('words cannot be masked, and are forgotten where they are not protected', () => {
  test('a giant message of the user in the middle', () => {
    const log = begun();
    work(log, 3);
    log.user(megabyte);
    work(log, 3);
    log.agent('Done.');
    log.user('And now?');
    work(log, 1);
    const { text, tokens } = resort(log);
    expect(tokens).toBeLessThan(1_000);
    expect(text).toContain('Do it.');
    expect(text).toContain('And now?');
    expect(text).toContain('0: yyy');
  });

  test('a giant summary of somebody else', () => {
    const log = begun();
    const { action, result } = log.call('read');
    log.condensation([action, result], { summary: megabyte });
    work(log, 3);
    const { text, tokens } = resort(log);
    expect(tokens).toBeLessThan(1_000);
    expect(text).toContain('2: yyy');
  });

  test('a giant note behind the newest step takes the step with it, and no more', () => {
    const log = begun();
    work(log, 2);
    log.environment(megabyte);
    const { text, tokens } = resort(log);
    expect(tokens).toBeLessThan(1_000);
    expect(text).toContain('Do it.');
  });

  test('what is pinned stays as it is', () => {
    const log = begun();
    const { result } = log.call('read', {}, 'the requirements '.repeat(2_000));
    log.custom('view/pin', { eventIds: [result.id] });
    work(log, 400, 'y'.repeat(1_000));
    for (const isLast of [false, true]) expect(resort(log, { isLast }).text).toContain('the requirements the req');
  });
});

test('with an unknown window half of what was sent stays; in the last attempt less', () => {
  const log = begun();
  work(log, 400, 'y'.repeat(1_000));
  const before = View.fromEvents(log.events).tokens();
  const { tokens } = resort(log, { room: undefined });
  expect(tokens).toBeLessThanOrEqual(before / 2);
  expect(tokens).toBeGreaterThan(before / 3);
  log.environment('w'.repeat(2_000_000));
  expect(resort(log, { room: undefined, isLast: true }).tokens).toBeLessThan(1_000);
});

test('when bytes were counted, images are as large as their data', () => {
  const log = begun();
  work(log, 20);
  log.call('look', {}, [{ type: 'image', url: `data:image/png;base64,${'A'.repeat(3_000_000)}` }]);
  work(log, 20);
  const { made, text } = resort(log, { room: undefined, sizeOf: jsonSize });
  expect(made.forgottenEventIds).toEqual([]);
  expect(text).toContain('characters and 1 image were removed');
});

test('a mask of a mask is shorter, and redacted text is not shown again', () => {
  const log = begun();
  log.call('dump', {}, megabyte);
  log.add(resort(log).made);
  const { result } = log.call('read', {}, 'secret '.repeat(9_000));
  log.condensation([], { redactions: [{ eventId: result.id, text: 'long reason '.repeat(5_000) }] });
  expect(resort(log, { isLast: true }).text).not.toMatch(/xxx|secret|long reason/);
});

test('undefined when there is nothing to do', () => {
  const log = begun('x'.repeat(1_000_000));
  const view = View.fromEvents(log.events);
  for (const isLast of [false, true]) {
    expect(lastResort(view, { room, isLast, canRead: true, createEvent })).toBeUndefined();
  }
});

test('what a property of the host holds together is cut only where there is no further try', () => {
  const log = begun();
  work(log, 20);
  // One run with the task in it: as long as it holds, all of it stays.
  const view = View.fromEvents(log.events, { properties: [() => 'all'] });
  const options = { room: 500, canRead: true, createEvent };
  expect(lastResort(view, { ...options, isLast: false })?.forgottenEventIds ?? []).toEqual([]);
  const made = lastResort(view, { ...options, isLast: true });
  expect(made?.forgottenEventIds.length).toBeGreaterThan(30);
});
