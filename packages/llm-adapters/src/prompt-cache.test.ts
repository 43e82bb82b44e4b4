import type { Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { cacheDriftOf, expectedCacheRead } from './index.js';
import type { RequestPair } from './index.js';
import type { AnsweredRequest } from './prompt-cache.js';
import { promptToSend } from './prompt-cache.js';
import type { SentPrompt } from './prompt-cache.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const system: Message = { role: 'system', content: [text('Be short.')] };
const user = (...words: string[]): Message => ({ role: 'user', content: words.map(text) });
const step = (id: string, result = `result of ${id}`): readonly Message[] => [
  { role: 'assistant', content: [], toolCalls: [{ id, name: 'run', arguments: '{}' }] },
  { role: 'tool', toolCallId: id, toolName: 'run', content: [text(result)] },
];
const steps = (from: number, to: number, result?: string): readonly Message[] =>
  Array.from({ length: to - from }, (_, index) => step(`${from + index}`, result)).flat();

/** The prompts of requests with these messages, each told of the one before it. */
function sent(...requests: readonly (readonly Message[])[]): Required<SentPrompt> {
  let last: Required<SentPrompt> | undefined;
  for (const messages of requests) last = promptToSend(structuredClone(messages), last);
  return last ?? expect.unreachable('there is a request');
}
const hints = (...requests: readonly (readonly Message[])[]) => sent(...requests).cache;

const head = [system, user('task')];

describe('the hints of a prompt', () => {
  it('say that nothing is cached of the first', () => {
    expect(hints(head)).toEqual({ cachedMessages: 0 });
  });

  it('name where the request before ended, while the history only grows', () => {
    expect(hints(head, [...head, ...steps(0, 1)])).toEqual({ cachedMessages: 2, stableMessages: [] });
    expect(hints(head, [...head, ...steps(0, 1)], [...head, ...steps(0, 2)]).cachedMessages).toBe(4);
  });

  it('name the last request that ended before masks, and where the masks end', () => {
    const masked = [...head, ...steps(0, 2), ...steps(2, 4, 'masked'), ...steps(4, 9)];
    // The masks begin at message 7, whose call is unchanged; behind them message 11 is the next result.
    expect(hints([...head, ...steps(0, 8)], masked)).toEqual({ cachedMessages: 6, stableMessages: [11] });
    const next = sent([...head, ...steps(0, 8)], masked, [...masked, ...steps(9, 10)]);
    expect(next.cache).toEqual({ cachedMessages: 20, stableMessages: [11] });
    const again = [...masked.slice(0, 10), ...steps(4, 6, 'masked'), ...steps(6, 11)];
    // No request ended there since the masks: only the place that was called stable can be cached.
    expect(promptToSend(again, next).cache).toEqual({ cachedMessages: 11, stableMessages: [15] });
  });

  it('name the end of masks that took arguments too, where the next ones begin with a call', () => {
    const shortened = step('2', 'masked').map((message) =>
      message.role === 'assistant' ? { ...message, toolCalls: [{ id: '2', name: 'run', arguments: '[]' }] } : message,
    );
    const masked = [...head, ...steps(0, 2), ...shortened, ...steps(3, 9)];
    expect(hints([...head, ...steps(0, 8)], masked).stableMessages).toEqual([8]);
  });

  it('name where messages made room for a summary, and move the end of the masks with its messages', () => {
    const before = [...head, ...steps(0, 8)];
    const summary = [...head, ...steps(0, 1), user('summary')];
    expect(hints(before, [...summary, ...steps(5, 9)])).toEqual({ cachedMessages: 4, stableMessages: [5, 4] });
    const masked = [...head, ...steps(0, 1), ...steps(1, 6, 'masked'), ...steps(6, 9)];
    const both = hints(before, masked, [...summary, ...steps(5, 6, 'masked'), ...steps(6, 10)]);
    expect(both.stableMessages).toEqual([8, 4]);
  });

  it('name what stays of a message of the user that a summary becomes a part of', () => {
    const summary = [system, user('task', 'rules', 'summary'), ...steps(5, 9)];
    expect(hints([system, user('task', 'rules'), ...steps(0, 8)], summary).stableMessages).toEqual([
      2,
      { messages: 1, parts: 2 },
    ]);
  });

  it('take thinking that a rewrite takes away for no rewrite of its own', () => {
    const thinking = (messages: readonly Message[]) =>
      messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, thinkingBlocks: [{ type: 'thinking' as const, thinking: 'x' }] }
          : message,
      );
    const before = thinking([...head, ...steps(0, 8)]);
    const masked = [...thinking([...head, ...steps(0, 2)]), ...steps(2, 4, 'masked'), ...steps(4, 8)];
    expect(hints(before, [...masked, ...thinking(steps(8, 9))]).stableMessages).toEqual([11]);
  });

  it('know without their own last hints where requests ended: after a restart', () => {
    const before = [...head, ...steps(0, 8)];
    const masked = [...head, ...steps(0, 2), ...steps(2, 4, 'masked'), ...steps(4, 9)];
    expect(promptToSend(masked, { messages: before }).cache).toEqual({ cachedMessages: 6, stableMessages: [11] });
  });

  it('say of another conversation that nothing is cached', () => {
    expect(hints([system, user('a'), ...steps(0, 3)], [user('b')])).toMatchObject({ cachedMessages: 0 });
    expect(hints([], head).cachedMessages).toBe(0);
  });
});

