import type { Message, ToolMessage } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CacheHints, CachePlace, Completion } from '../llm.js';
import { anthropicLLM } from './llm.js';
import type { MessagesOptions } from './request.js';
import { toMessagesRequest } from './request.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const long = (name: string) => text(`${name} `.repeat(1_000));
const user = (...content: { type: 'text'; text: string }[]): Message => ({ role: 'user', content });
const answer = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [text('Hm.')],
  toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{}' })),
});
const result = (toolCallId: string, words = 'ok'): ToolMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'run',
  content: [text(words)],
});
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object' } }];
const system: Message = { role: 'system', content: [long('static')] };

interface Marked {
  readonly cache_control?: { readonly type: string; readonly ttl?: string };
}
type WireBody = ReturnType<typeof toMessagesRequest>;

/** Everything that is cached, in its order, with where it stands. */
function cachedParts(body: WireBody): readonly (readonly [path: string, part: Marked])[] {
  const listed = (path: string, parts: unknown) =>
    Array.isArray(parts) ? parts.map((part: Marked, index) => [`${path}.${index}`, part] as const) : [];
  return [
    ...listed('tools', body.tools),
    ...listed('system', body.system),
    ...body.messages.flatMap(({ content }, index) => listed(`messages.${index}`, content)),
  ];
}
const marks = (body: WireBody) =>
  cachedParts(body).flatMap(([path, part]) => (part.cache_control === undefined ? [] : [path]));
const marked = (messages: readonly Message[], cache: object = {}, options: Partial<MessagesOptions> = {}) =>
  marks(toMessagesRequest({ messages, tools, cache }, { model: 'claude-opus-5-5', ...options }));

describe('marks for the prompt cache', () => {
  it('are there only where the request asks for them', () => {
    const body = toMessagesRequest({ messages: [system, user(long('a'))], tools }, { model: 'claude-opus-5-5' });
    expect(marks(body)).toEqual([]);
  });

  it('stand at the end of the instructions, where the request before ended, and at the newest message', () => {
    expect(marked([system, user(long('a'))])).toEqual(['system.0', 'messages.0.0']);
    const messages = [system, user(long('a')), answer('1'), result('1')];
    expect(marked(messages)).toEqual(['system.0', 'messages.0.0', 'messages.2.0']);
    expect(marked(messages.slice(1))).toEqual(['messages.0.0', 'messages.2.0']);
  });

  it('stand at the end of the tools where there are no instructions', () => {
    const heavy = [{ ...tools[0], name: 'heavy', description: long('x').text, inputSchema: {} }];
    const body = toMessagesRequest(
      { messages: [user(text('a'))], tools: heavy, cache: {} },
      { model: 'claude-opus-5-5' },
    );
    expect(marks(body)).toEqual(['tools.0', 'messages.0.0']);
  });

  const messages = [system, user(long('a')), answer('1'), result('1'), answer('2'), result('2')];

  it('stand at the places that the caller names: what is cached, and what is stable', () => {
    const named = (cachedMessages: CachePlace, stableMessages: CacheHints['stableMessages'] = []) =>
      marked(messages, { cachedMessages, stableMessages });
    expect(named(0)).toEqual(['system.0', 'messages.4.0']);
    expect(named(4)).toEqual(['system.0', 'messages.2.0', 'messages.4.0']);
    expect(named(2, 4)).toEqual(['system.0', 'messages.0.0', 'messages.2.0', 'messages.4.0']);
    // The first ones are the most important.
    expect(named(2, [4, 3])).toEqual(['system.0', 'messages.1.1', 'messages.2.0', 'messages.4.0']);
    expect(named(99, [1, 6])).toEqual(['system.0', 'messages.4.0']);
  });

  it('stand at a part of a message of the user, and never at an empty one', () => {
    const merged = [system, user(text(' '), long('task'), text('Summary.')), answer('1'), result('1')];
    const at = (parts: number) => marked(merged, { cachedMessages: { messages: 1, parts } });
    expect(at(2)).toEqual(['system.0', 'messages.0.0', 'messages.2.0']);
    expect(at(3)).toEqual(['system.0', 'messages.0.1', 'messages.2.0']);
    expect(at(1)).toEqual(['system.0', 'messages.2.0']);
  });

  it('stand at what is cached before all that is stable, when more has come since than the provider looks back to', () => {
    const many = (count: number) => user(...Array.from({ length: count }, (_, index) => text(`line ${index}`)));
    const grown = (count: number) => marked([...messages, many(count)], { cachedMessages: 2, stableMessages: [4, 3] });
    expect(grown(13)).toEqual(['system.0', 'messages.1.1', 'messages.2.0', 'messages.4.13']);
    expect(grown(14)).toEqual(['system.0', 'messages.0.0', 'messages.2.0', 'messages.4.14']);
  });

  it('stand at the first of several instructions while there is room, and are never more than four', () => {
    const two: Message = { role: 'system', content: [long('static'), text('Today is Monday.')] };
    const all = [two, ...messages.slice(1)];
    expect(marked(all)).toEqual(['system.0', 'system.1', 'messages.2.0', 'messages.4.0']);
    expect(marked(all, { stableMessages: 2 })).toEqual(['system.1', 'messages.0.0', 'messages.2.0', 'messages.4.0']);
  });

  it('stand on no thinking, and not on the sentence that asks the model to go on', () => {
    const thought: Message = {
      role: 'assistant',
      content: [text('Hm.')],
      thinkingBlocks: [{ type: 'thinking', thinking: 'x', signature: 's' }],
    };
    const asked = [system, user(long('a')), thought];
    expect(marked(asked)).toEqual(['system.0', 'messages.0.0', 'messages.1.1']);
    const calls = { ...answer('1'), content: [], thinkingBlocks: thought.thinkingBlocks ?? [] } as Message;
    expect(marked([...asked.slice(0, 2), calls], { cachedMessages: 3 })).toEqual(['system.0', 'messages.1.1']);
  });

  it('are left out below what the model caches', () => {
    expect(marked([user(text('a'))])).toEqual([]);
    expect(marked([system, user(text('a'))], {}, { facts: { cacheMinimumTokens: 100_000 } })).toEqual([]);
    expect(marked([user(text('a'))], {}, { facts: { cacheMinimumTokens: 0 } })).toEqual(['tools.0', 'messages.0.0']);
  });

  it('are all of the life that the options say', () => {
    const body = (cacheTtl: '5m' | '1h') =>
      toMessagesRequest({ messages: [system, user(text('a'))], cache: {} }, { model: 'claude-opus-5-5', cacheTtl });
    for (const ttl of ['5m', '1h'] as const) {
      const controls = cachedParts(body(ttl)).flatMap(([, part]) => part.cache_control ?? []);
      expect(controls).toEqual([
        { type: 'ephemeral', ttl },
        { type: 'ephemeral', ttl },
      ]);
    }
  });
});

