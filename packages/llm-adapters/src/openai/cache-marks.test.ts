import type { Message } from '@palimpsest/events';
import { checkChatCompletionsRequest, checkResponsesRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it } from 'vitest';
import type { CacheHints } from '../llm.js';
import type { CacheTtl } from './cache-marks.js';
import { toResponsesRequest } from './responses/request.js';
import { serverProfile } from './server-profile.js';
import type { ServerName } from './server-profile.js';
import { toChatCompletionsRequest } from './chat/request.js';

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

const chat = (cache: CacheHints, model = 'gpt-6-luna', server: ServerName = 'openai') =>
  toChatCompletionsRequest({ messages, cache }, { model, server: serverProfile(server) });
const responses = (cache: CacheHints, list = messages) =>
  toResponsesRequest({ messages: list, cache }, { model: 'gpt-6-luna' });
const image = 'data:image/png;base64,iVBO';

describe('breakpoints', () => {
  it('stand at the start, at what is cached, at what is stable and at the newest message', () => {
    expect(chat({ cachedMessages: 2 }).messages[1]).toEqual({
      role: 'user',
      content: [{ ...text('Go.'), ...breakpoint }],
    });
    const cachedAt = [0, 1, 2, 3, 4, 5, 6, 99].map((cachedMessages) => marked(chat({ cachedMessages })));
    const [start, end] = ['Be short.', 'Done.'];
    expect(cachedAt).toEqual([
      [start, end],
      [start, end],
      [start, 'Go.', end],
      // Within a batch, before it.
      [start, 'Go.', end],
      [start, 'Go.', end],
      [start, image, end],
      [start, end],
      [start, end],
    ]);
    expect(marked(chat({ cachedMessages: 2, stableMessages: [5, 1] }))).toEqual([start, 'Go.', image, end]);
    expect(chat({ cachedMessages: 6 }).messages).toHaveLength(chat({}).messages.length);
  });

  it('stand in results where the history ends in them, and behind each of a batch, in Responses', () => {
    const ends = (cachedMessages: number, list?: readonly Message[]) =>
      responses({ cachedMessages }, list ?? messages).input as readonly { readonly output?: readonly object[] }[];
    expect(ends(2, messages.slice(0, 4))).toMatchObject([
      { content: [{ text: 'Go.', ...breakpoint }] },
      {},
      {},
      { output: [{ type: 'input_text', text: 'one', ...breakpoint }] },
    ]);
    expect(ends(4)[3]).toMatchObject({ output: [{ type: 'input_text', text: 'one', ...breakpoint }] });
    // Words of the model carry none: the newest that can is the image before them.
    expect(ends(4)[4]).toMatchObject({ output: [{ type: 'input_text' }, { type: 'input_image', ...breakpoint }] });
    expect(JSON.stringify(ends(4)[5])).not.toContain('breakpoint');
  });

  it('stand at a part of a message of the user, in Responses', () => {
    const list: readonly Message[] = [{ role: 'user', content: [text('task'), text(' '), text('summary')] }];
    const { input } = responses({ cachedMessages: { messages: 0, parts: 2 } }, list);
    expect(input).toMatchObject([
      {
        content: [
          { text: 'task', ...breakpoint },
          { text: 'summary', ...breakpoint },
        ],
      },
    ]);
  });

  it('are none where the hints name no place: the provider chooses one itself', () => {
    expect(marked(chat({ key: 'k' }))).toEqual([]);
    expect(JSON.stringify(responses({ key: 'k' }))).not.toContain('breakpoint');
    // With a place that is stable and no word of what is cached, the history has grown since the answer.
    expect(marked(chat({ stableMessages: 2 }))).toEqual(['Be short.', 'Go.', image, 'Done.']);
  });

  it('are such as the provider takes, in both APIs', () => {
    for (let place = 0; place <= messages.length; place++) {
      const cache = { cachedMessages: place, stableMessages: [1, 3, 5, 6] };
      expect(checkChatCompletionsRequest(chat(cache))).toEqual([]);
      expect(checkResponsesRequest(responses(cache))).toEqual([]);
    }
  });

  it('leave everything else as it is', () => {
    const plain = (body: unknown) => JSON.stringify(body).replaceAll(`,${JSON.stringify(breakpoint).slice(1, -1)}`, '');
    expect(plain(responses({ cachedMessages: 2 }))).toBe(plain(responses({ cachedMessages: 5 })));
    expect(plain(chat({ cachedMessages: 2 }))).toBe(plain(chat({ cachedMessages: 6 })));
    expect(plain(chat({ cachedMessages: 2 }))).toContain('Be short.');
  });

  it.each([
    ['gpt-5.5', 'openai', 0],
    ['gpt-4o', 'openai', 0],
    ['o4-mini', 'openai', 0],
    ['gpt-5.6-sol', 'openai', 3],
    ['gpt-6.2-sol-2026-11-17', 'openai', 3],
    ['a-model-of-tomorrow', 'openai', 3],
    ['gpt-6-luna', 'compatible', 0],
    ['kimi-k3', 'kimi', 0],
  ] as const)('%s at %s gets %i', (model, server, count) =>
    expect(marked(chat({ cachedMessages: 2 }, model, server))).toHaveLength(count),
  );
});

describe('keys and lifetimes', () => {
  const fields = (model: string, server: ServerName, cacheTtl?: CacheTtl) => {
    const body = toChatCompletionsRequest(
      { messages, cache: { key: 'k' } },
      { model, server: serverProfile(server), cacheTtl },
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
