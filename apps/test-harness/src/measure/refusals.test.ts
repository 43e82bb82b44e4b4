import type { Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { findRefusals, refusalMeter } from './refusals.js';

const text = (words: string) => [{ type: 'text' as const, text: words }];
const call = (id: string): Message => ({
  role: 'assistant',
  content: text('Now.'),
  toolCalls: [{ id, name: 'read', arguments: '{}' }],
});
const result = (id: string): Message => ({ role: 'tool', toolCallId: id, toolName: 'read', content: text('text') });
const user = (words: string): Message => ({ role: 'user', content: text(words) });

/** A history of calls that are all answered. */
function history(calls: number): readonly Message[] {
  return [user('Go.'), ...Array.from({ length: calls }, (_, index) => [call(`c${index}`), result(`c${index}`)]).flat()];
}

/** The calls whose lists are refused: by the meter, and by checking each list whole. */
function refusedOf(lists: readonly (readonly Message[])[], knownValidSuffixes?: Set<string>) {
  const meter = refusalMeter(knownValidSuffixes);
  lists.forEach((messages, index) => meter.atCall({ index, messages }));
  const whole = lists.flatMap((messages, index) => (findRefusals(messages).length > 0 ? [index] : []));
  return { byMeter: meter.result(), whole };
}

/** Every list of a session that grows by an answer and its results. */
const growing = (messages: readonly Message[]): readonly (readonly Message[])[] => [
  ...messages.flatMap(({ role }, index) => (role === 'assistant' ? [messages.slice(0, index)] : [])),
  messages,
];

test('sound lists that grow are checked in time that grows with the session', () => {
  let checked = 0;
  const count = (messages: readonly Message[]) => {
    checked += messages.length;
    return findRefusals(messages);
  };
  const meter = refusalMeter(new Set(), count);
  const lists = growing(history(200));
  lists.forEach((messages, index) => meter.atCall({ index, messages }));
  expect(meter.result()).toEqual({ refusedLists: 0, refusals: [] });
  // Whole lists would be 200 · 201 messages.
  expect(checked).toBeLessThan(8 * 401);
});

test('a break at the end of a list is found at once', () => {
  const messages = [...history(20), call('open'), user('And?'), ...history(5).slice(1)];
  const { byMeter, whole } = refusedOf(growing(messages));
  expect(whole.length).toBeGreaterThan(1);
  expect(byMeter.refusedLists).toBe(whole.length);
  expect(byMeter.refusals[0]?.modelCall).toBe(whole[0]);
});

test('a break that only a whole list shows is found for each list that has it', () => {
  const [refusal] = findRefusals([user('Go.'), call('open'), user('And?')]);
  // A rule over the whole list: no call stands twice.
  const find = (messages: readonly Message[]) => {
    const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
    return refusal !== undefined && new Set(ids).size < ids.length ? [refusal] : [];
  };
  const lists = growing(history(40).map((message, index) => (index === 52 ? result('c2') : message)));
  const meter = refusalMeter(new Set(), find);
  lists.forEach((messages, index) => meter.atCall({ index, messages }));
  const whole = lists.flatMap((messages, index) => (find(messages).length > 0 ? [index] : []));
  expect(whole.length).toBeGreaterThan(5);
  expect(meter.result()).toMatchObject({
    refusedLists: whole.length,
    refusals: [{ modelCall: whole[0] }, {}, {}, {}, {}],
  });
});

test('what another replay of the session found sound is not checked again, and a break elsewhere is found', () => {
  const knownValidSuffixes = new Set<string>();
  const messages = history(20);
  expect(refusedOf(growing(messages), knownValidSuffixes).byMeter.refusedLists).toBe(0);
  let checked = 0;
  const count = (list: readonly Message[]) => {
    checked += list.length;
    return findRefusals(list);
  };
  const meter = refusalMeter(knownValidSuffixes, count);
  growing(messages).forEach((list, index) => meter.atCall({ index, messages: list }));
  expect(meter.result().refusedLists).toBe(0);
  // Whole lists alone: each time the list has doubled, and at the end.
  expect(checked).toBeLessThan(3 * messages.length);
  const broken = [...messages, call('open'), user('And?'), ...messages.slice(1)];
  const { byMeter, whole } = refusedOf(growing(broken), knownValidSuffixes);
  expect(whole.length).toBeGreaterThan(1);
  expect(byMeter.refusedLists).toBe(whole.length);
});

test('a rewritten list is checked whole', () => {
  const lists = growing(history(30));
  const broken = lists.map((messages, index) => (index === 20 ? messages.filter((_, at) => at !== 8) : messages));
  const { byMeter, whole } = refusedOf(broken);
  expect(whole).toEqual([20]);
  expect(byMeter.refusedLists).toBe(1);
});

test('the lists of a log, with batches and words between, are the same by value or by reference', () => {
  const log = logBuilder();
  log.system();
  log.user('Go.');
  for (let step = 0; step < 30; step++) {
    log.call('read', { step }, 'text');
    if (step % 7 === 0) log.user(`And ${step}?`);
  }
  const lists = log.events.map((_, index) =>
    structuredClone(View.fromEvents(log.events.slice(0, index + 1)).toMessages()),
  );
  const { byMeter, whole } = refusedOf(lists.slice(2));
  expect(byMeter.refusedLists).toBe(whole.length);
});