describe('an agent run', () => {
  /** Returns the part of a request up to its last mark, as it is cached: without the marks. */
  const cachedPrefix = (body: WireBody) => {
    const parts = cachedParts(body);
    const end = parts.findLastIndex(([, part]) => part.cache_control !== undefined);
    return parts
      .slice(0, end + 1)
      .map(([path, { cache_control: _, ...part }]) => `${path} ${JSON.stringify(part)}\n`)
      .join('');
  };

  async function run(options: {
    readonly thinks: boolean;
    readonly ttl?: '5m' | '1h';
    readonly callsInStep: number;
    readonly words: number;
  }) {
    const steps = 5;
    const server = await anthropicServer({
      reply: (_body, index) => ({
        content: [
          ...(options.thinks ? [{ type: 'thinking', thinking: `Step ${index}.`, signature: '' }] : []),
          text(`Step ${index}.`),
          ...(index === steps - 1
            ? []
            : Array.from({ length: options.callsInStep }, (_, call) => ({
                type: 'tool_use',
                id: `toolu_${index}_${call}`,
                name: 'run',
                input: { index, call },
              }))),
        ],
      }),
    });
    onTestFinished(() => server.close());
    const llm = anthropicLLM({
      model: 'claude-opus-5-5',
      apiKey: 'key',
      baseURL: server.baseURL,
      prices: { input: 4, cacheRead: 0.2, cacheWrite: 5, cacheWriteByTtl: { '1h': 8 }, output: 20 },
      cacheTtl: options.ttl,
    });
    const messages: Message[] = [system, user(long('task'))];
    const completions: Completion[] = [];
    for (let step = 0; step < steps; step++) {
      const completion = await llm.complete({ messages, tools, cache: { key: 'run' } });
      completions.push(completion);
      messages.push(completion.message);
      for (const call of completion.message.toolCalls ?? [])
        messages.push(result(call.id, `result of ${call.id} `.repeat(50)));
      if (options.words > 0)
        messages.push(user(...Array.from({ length: options.words }, (_, index) => text(`remark ${index}`))));
    }
    return { completions, bodies: server.requests.map(({ body }) => body as WireBody) };
  }

  it.each([
    ['one call a step', { thinks: false, callsInStep: 1, words: 0 }],
    ['thinking, and calls in parallel', { thinks: true, callsInStep: 30, words: 0 }],
    ['more blocks a step than the provider looks back to', { thinks: true, callsInStep: 1, words: 30 }],
  ])('extends its requests byte by byte up to the mark and reads them from the cache: %s', async (_what, options) => {
    const { completions, bodies } = await run(options);
    for (const [index, body] of bodies.entries()) {
      expect(marks(body).length).toBeLessThanOrEqual(4);
      const before = bodies[index - 1];
      if (before === undefined) continue;
      const prefix = cachedPrefix(before);
      expect(cachedPrefix(body).slice(0, prefix.length)).toBe(prefix);
      // All that the request before had read or written is read, and nothing is paid for in full but what is new.
      const { usage } = completions[index - 1] as Completion;
      expect(completions[index]?.usage.cacheReadTokens).toBe(usage.cacheReadTokens + usage.cacheWriteTokens);
      expect(completions[index]?.usage.uncachedInputTokens).toBeLessThan(20);
    }
  });

  it('pays what an hour in the cache costs', async () => {
    const { completions } = await run({ thinks: false, callsInStep: 1, words: 0, ttl: '1h' });
    for (const { usage, costUsd } of completions) {
      expect(usage.cacheWriteTokens).toBeGreaterThan(0);
      const expected =
        usage.uncachedInputTokens * 4 +
        usage.cacheReadTokens * 0.2 +
        usage.cacheWriteTokens * 8 +
        usage.outputTokens * 20;
      expect(costUsd).toBeCloseTo(expected / 1e6, 12);
    }
  });
});
