/* oxlint-disable palimpsest/layers -- what comes back is what a view makes of the events; tests only */
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import type { Event } from '@palimpsest/events';
import { parseEvent } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { anthropicServer } from '@palimpsest/provider-servers';
import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { InvalidRequestError } from '../errors.js';
import { unknownToolName } from '../wire/pieces.js';
import { eventsFromMessages, setAsideType } from './events.js';
import { anthropicLLM } from './llm.js';
import { toMessagesRequest } from './request.js';

type Param = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

const model = 'claude-opus-5-5';
const wireTools = [{ name: 'run', description: 'Runs a command.', input_schema: { type: 'object' as const } }];
const tools = [{ name: 'run', description: 'Runs a command.', inputSchema: { type: 'object' } }];
const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (...content: Block[]): Param => ({ role: 'user', content });
const assistant = (...content: Block[]): Param => ({ role: 'assistant', content });
const call = (id: string, input: unknown = {}): Block => ({ type: 'tool_use', id, name: 'run', input });
const result = (id: string, fields: object = {}): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [text('ok')],
  ...fields,
});
const thinking = (name: string): Block => ({ type: 'thinking', thinking: name, signature: `signature of ${name}` });
const png = {
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0=' },
};

const viewOf = (events: readonly Event[]) => View.fromEvents(events);
/** There and back. */
const again = (messages: readonly Param[], system?: string | Anthropic.TextBlockParam[]) => {
  const events = eventsFromMessages(messages, { tools: wireTools, system });
  return toMessagesRequest({ messages: viewOf(events).toMessages(), tools }, { model });
};
const setAsides = (events: readonly Event[]) =>
  events.filter(({ type }) => type === setAsideType) as unknown as { path: string; reason: string; value: unknown }[];

