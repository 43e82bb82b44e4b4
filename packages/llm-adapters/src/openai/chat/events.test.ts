import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../errors.js';
import { eventsFromMessages, setAsideType } from './events.js';
import { unknownToolName } from '../../wire/pieces.js';

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, name = 'run', args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const result = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content });

const events = (...messages: unknown[]) => eventsFromMessages(messages as ChatMessage[]);
/** Without what every event has. */
const told = (log: readonly Event[]) =>
  log.map(({ id: _id, timestamp: _timestamp, ...rest }) => rest as Record<string, unknown>);

describe('eventsFromMessages', () => {
  it('gives the events of an agent run', () => {
    let count = 0;
    const log = eventsFromMessages(
      [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Go.', name: 'ada' },
        { ...calls('a', 'b'), content: 'I go.', reasoning_content: 'Hm.' } as ChatMessage,
        result('b', 'second'),
        result('a', [text('first')]),
        { role: 'assistant', content: 'Done.' },
      ],
      {
        newId: () => `id-${++count}`,
        now: () => new Date(0),
        tools: [{ type: 'function', function: { name: 'run', description: 'Runs.', parameters: { type: 'object' } } }],
      },
    );
    const [, , first, second] = log;
    expect(log.every(({ timestamp }) => timestamp === '1970-01-01T00:00:00.000Z')).toBe(true);
    expect(told(log)).toEqual([
      {
        type: 'system-prompt',
        source: 'agent',
        systemPrompt: 'Be short.',
        tools: [{ name: 'run', description: 'Runs.', inputSchema: { type: 'object' } }],
      },
      { type: 'message', source: 'user', role: 'user', content: [text('Go.')], sender: 'ada' },
      {
        type: 'action',
        source: 'agent',
        thought: [text('I go.')],
        reasoningContent: 'Hm.',
        toolCall: { id: 'a', name: 'run', arguments: '{}' },
        llmResponseId: expect.any(String) as string,
      },
      {
        type: 'action',
        source: 'agent',
        thought: [],
        toolCall: { id: 'b', name: 'run', arguments: '{}' },
        llmResponseId: (first as { llmResponseId?: string }).llmResponseId,
      },
      {
        type: 'observation',
        source: 'environment',
        toolName: 'run',
        toolCallId: 'b',
        actionId: second?.id,
        content: [text('second')],
      },
      {
        type: 'observation',
        source: 'environment',
        toolName: 'run',
        toolCallId: 'a',
        actionId: first?.id,
        content: [text('first')],
      },
      {
        type: 'message',
        source: 'agent',
        role: 'assistant',
        content: [text('Done.')],
        llmResponseId: expect.any(String) as string,
      },
    ]);
  });

  it('knows the calls of before 2024, and custom tools', () => {
    const log = told(
      events(
        { role: 'assistant', content: null, function_call: { name: 'ls', arguments: '{}' } },
        { role: 'function', name: 'ls', content: 'a' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }],
        },
        result('c'),
      ),
    );
    const id = (log[0]?.toolCall as { id: string }).id;
    expect(id).not.toBe('');
    expect(log[1]).toMatchObject({ type: 'observation', toolCallId: id, toolName: 'ls' });
    expect(log[2]).toMatchObject({ toolCall: { id: 'c', name: 'patch', arguments: '{"input":"*** Begin"}' } });
    expect(log[3]).toMatchObject({ toolName: 'patch' });
  });

  it('knows the calls of LangChain', () => {
    const called = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', name: 'ls', args: { path: '.' }, type: 'tool_call' }],
    };
    const log = eventsFromMessages([called, result('a')]);
    expect(log).toMatchObject([
      { type: 'action', toolCall: { id: 'a', name: 'ls', arguments: '{"path":"."}' } },
      { type: 'observation', toolName: 'ls' },
    ]);
  });

  it('knows the parts of the AI SDK, of now and of before', () => {
    const png = 'iVBORw0KGgo=';
    const log = eventsFromMessages([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', image: `data:image/png;base64,${png}` },
          { type: 'image', image: new URL('https://example.com/a.png') },
          { type: 'file', data: png, mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Two calls.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'ls', input: { path: '.' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'cat', args: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'b', toolName: 'cat', result: { lines: 2 } },
          { type: 'tool-result', toolCallId: 'a', toolName: 'ls', output: { type: 'text', value: 'two files' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', output: { type: 'content', value: [text('again')] } }],
      },
    ]);
    expect(log).toMatchObject([
      {
        type: 'message',
        content: [
          text('Look.'),
          { type: 'image', url: `data:image/png;base64,${png}` },
          { type: 'image', url: 'https://example.com/a.png' },
          { type: 'image', url: `data:image/png;base64,${png}` },
        ],
      },
      {
        type: 'action',
        thought: [text('I look.')],
        reasoningContent: 'Two calls.',
        toolCall: { id: 'a', name: 'ls', arguments: '{"path":"."}' },
      },
      { type: 'action', toolCall: { id: 'b', name: 'cat', arguments: '{}' } },
      { type: 'observation', toolCallId: 'b', toolName: 'cat', content: [text('{"lines":2}')] },
      { type: 'observation', toolCallId: 'a', toolName: 'ls', content: [text('two files')] },
      { type: 'observation', toolCallId: 'a', content: [text('again')] },
    ]);
  });

  it('sets aside what OpenRouter says of reasoning, and keeps its words', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'sig' }];
    const log = eventsFromMessages([
      { role: 'assistant', content: 'Yes.', reasoning: 'Hm.', reasoning_details: details } as never,
    ]);
    expect(log).toMatchObject([
      { type: setAsideType, path: 'messages.0.reasoning_details', value: details },
      { type: 'message', reasoningContent: 'Hm.', content: [text('Yes.')] },
    ]);
  });

  it('answers the latest call where an id is used again, and each of two that share one', () => {
    const log = events(
      calls('a'),
      result('a', '1'),
      calls('a'),
      result('a', '2'),
      calls('b', 'b'),
      result('b'),
      result('b'),
    );
    const actions = log.filter(({ type }) => type === 'action').map(({ id }) => id);
    const answered = log.flatMap((event) =>
      event.type === 'observation' ? [(event as { actionId?: string }).actionId] : [],
    );
    expect(answered).toEqual(actions);
  });

  it('takes refusals and spoken answers as words', () => {
    const log = told(
      events(
        { role: 'assistant', content: null, refusal: 'I will not.' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
        { role: 'assistant', content: null, audio: { id: 'audio_1', transcript: 'Hello.' } },
        { role: 'assistant', content: null, audio: { id: 'audio_2' } },
      ),
    );
    expect(log.filter(({ type }) => type === 'message').map(({ content }) => content)).toEqual([
      [text('I will not.')],
      [text('Never.')],
      [text('Hello.')],
      [text('(Audio is not kept here.)')],
    ]);
    expect(log.filter(({ type }) => type === setAsideType).map(({ value }) => value)).toEqual([
      { id: 'audio_1', transcript: 'Hello.' },
      { id: 'audio_2' },
    ]);
  });

  it('has the instructions of the framework where they stood', () => {
    expect(told(events({ role: 'user', content: 'Go.' }, { role: 'developer', content: 'It is late.' }))[1]).toEqual({
      type: 'message',
      source: 'environment',
      role: 'user',
      content: [text('It is late.')],
      hostText: 'instruction',
    });
  });

  it('makes no system prompt of nothing, nor of tools alone: it would end the instructions of the messages before', () => {
    expect(events()).toEqual([]);
    const tools: OpenAI.Chat.ChatCompletionTool[] = [{ type: 'function', function: { name: 'run' } }];
    expect(eventsFromMessages([], { tools })).toEqual([]);

    const later = eventsFromMessages([{ role: 'user', content: 'b' }], { tools });
    expect(later.map(({ type }) => type)).toEqual(['message']);
  });
});