it('compares messages that are made anew without reading the text of their parts, and stops at the first difference', () => {
  let read = 0;
  const part = {
    type: 'text' as const,
    get text() {
      read += 1;
      return 'long';
    },
  };
  const messages = (last: string): readonly Message[] => [
    ...Array.from({ length: 100 }, (): Message => ({ role: 'user', content: [part] })),
    { role: 'user', content: [text(last)] },
  ];
  const first = promptToSend(messages('a'));
  expect(promptToSend(messages('b'), first).cache.cachedMessages).toBe(100);
  expect(read).toBe(0);
});

const minute = 60_000;

function request(input: number, read: number, { write = 0, at = 0, model = 'm' } = {}): AnsweredRequest {
  const usage = {
    uncachedInputTokens: input - read - write,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: 10,
  };
  return { model, usage, at };
}

const pair = (answered: AnsweredRequest, more: Partial<RequestPair> = {}): RequestPair => ({
  previous: request(20_000, 18_000),
  answered,
  ...more,
});

describe('expectedCacheRead', () => {
  it('is the previous request, or what was kept of it', () => {
    expect(expectedCacheRead(pair(request(22_000, 0)))).toBe(20_000);
    expect(expectedCacheRead(pair(request(9_000, 0), { keptTokens: 6_000 }))).toBe(6_000);
    expect(expectedCacheRead(pair(request(9_000, 0)))).toBe(9_000);
  });

  it('is nothing for another model, behind the life of the cache, and below the minimum', () => {
    expect(expectedCacheRead(pair(request(22_000, 0, { model: 'other' })))).toBe(0);
    const facts = { cacheLifeMs: 5 * minute, cacheMinimumTokens: 4_096 };
    expect(expectedCacheRead(pair(request(22_000, 0, { at: 6 * minute }), { facts }))).toBe(0);
    expect(expectedCacheRead(pair(request(22_000, 0, { at: 6 * minute })))).toBe(20_000);
    expect(expectedCacheRead(pair(request(22_000, 0), { keptTokens: 4_000, facts }))).toBe(0);
    expect(expectedCacheRead(pair(request(22_000, 0), { keptTokens: 1_000 }))).toBe(0);
  });
});

describe('cacheDriftOf', () => {
  it('is none up to a tenth and 1,024 tokens, nor when more was read', () => {
    expect(cacheDriftOf(pair(request(22_000, 18_000)))).toBeUndefined();
    expect(cacheDriftOf(pair(request(22_000, 21_000)))).toBeUndefined();
    expect(cacheDriftOf(pair(request(5_000, 2_000), { keptTokens: 3_000 }))).toBeUndefined();
    expect(cacheDriftOf(pair(request(22_000, 17_999)))).toEqual({
      expectedReadTokens: 20_000,
      reportedReadTokens: 17_999,
      reason: 'prefix-changed',
    });
  });

  it.each([
    ['nothing was ever read or written', request(22_000, 0), { previous: request(20_000, 0) }, 'not-reported'],
    ['the prompt was written anew', request(22_000, 0, { write: 21_000 }), {}, 'prefix-changed'],
    ['minutes have gone by', request(22_000, 0, { at: 5 * minute }), {}, 'expired'],
    ['the prefix is small', request(22_000, 0), { keptTokens: 3_000 }, 'below-minimum'],
  ] as const)('gives the likely reason: %s', (_, answered, more, reason) => {
    expect(cacheDriftOf(pair(answered, more))?.reason).toBe(reason);
  });
});