describe('eventsFromMessages', () => {
  it('makes the events of an agent turn', () => {
    let count = 0;
    const events = eventsFromMessages(
      [
        { role: 'user', content: 'List the files.' },
        assistant(
          thinking('Hm.'),
          text('I look.'),
          call('a', { command: 'ls' }),
          { type: 'redacted_thinking', data: 'x' },
          call('b'),
        ),
        user(
          result('b', { is_error: true, content: 'no such folder' }),
          result('a', { content: [text('a.txt'), png] }),
          text('And?'),
        ),
        { role: 'assistant', content: 'Nothing else.' },
      ],
      { system: 'Be short.', tools: wireTools, now: () => new Date(0), newId: () => `id-${++count}` },
    );
    const timestamp = '1970-01-01T00:00:00.000Z';
    expect(events).toEqual([
      { type: 'system-prompt', id: 'id-1', timestamp, source: 'agent', systemPrompt: 'Be short.', tools },
      { type: 'message', id: 'id-2', timestamp, source: 'user', role: 'user', content: [text('List the files.')] },
      {
        type: 'action',
        id: 'id-4',
        timestamp,
        source: 'agent',
        llmResponseId: 'id-3',
        thought: [text('I look.')],
        thinkingBlocks: [thinking('Hm.'), { type: 'redacted-thinking', data: 'x', position: 2 }],
        toolCall: { id: 'a', name: 'run', arguments: '{"command":"ls"}' },
      },
      {
        type: 'action',
        id: 'id-5',
        timestamp,
        source: 'agent',
        llmResponseId: 'id-3',
        thought: [],
        toolCall: { id: 'b', name: 'run', arguments: '{}' },
      },
      {
        type: 'observation',
        id: 'id-6',
        timestamp,
        source: 'environment',
        toolCallId: 'b',
        toolName: 'run',
        actionId: 'id-5',
        content: [text('no such folder')],
        isError: true,
      },
      {
        type: 'observation',
        id: 'id-7',
        timestamp,
        source: 'environment',
        toolCallId: 'a',
        toolName: 'run',
        actionId: 'id-4',
        content: [text('a.txt'), { type: 'image', url: 'data:image/png;base64,iVBORw0=' }],
      },
      { type: 'message', id: 'id-8', timestamp, source: 'user', role: 'user', content: [text('And?')] },
      {
        type: 'message',
        id: 'id-10',
        timestamp,
        source: 'agent',
        role: 'assistant',
        llmResponseId: 'id-9',
        content: [text('Nothing else.')],
      },
    ]);
    expect(events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))))).toEqual(events);
  });

  it('makes ids and times of its own, and keeps the ids of answers', () => {
    const answer = { ...assistant(call('a')), id: 'msg_7' };
    const events = eventsFromMessages([user(text('a')), answer]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
    expect(events[1]).toMatchObject({ llmResponseId: 'msg_7' });
  });

  it('gives each answer an id of its own where a server repeats its ids', () => {
    const answer = (name: string) => ({ ...assistant(call(name)), id: 'msg_1' });
    const history = [user(text('Go.')), answer('a'), user(result('a')), answer('b'), user(result('b'))];
    const view = viewOf(eventsFromMessages(history));
    expect(view.toMessages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
  });

  it.each([
    ['a string', 'Be short.', { systemPrompt: 'Be short.' }],
    ['one block', [text('Be short.')], { systemPrompt: 'Be short.' }],
    ['two', [text('a'), text('b')], { systemPrompt: 'a', dynamicContext: 'b' }],
    [
      'more, of which one is marked',
      [text('a'), { ...text('b'), cache_control: { type: 'ephemeral' as const } }, text('c'), text('d')],
      { systemPrompt: 'a\n\nb', dynamicContext: 'c\n\nd' },
    ],
  ])('reads instructions: %s', (_what, system, expected) => {
    const [event] = eventsFromMessages([user(text('a'))], { system });
    expect(event).toMatchObject(expected);
    expect(event).not.toHaveProperty('tools');
  });

  it('takes an answer that is spread over messages for one, unless their ids differ', () => {
    const spread = [user(text('a')), { ...assistant(text('b')), id: '1' }, { ...assistant(call('x')), id: '1' }];
    expect(eventsFromMessages(spread)).toMatchObject([{}, { type: 'action', thought: [text('b')] }]);
    const two = [user(text('a')), { ...assistant(text('b')), id: '1' }, { ...assistant(call('x')), id: '2' }];
    expect(eventsFromMessages(two)).toMatchObject([{}, { type: 'message' }, { type: 'action', thought: [] }]);
  });

  it('keeps the calls of another provider aside', () => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{}' } }];
    const log = eventsFromMessages([{ role: 'assistant', content: '', tool_calls: calls } as never]);
    expect(log).toContainEqual(
      expect.objectContaining({ type: setAsideType, path: 'messages.0.tool_calls', value: calls }),
    );
  });

  it('says that it was given no array', () => {
    const read = () => eventsFromMessages({ messages: [] } as unknown as Param[]);
    expect(read).toThrow(InvalidRequestError);
    expect(read).toThrow('takes an array of messages, not object');
    expect(eventsFromMessages([])).toEqual([]);
  });
});

