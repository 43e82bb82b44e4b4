import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { createEvent, memoryEventStore } from '@palimpsest/events';
import { condensation, estimateTokens } from '@palimpsest/view';
import { describe, expect, it } from 'vitest';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { HistoryLog } from './log/history-log.js';
import { ChangedMessagesError, chatMessages, condensedHistory } from './index.js';
import { OwnEvents } from './log/own-events.js';

const codec = chatMessages();
const options = (maxSize = 30) => ({ condenser: extractiveSummaryCondenser({ maxSize, keepFirst: 2 }), codec });

/** The lists of hosts that send more than they keep. */
const hosts: Record<string, (list: ChatMessage[], step: number) => ChatMessage[]> = {
  'a reminder at the end': (list, step) => [...list, { role: 'user', content: `Reminder ${step}.` }],
  'a line in the last result': (list, step) => {
    const content = `Left: ${step}.`;
    return list.with(-1, { ...(list.at(-1) as ChatMessage & { role: 'tool' }), content });
  },
};

describe('a condensation holds while the list begins with what it covers', () => {
  it.each(Object.entries(hosts))('with %s that is not kept', async (_, sentOf) => {
    const store = memoryEventStore();
    let history = condensedHistory({ ...options(60), store });
    const list = chatHistory(1);
    let made = 0;
    let rewrites = 0;
    let last: readonly string[] = [];
    for (let step = 1; step <= 80; step++) {
      addChatStep(list, step, 10);
      if (step === 40) history = condensedHistory({ ...options(60), store });
      const { messages, condensations, view } = await history.fit(sentOf(list, step));
      made += condensations.length;
      const kept = messages.filter((message) => list.includes(message)).map((message) => JSON.stringify(message));
      if (kept.length < last.length || last.some((message, index) => message !== kept[index])) rewrites++;
      last = kept;
      expect(view.events.length).toBeLessThan(66);
    }
    expect(made).toBeLessThan(8);
    expect(rewrites).toBeLessThan(8);
  });

  it('also in a list that ends before the place where it was made', async () => {
    const history = condensedHistory(options());
    const list = chatHistory(30);
    const { condensations, messages } = await history.fit(list);
    expect(condensations).toHaveLength(1);
    const shorter = await history.fit(list.slice(0, -6));
    expect(shorter.condensations).toEqual([]);
    expect(shorter.messages).toEqual(messages.slice(0, -6));
    // Not where what it covers is not there.
    expect((await history.fit(list.slice(0, 12))).state).toBe('untouched');
    const edited = list.with(5, { role: 'user', content: 'Another way.' });
    expect((await history.fit(edited)).condensations).toHaveLength(1);
  });

  it('stands before the answer to the request for which it was made', async () => {
    const own = new OwnEvents('conversation', undefined);
    const log = async (list: readonly ChatMessage[]) => {
      const read = new HistoryLog({
        model: 'm',
        thinking: 'none',
        estimateTokens,
        codec,
        own,
        instructions: '',
        defersTools: false,
        now: () => new Date(),
      });
      expect(await read.readOn(list)).toBe(true);
      return read;
    };
    const list = chatHistory(3);
    const first = await log([...list, { role: 'user', content: 'Reminder.' }]);
    first.append(condensation({ view: first.view, start: 2, end: 4 }));
    first.append(createEvent('condensation-attempt', { condenser: 'x', outcome: 'failed', reason: 'no model' }));
    const before = list.length;
    addChatStep(list, 3);
    const types = (await log(list)).events.map(({ type }) => type);
    const at = (await log(list.slice(0, before))).events.length;
    expect(types.slice(at - 2, at + 1)).toEqual(['condensation', 'condensation-attempt', 'action']);
  });
});

it('a host that changes its first message at each request is told once', async () => {
  const history = condensedHistory(options());
  const list = chatHistory(20);
  const problems: unknown[] = [];
  for (let step = 20; step < 27; step++) {
    addChatStep(list, step);
    list[1] = { role: 'user', content: `It is ${step} o'clock. Read all the files.` };
    problems.push((await history.fit(list)).problem);
  }
  const told = problems.filter((problem) => problem !== undefined);
  expect(told).toHaveLength(1);
  expect(told[0]).toBeInstanceOf(ChangedMessagesError);
  expect(told[0]).toMatchObject({ code: 'changed-messages', index: 1 });
  expect((told[0] as ChangedMessagesError).tokens).toBeGreaterThan(2_000);
});

it('two workers that summarise one range at once leave one summary', async () => {
  const store = memoryEventStore();
  const workers = [condensedHistory({ ...options(), store }), condensedHistory({ ...options(), store })] as const;
  const list = chatHistory(30);
  const longer = chatHistory(31);
  const made = await Promise.all([workers[0].fit(list), workers[1].fit(longer)]);
  expect(made.map(({ condensations }) => condensations.length)).toEqual([1, 1]);
  addChatStep(longer, 31);
  const fitted = [...(await Promise.all(workers.map((one) => one.fit(longer))))];
  fitted.push(await condensedHistory({ ...options(), store }).fit(longer));
  for (const { view, messages, condensations } of fitted) {
    expect(condensations).toEqual([]);
    expect([...view.events].filter(({ type }) => type === 'condensation-summary')).toHaveLength(1);
    expect(messages).toEqual(fitted[0]?.messages);
  }
  // A later one stands behind the summary that stayed.
  for (let step = 32; step < 62; step++) addChatStep(longer, step);
  const later = await workers[0].fit(longer);
  expect(later.condensations).toHaveLength(1);
  const restarted = await condensedHistory({ ...options(), store }).fit(longer);
  expect(restarted.condensations).toEqual([]);
  expect(restarted.messages).toEqual(later.messages);
});
