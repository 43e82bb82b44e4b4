import type { Message } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { anthropicPromptCache } from '@palimpsest/provider-servers';
import { expect, test } from 'vitest';
import { breakpointMeter } from './cache.js';

const characters = (text: string): number => text.length / 4;
const text = (words: string) => [{ type: 'text' as const, text: words }];
const words = (name: string | number, length = 4_000) => `${name} `.repeat(length).slice(0, length);

/** Calls in batches, with results, and a word of the user now and then. */
function history(steps: number, batch = 1): readonly Message[] {
  const messages: Message[] = [
    { role: 'system', content: text(words('instructions', 24_000)) },
    { role: 'user', content: text(words('task')) },
  ];
  for (let step = 0; step < steps; step++) {
    const ids = Array.from({ length: batch }, (_, index) => `c${step}-${index}`);
    messages.push({
      role: 'assistant',
      content: text(words(`thought ${step}`)),
      toolCalls: ids.map((id) => ({ id, name: 'read', arguments: JSON.stringify({ path: words(id) }) })),
    });
    for (const id of ids)
      messages.push({ role: 'tool', toolCallId: id, toolName: 'read', content: text(words(`result ${id}`)) });
    if (step % 5 === 4) messages.push({ role: 'user', content: text(words(`and ${step}`)) });
  }
  return messages;
}

/** Every list that ends before an answer. */
const growing = (messages: readonly Message[]): readonly (readonly Message[])[] =>
  messages.flatMap(({ role }, index) => (role === 'assistant' ? [messages.slice(0, index)] : []));

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

test('a session that grows reads what the request before wrote', () => {
  const meter = breakpointMeter(characters, 0, false);
  const uses = growing(history(20)).map((messages) => meter({ messages, at: '' }).atMarks);
  expect(uses[0]?.cacheRead).toBe(0);
  for (const [index, use] of uses.entries()) {
    if (index === 0) continue;
    const before = uses[index - 1];
    expect(use.cacheRead).toBeCloseTo((before?.cacheRead ?? 0) + (before?.cacheWrite ?? 0));
    expect(use.input).toBe(0);
  }
});

test('instructions that stand in no log are charged and cached', () => {
  const meter = breakpointMeter(characters, 6_000, false);
  const [, ...messages] = history(3);
  const [first, second] = growing(messages).map((each) => meter({ messages: each, at: '' }).atMarks);
  expect(first).toMatchObject({ cacheRead: 0 });
  expect(first?.cacheWrite).toBeGreaterThan(6_000);
  expect(second?.cacheRead).toBe(first?.cacheWrite);
});

test('what is not read for five minutes is gone, and a read renews it', () => {
  const meter = breakpointMeter(characters, 0, true);
  const minutes = [0, 4, 8, 14, 15];
  const uses = growing(history(5)).map((messages, index) => meter({ messages, at: at(minutes[index] ?? 0) }));
  expect(uses.map(({ withLife }) => (withLife?.cacheRead ?? 0) > 0)).toEqual([false, true, true, false, true]);
  expect(uses.map(({ atMarks }) => atMarks.cacheRead > 0)).toEqual([false, true, true, true, true]);
});

/** The same requests against the provider's rules, which are written down apart. */
async function byProvider(lists: readonly (readonly Message[])[], minutes: readonly number[]) {
  let time = 0;
  const cache = await anthropicPromptCache({ now: () => new Date(time) });
  let last: SentPrompt | undefined;
  return lists.map((messages, index) => {
    time = Date.parse(at(minutes[index] ?? 0));
    last = promptToSend(messages, last);
    const tools = [{ name: 'read', description: '', inputSchema: {} }];
    const request = { messages: last.messages, tools, cache: last.cache };
    return cache.use(toMessagesRequest(request, { model: 'claude-opus-5-5' }));
  });
}

test.each([1, 12])('it agrees with the provider’s rules: batches of %d, masks, a summary, pauses', async (batch) => {
  const whole = growing(history(24, batch));
  const lists = whole.map((messages, index) => {
    if (index < 10) return messages;
    // Old results are masked; later the first half goes.
    const masked = messages.map((message, place) =>
      message.role === 'tool' && place < 14 ? { ...message, content: text('masked') } : message,
    );
    if (index < 18) return masked;
    const [system, task] = masked;
    const firstKept = masked.findIndex(({ role }, place) => place > 20 && role === 'assistant');
    return [
      system,
      task,
      { role: 'user' as const, content: text(words('summary')) },
      ...masked.slice(firstKept),
    ].filter((message) => message !== undefined);
  });
  const minutes = lists.map((_, index) => index + (index > 14 ? 6 : 0));
  const meter = breakpointMeter(characters, 0, true);
  const ours = lists.map((messages, index) => meter({ messages, at: at(minutes[index] ?? 0) }).withLife);
  const theirs = await byProvider(lists, minutes);
  theirs.forEach((use, index) => {
    const own = ours[index];
    const size = use.read + use.written + use.uncached;
    // They count the JSON around the text, too.
    const tolerance = size * 0.03;
    expect(Math.abs((own?.cacheRead ?? 0) - use.read), `read at call ${index}`).toBeLessThan(tolerance);
    expect(Math.abs((own?.cacheWrite ?? 0) - use.written), `written at call ${index}`).toBeLessThan(tolerance);
  });
  expect(theirs.filter(({ read }) => read === 0).length).toBeGreaterThan(1);
});

test('what stands in no message is counted once', () => {
  const meter = breakpointMeter(characters, 1_000, false);
  const { cacheRead, cacheWrite, input } = meter({
    messages: [{ role: 'user', content: text(words('task')) }],
    at: at(0),
  }).atMarks;
  expect(cacheRead + cacheWrite + input).toBe(1_000 + 4 + 1_000);
});