describe('what a provider would not take', () => {
  it('keeps a result without a call in the log, and the view says why it leaves it out', () => {
    const events = eventsFromMessages([
      user(text('a')),
      assistant(text('b')),
      user(result('nowhere', { content: 'kept' })),
    ]);
    expect(events[2]).toMatchObject({ type: 'observation', toolName: unknownToolName, content: [text('kept')] });
    const view = viewOf(events);
    expect(view.leftOut.get(events[2]?.id ?? '')).toEqual(expect.any(String));
    expect(JSON.stringify(view.toMessages())).not.toContain('kept');
  });

  it('keeps a second result for a call in the log, and sends one', () => {
    const events = eventsFromMessages([
      user(text('a')),
      assistant(call('x')),
      user(result('x'), result('x', { content: 'again' })),
    ]);
    expect(events.filter(({ type }) => type === 'observation')).toHaveLength(2);
    const view = viewOf(events);
    expect(view.leftOut.size).toBe(1);
    expect(view.toMessages().filter(({ role }) => role === 'tool')).toHaveLength(1);
  });

  it('keeps a call without a result, which is not sent once the model has gone on', () => {
    const events = eventsFromMessages([
      user(text('a')),
      assistant(text('b'), call('x')),
      user(text('c')),
      assistant(text('d')),
      user(text('e')),
    ]);
    expect(events[1]).toMatchObject({ type: 'action', toolCall: { id: 'x' } });
    expect(JSON.stringify(viewOf(events).toMessages())).not.toContain('"x"');
  });

  it('puts results before the words in front of them', () => {
    const body = again([user(text('a')), assistant(call('x')), user(text('b'), result('x'))]);
    expect(body.messages[2]).toEqual(user(result('x'), text('b')));
  });

  it.each([
    ['no content', user(), { content: [] }],
    ['an empty text', { role: 'user' as const, content: '' }, { content: [text('')] }],
  ])('keeps a message of the user with %s as an event that is not sent', (_what, message, expected) => {
    const events = eventsFromMessages([message, user(text('b'))]);
    expect(events[0]).toMatchObject({ type: 'message', ...expected });
    expect(viewOf(events).toMessages()).toEqual([{ role: 'user', content: [text('b')] }]);
  });

  it('keeps an empty answer as an event that is not sent', () => {
    const events = eventsFromMessages([user(text('a')), assistant(text(' '))]);
    expect(events[1]).toMatchObject({ type: 'message', role: 'assistant', content: [] });
    expect(viewOf(events).toMessages()).toHaveLength(1);
  });
});

describe('what the log has no place for', () => {
  const file = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  } as const;

  it('stands whole in an event of its own, and words say what is missing', () => {
    const events = eventsFromMessages([user(text('Read this.'), file)]);
    expect(setAsides(events)).toMatchObject([{ path: 'messages.0.content.1', value: file }]);
    expect(viewOf(events).toMessages()).toEqual([
      { role: 'user', content: [text('Read this.'), text("(A block of the type 'document' is not shown here.)")] },
    ]);
    expect(events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))))).toEqual(events);
  });

  it('is read as text where it is text', () => {
    const document = {
      type: 'document',
      title: 'Notes',
      source: { type: 'text', media_type: 'text/plain', data: 'Buy milk.' },
    } as const;
    const found = {
      type: 'search_result',
      title: 'T',
      source: 'https://example.org',
      content: [text('Milk.')],
    } as const;
    const events = eventsFromMessages([user(document), assistant(call('x')), user(result('x', { content: [found] }))]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'message', content: [text('Notes'), text('Buy milk.')] }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'observation', content: [text('T\nhttps://example.org'), text('Milk.')] }),
    );
    expect(setAsides(events).map(({ path }) => path)).toEqual([
      'messages.0.content.0',
      'messages.2.content.0.content.0',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a block of a new type', user({ type: 'hologram', data: 1 } as unknown as Block), 'messages.0.content.0'],
    ['a block that is none', user(7 as unknown as Block), 'messages.0.content.0'],
    [
      'an image at the provider',
      user({ type: 'image', source: { type: 'file', file_id: 'f' } } as unknown as Block),
      'messages.0.content.0',
    ],
    [
      'a call without an id',
      assistant({ type: 'tool_use', name: 'run', input: {} } as unknown as Block),
      'messages.0.content.0',
    ],
    [
      "the provider's own tools",
      assistant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      'messages.0.content.0',
    ],
    [
      'citations',
      assistant({ ...text('a'), citations: [{ type: 'char_location' }] } as unknown as Block),
      'messages.0.content.0',
    ],
    ['a message of another role', { role: 'tool', content: 'x' }, 'messages.0'],
    ['no message at all', null, 'messages.0'],
  ])('%s', (_what, message, path) => {
    const events = eventsFromMessages([message as Param]);
    const { path: found, value, reason } = setAsides(events)[0] ?? {};
    expect(found).toBe(path);
    expect(reason).toEqual(expect.any(String));
    const held = message as { content?: unknown[] } | null;
    expect(value).toEqual(path === 'messages.0' ? message : held?.content?.[0]);
  });

  it("sets the provider's own tools aside from the definitions", () => {
    const search = { type: 'web_search_20250305', name: 'web_search' } as const;
    const events = eventsFromMessages([user(text('a'))], { system: 'Go.', tools: [search, ...wireTools] });
    expect(setAsides(events)).toMatchObject([{ path: 'tools.0', value: search }]);
    expect(events[1]).toMatchObject({ type: 'system-prompt', tools });
  });

  it('takes with it the thinking that is bound to it, and keeps that too', () => {
    const history = [
      user(file),
      assistant(thinking('one'), call('x')),
      user(result('x')),
      assistant(thinking('two'), text('Done.')),
    ];
    const events = eventsFromMessages(history);
    expect(setAsides(events)).toMatchObject([
      { value: file },
      { path: 'messages.1', value: [thinking('one')] },
      { path: 'messages.3', value: [thinking('two')] },
    ]);
    expect(JSON.stringify(viewOf(events).toMessages())).not.toContain('signature of');
  });

  it('is a message of the system: it stands in the place of the user', () => {
    const events = eventsFromMessages([
      user(text('a')),
      { role: 'system', content: 'Be short.' },
      assistant(text('b')),
    ]);
    expect(events[1]).toMatchObject({
      type: 'message',
      source: 'environment',
      role: 'user',
      content: [text('Be short.')],
    });
  });
});

