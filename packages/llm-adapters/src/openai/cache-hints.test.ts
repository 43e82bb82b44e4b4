import type { Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { checkChatCompletionsRequest } from '../testing/chat-completions-request.js';
import { checkResponsesRequest } from '../testing/responses-request.js';
import type { CacheTtl } from './cache-hints.js';
import { toResponsesRequest } from './responses/to-request.js';
import { serverProfile } from './server-profile.js';
import type { ServerName } from './server-profile.js';
import { toChatCompletionsRequest } from './to-request.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const messages: readonly Message[] = [
  { role: 'system', content: [text('Be short.')] },
  { role: 'user', content: [text('Go.')] },
  {
    role: 'assistant',
    content: [],
    toolCalls: [
      { id: 'a', name: 'run', arguments: '{}' },
      { id: 'b', name: 'run', arguments: '{}' },
    ],
  },
  { role: 'tool', toolCallId: 'a', toolName: 'run', content: [text('one')] },
  {
    role: 'tool',
    toolCallId: 'b',
    toolName: 'run',
    content: [text('two'), { type: 'image', url: 'data:image/png;base64,iVBO' }],
  },
  { role: 'assistant', content: [text('Done.')] },
];
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };

/** The words at which a breakpoint stands, and how many there are. */
const marked = (body: unknown) =>
  [...JSON.stringify(body).matchAll(/"(?:text|url)":"([^"]*)"\}?,"(?:annotations|prompt_cache_breakpoint)":\{/g)].map(
    ([, words]) => words,
  );

const chat = (stableMessages: number, model = 'gpt-6-luna', server: ServerName = 'openai') =>
  toChatCompletionsRequest({ messages, cache: { stableMessages } }, { model, server: serverProfile(server) });
const responses = (stableMessages: number, model = 'gpt-6-luna') =>
  toResponsesRequest({ messages, cache: { stableMessages } }, { model });

describe('a breakpoint', () => {
  it('stands behind the newest part that is stable and can carry it', () => {
    expect(chat(2).messages[1]).toEqual({ role: 'user', content: [{ ...text('Go.'), ...breakpoint }] });
    expect([1, 2, 3, 4, 5, 6, 99].map((count) => marked(chat(count)))).toEqual([
      ['Be short.'],
      ['Go.'],
      // Within a batch, before it.
      ['Go.'],
      ['Go.'],
      ['data:image/png;base64,iVBO'],
      ['Done.'],
      ['Done.'],
    ]);
    expect(chat(6).messages).toHaveLength(chat(2).messages.length);
    expect([2, 4].map((count) => marked(responses(count)))).toEqual([['Go.'], ['Go.']]);
    expect(responses(5).input).toMatchObject([
      {},
      {},
      {},
      {},
      { output: [{ type: 'input_text' }, { type: 'input_image', ...breakpoint }] },
      {},
    ]);
  });

  it('is one that the provider takes, in both APIs', () => {
    for (let count = 0; count <= messages.length; count++) {
      expect(checkChatCompletionsRequest(chat(count))).toEqual([]);
      expect(checkResponsesRequest(responses(count))).toEqual([]);
    }
  });

  it('leaves everything else as it is', () => {
    const plain = (body: unknown) => JSON.stringify(body).replaceAll(`,${JSON.stringify(breakpoint).slice(1, -1)}`, '');
    expect(plain(responses(2))).toBe(plain(responses(5)));
    expect(plain(chat(2))).toBe(plain(chat(6)));
    expect(plain(chat(2))).toContain('Be short.');
  });

  it.each([
    ['gpt-5.5', 'openai', 0],
    ['gpt-4o', 'openai', 0],
    ['o4-mini', 'openai', 0],
    ['gpt-5.6-sol', 'openai', 1],
    ['gpt-6.2-sol-2026-11-17', 'openai', 1],
    ['a-model-of-tomorrow', 'openai', 1],
    ['gpt-6-luna', 'compatible', 0],
    ['kimi-k3', 'kimi', 0],
  ] as const)('%s at %s gets %i', (model, server, count) => expect(marked(chat(2, model, server))).toHaveLength(count));
});

describe('keys and lifetimes', () => {
  const fields = (model: string, server: ServerName, cacheTtl?: CacheTtl) => {
    const body = toChatCompletionsRequest(
      { messages, cache: { key: 'k' } },
      { model, server: serverProfile(server), ...(cacheTtl === undefined ? {} : { cacheTtl }) },
    );
    return Object.fromEntries(Object.entries(body).filter(([name]) => name.startsWith('prompt_cache')));
  };

  it.each([
    ['gpt-6-luna', 'openai', '12h', { prompt_cache_key: 'k', prompt_cache_options: { ttl: '12h' } }],
    ['gpt-5.5', 'openai', '12h', { prompt_cache_key: 'k', prompt_cache_retention: '24h' }],
    ['gpt-5.5', 'openai', '30m', { prompt_cache_key: 'k' }],
    ['gpt-6-luna', 'openai', undefined, { prompt_cache_key: 'k' }],
    ['kimi-k3', 'kimi', '12h', { prompt_cache_key: 'k' }],
    ['mistral-large-4', 'mistral', '12h', {}],
  ] as const)('%s at %s for %s', (model, server, ttl, expected) =>
    expect(fields(model, server, ttl)).toEqual(expected),
  );
});