describe('eventsFromMessages, of what is malformed', () => {
  const [go] = told(events({ role: 'user', content: 'Go.' }));

  it.each([
    [
      'a result without a call',
      [result('x', 'lost')],
      [{ type: 'observation', toolName: unknownToolName, toolCallId: 'x', content: [text('lost')] }],
    ],
    [
      'a second result',
      [calls('a'), result('a', '1'), result('a', '2')],
      [{ type: 'action' }, { content: [text('1')] }, { type: 'observation', toolName: 'run', content: [text('2')] }],
    ],
    ['a call without a result', [calls('a')], [{ type: 'action' }]],
    [
      'a result that names no call',
      [{ role: 'tool', content: 'lost' }],
      [{ type: setAsideType, path: 'messages.1', value: { role: 'tool', content: 'lost' } }],
    ],
    [
      'a call that names no tool',
      [{ role: 'assistant', content: 'I go.', tool_calls: [{ id: 'a', type: 'function' }] }],
      [
        { type: setAsideType, path: 'messages.1.tool_calls.0', value: { id: 'a', type: 'function' } },
        { type: 'message', role: 'assistant', content: [text('I go.')] },
      ],
    ],
    [
      'arguments that are not text',
      [{ role: 'assistant', tool_calls: [call('a', 'run', { x: 1 }), call('b', 'run', null)] }],
      [{ toolCall: { arguments: '{"x":1}' } }, { toolCall: { arguments: '{}' } }],
    ],
    [
      'arguments that do not parse, and blank ones',
      [{ role: 'assistant', tool_calls: [call('a', 'run', '{"x":'), call('b', 'run', ' ')] }],
      [{ toolCall: { arguments: '{"x":' }, executable: false }, { toolCall: { arguments: '{}' } }],
    ],
    [
      'content that is null',
      [
        { role: 'user', content: null },
        { role: 'assistant', content: null },
      ],
      [
        { type: 'message', source: 'user', content: [] },
        { type: 'message', source: 'agent', content: [] },
      ],
    ],
    [
      'content that is neither text nor parts',
      [{ role: 'user', content: 7 }],
      [
        { type: setAsideType, path: 'messages.1.content', value: 7 },
        { type: 'message', source: 'user', content: [] },
      ],
    ],
    [
      'a role that nobody knows',
      [{ role: 'narrator', content: 'Meanwhile.' }],
      [
        {
          type: setAsideType,
          path: 'messages.1',
          reason: "no message has the role 'narrator'",
          value: { role: 'narrator', content: 'Meanwhile.' },
        },
      ],
    ],
    [
      'what is no message',
      [null, 'Hello.'],
      [
        { type: setAsideType, path: 'messages.1', value: null },
        { type: setAsideType, path: 'messages.2', value: 'Hello.' },
      ],
    ],
    [
      'parts that have no place',
      [{ role: 'user', content: [text('See.'), { type: 'file', file: { file_id: 'f' } }, { type: 'hologram', x: 1 }] }],
      [
        { type: setAsideType, path: 'messages.1.content.1', value: { type: 'file', file: { file_id: 'f' } } },
        { type: setAsideType, path: 'messages.1.content.2', value: { type: 'hologram', x: 1 } },
        { type: 'message', content: [text('See.'), text('(A file is not kept here.)')] },
      ],
    ],
    [
      'audio',
      [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }],
      [
        { type: setAsideType, path: 'messages.1.content.0' },
        { type: 'message', content: [text('(Audio is not kept here.)')] },
      ],
    ],
  ])('%s', (_, messages, expected) => {
    const log = told(events({ role: 'user', content: 'Go.' }, ...messages));
    expect(log).toMatchObject([go, ...expected]);
    expect(log.length).toBe(expected.length + 1);
  });

  it('keeps set aside what stands before or among the instructions, behind them', () => {
    const tools = [{ type: 'custom', custom: { name: 'patch' } }] as OpenAI.Chat.ChatCompletionTool[];
    const log = eventsFromMessages([null, { role: 'system', content: 'Be short.' }] as never, { tools });
    expect(log.map(({ type }) => type)).toEqual(['system-prompt', setAsideType, setAsideType]);
  });

  it.each([undefined, null, 'text', { messages: [] }])('refuses %j, which is no list', (value) => {
    expect(() => eventsFromMessages(value as never)).toThrow(InvalidRequestError);
  });
});