// What eventsFromMessages and toMessagesRequest make of a history is stated; this is that statement, written down on its own.
const words = fc.string({ minLength: 1, maxLength: 12 }).filter((some) => some.trim() !== '');
const textBlock = words.map(text);
const thought: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant('thinking' as const), thinking: fc.string(), signature: fc.string({ minLength: 1 }) }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: fc.string() }),
);
const inputs = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  .map((input) => JSON.parse(JSON.stringify(input)) as unknown);
const thoughts = fc.array(thought, { maxLength: 2 });
interface Step {
  readonly said: readonly Block[];
  readonly calls: readonly {
    readonly input: unknown;
    readonly before: readonly Block[];
    readonly content: readonly (typeof png | ReturnType<typeof text>)[];
    readonly isError: boolean;
  }[];
  readonly words: readonly ReturnType<typeof text>[];
}
const step: fc.Arbitrary<Step> = fc.record({
  said: fc
    .array(fc.tuple(thoughts, textBlock), { maxLength: 2 })
    .map((some) => some.flatMap(([before, block]) => [...before, block])),
  calls: fc.array(
    fc.record({
      input: inputs,
      before: thoughts,
      content: fc.array(fc.oneof(textBlock, fc.constant(png)), { maxLength: 2 }),
      isError: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  words: fc.array(textBlock, { maxLength: 2 }),
});
/** In the form that every history gets, so that it must come back as it is. */
const normal = fc
  .tuple(fc.array(textBlock, { minLength: 1, maxLength: 2 }), fc.array(step, { maxLength: 6 }))
  .map(([first, steps]) => {
    const messages: { role: 'user' | 'assistant'; content: Block[] }[] = [{ role: 'user', content: [...first] }];
    steps.forEach(({ said, calls, words: after }, index) => {
      const ids = calls.map((_, at) => `toolu_${index}_${at}`);
      const answer = [...said, ...calls.flatMap(({ before, input }, at) => [...before, call(ids[at] ?? '', input)])];
      const results = calls.map(({ content, isError }, at): Block => {
        const texts = content.filter((part) => part.type === 'text');
        const sent = isError ? (texts.length === 0 ? [text('failed')] : texts) : content;
        return {
          type: 'tool_result',
          tool_use_id: ids[at] ?? '',
          ...(sent.length === 0 ? {} : { content: [...sent] }),
          ...(isError ? { is_error: true } : {}),
        };
      });
      messages.push({ role: 'assistant', content: answer.length === 0 ? [text('Hm.')] : answer });
      messages.push({
        role: 'user',
        content: results.length === 0 && after.length === 0 ? [text('Go on.')] : [...results, ...after],
      });
    });
    return messages;
  });
type Normal = readonly { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] }[];

/** The same history as people hold it: strings, spread messages, marks for the cache, `is_error: false`. */
function loosened(messages: Normal, choose: () => boolean): Param[] {
  return messages.flatMap(({ role, content }): Param[] => {
    const blocks = content.map((block): Block => {
      if (block.type === 'text' && choose()) return { ...block, cache_control: { type: 'ephemeral' }, citations: null };
      if (block.type !== 'tool_result') return block;
      const [only, ...more] = Array.isArray(block.content) ? block.content : [];
      const asString = only?.type === 'text' && more.length === 0 && choose() ? { content: only.text } : {};
      return { ...block, ...(block.is_error === true ? {} : { is_error: false }), ...asString };
    });
    const [first, ...others] = blocks;
    if (first?.type === 'text' && others.length === 0 && choose()) return [{ role, content: first.text }];
    const isSplit = blocks.length > 1 && choose();
    return isSplit ? blocks.map((block) => ({ role, content: [block] })) : [{ role, content: blocks }];
  });
}

describe('there and back', () => {
  test('a history comes back as it was', () => {
    fc.assert(
      fc.property(normal, fc.infiniteStream(fc.boolean()), (messages, choices) => {
        const choose = () => choices.next().value === true;
        const body = again(loosened(messages, choose), 'Be short.');
        expect(body.messages).toEqual(messages);
        expect(body.system).toEqual([text('Be short.')]);
        expect(checkAnthropicRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
      }),
      { seed: 20_261_123, numRuns: fewer(300) },
    );
  });
});

describe('a conversation that was begun without events', () => {
  it('goes on with its thinking, and finds what the provider has cached', async () => {
    const server = await anthropicServer({
      reply: (_body, index) => ({
        content: [
          { type: 'thinking', thinking: `Step ${index}.` },
          text(`Step ${index}.`),
          ...(index < 2 ? [{ type: 'tool_use', id: `toolu_${index}`, name: 'run', input: { index } }] : []),
        ],
      }),
    });
    onTestFinished(() => server.close());
    // The package itself, and messages in the way in which its users hold them.
    const client = new Anthropic({ apiKey: 'key', baseURL: server.baseURL });
    const system = 'Be short. '.repeat(1_000);
    const held: Param[] = [{ role: 'user', content: 'Go.' }];
    for (let step = 0; step < 2; step++) {
      const automatic = { cache_control: { type: 'ephemeral' as const } };
      const answer = await client.messages.create({
        model,
        max_tokens: 500,
        system,
        tools: wireTools,
        messages: held,
        ...automatic,
      });
      held.push({ role: 'assistant', content: answer.content });
      held.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${step}`, content: 'ok' }] });
    }

    const log = eventsFromMessages(held, { system, tools: wireTools });
    expect(setAsides(log)).toEqual([]);
    const llm = anthropicLLM({ model, apiKey: 'key', baseURL: server.baseURL });
    const messages = viewOf(log).toMessages();
    const { message, usage } = await llm.complete({ messages, tools, cache: {} });
    expect(message.content).toEqual([text('Step 2.')]);
    expect(messages.flatMap((one) => (one.role === 'assistant' ? (one.thinkingBlocks ?? []) : []))).toHaveLength(2);
    expect(usage.cacheReadTokens).toBeGreaterThan(1_000);
  });
});
