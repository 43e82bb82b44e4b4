import type { AssistantMessage, Message, ThinkingBlock } from '@palimpsest/events';
import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../errors.js';
import { anthropicLLM } from './llm.js';
import type { MessagesOptions } from './request.js';
import { toMessagesRequest } from './request.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const user: Message = { role: 'user', content: [text('Go.')] };
const signed = (name: string, position?: number): ThinkingBlock => ({
  type: 'thinking',
  thinking: name,
  signature: `signature of ${name}`,
  position,
});
const wire = (name: string) => ({ type: 'thinking', thinking: name, signature: `signature of ${name}` });
const answer = (
  ids: readonly string[],
  thinkingBlocks: readonly ThinkingBlock[],
  words: readonly string[] = [],
): AssistantMessage => ({
  role: 'assistant',
  content: words.map(text),
  ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{}' })) }),
  thinkingBlocks,
});
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, toolName: 'run', content: [text('ok')] });
const tools = [{ name: 'run', description: '', inputSchema: {} }];

const body = (messages: readonly Message[], options: MessagesOptions, fields: object = {}) => {
  const sent = toMessagesRequest({ messages, tools, ...fields }, options);
  expect(checkAnthropicRequest(JSON.parse(JSON.stringify(sent)))).toEqual([]);
  return sent;
};
const types = (sent: ReturnType<typeof body>, at = 1) => {
  const content = sent.messages[at]?.content ?? [];
  return typeof content === 'string' ? [content] : content.map(({ type }) => type);
};

describe('what a request says of thinking', () => {
  it.each<[string, Omit<MessagesOptions, 'model'>, unknown]>([
    ['claude-fable-5-2', {}, undefined],
    ['claude-fable-5-2', { thinking: 'off' }, undefined],
    ['claude-opus-4-8', {}, { type: 'adaptive' }],
    ['claude-opus-4-8', { thinking: 'off' }, { type: 'disabled' }],
    ['claude-opus-4-8', { thinking: { budgetTokens: 2_000 } }, { type: 'adaptive' }],
    ['claude-opus-4-6', {}, { type: 'adaptive' }],
    ['claude-opus-4-6', { thinking: { budgetTokens: 2_000 } }, { type: 'enabled', budget_tokens: 2_000 }],
    ['claude-opus-4-5', {}, undefined],
    ['claude-opus-4-5', { thinking: 'on' }, { type: 'enabled', budget_tokens: 8_000 }],
    ['claude-opus-4-5', { thinking: { budgetTokens: 50_000 } }, { type: 'enabled', budget_tokens: 50_000 }],
    [
      'claude-opus-4-5',
      { thinking: { budgetTokens: 50_000 }, maxOutputTokens: 16_000 },
      { type: 'enabled', budget_tokens: 15_999 },
    ],
    ['claude-opus-4-5', { thinking: 'on', maxOutputTokens: 40_000 }, { type: 'enabled', budget_tokens: 20_000 }],
    ['claude-3-5-haiku', { thinking: 'on' }, undefined],
    ['claude-of-tomorrow', {}, undefined],
  ])('%s with %j: %j', (model, options, thinking) => {
    expect(body([user], { model, ...options }).thinking).toEqual(thinking);
  });

  it('is nothing where the longest answer leaves no room for a budget', () => {
    const options = { model: 'claude-opus-4-5', thinking: 'on' as const };
    expect(body([user], options, { maxOutputTokens: 1_024 })).not.toHaveProperty('thinking');
    expect(body([user], options, { maxOutputTokens: 1_025 }).thinking).toMatchObject({ budget_tokens: 1_024 });
  });

  it.each([0, 1_023, 1_024.5, Number.NaN])('takes no budget of %d tokens', (budgetTokens) => {
    const make = () => anthropicLLM({ model: 'claude-opus-4-5', thinking: { budgetTokens } });
    expect(make).toThrow(InvalidRequestError);
    expect(make).toThrow(/thinking\.budgetTokens is .*at least 1024/);
  });

  it('brings the effort to models that take one', () => {
    expect(body([user], { model: 'claude-opus-5-5', effort: 'low' }).output_config).toEqual({ effort: 'low' });
    expect(body([user], { model: 'claude-opus-5-5' }, { effort: 'max' }).output_config).toEqual({ effort: 'max' });
    expect(() => body([user], { model: 'claude-opus-4-5', effort: 'low' })).toThrow('takes no effort');
    expect(() => anthropicLLM({ model: 'claude-opus-5-5', effort: 'minimal' })).toThrow(
      "the model claude-opus-5-5 takes the effort low, medium, high, xhigh, max, not 'minimal'",
    );
  });

  it('is off where a call is forced and the model takes that', () => {
    const history = [user, answer(['a'], [signed('one')]), result('a')];
    const forced = body(history, { model: 'claude-opus-4-8' }, { toolChoice: 'required' });
    expect(forced).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: { type: 'any' } });
    expect(types(forced)).toEqual(['tool_use']);
    const manual = body(history, { model: 'claude-opus-4-5', thinking: 'on' }, { toolChoice: { tool: 'run' } });
    expect(manual).toMatchObject({ tool_choice: { type: 'tool', name: 'run' } });
    expect(manual).not.toHaveProperty('thinking');
  });

  it('stays where the model takes no forced call, which then is a sentence', () => {
    const always = body(
      [user, answer(['a'], [signed('one')]), result('a')],
      { model: 'claude-fable-5-2' },
      { toolChoice: 'required' },
    );
    expect(always.tool_choice).toEqual({ type: 'auto' });
    expect(types(always)).toEqual(['thinking', 'tool_use']);
    expect(types(always, 2)).toEqual(['tool_result', 'text']);
  });
});

describe('a history that a model with a budget would refuse', () => {
  const options = { model: 'claude-opus-4-5', thinking: 'on' as const };

  it('turns thinking off: the newest calls start without', () => {
    const sent = body([user, answer(['a'], []), result('a')], options);
    expect(sent).not.toHaveProperty('thinking');
    const between = body([user, answer(['a'], [signed('late', 1)]), result('a')], options);
    expect(between).not.toHaveProperty('thinking');
    expect(types(between)).toEqual(['tool_use']);
  });

  it('makes the model decide itself where it can', () => {
    const both = { model: 'claude-opus-4-6', thinking: { budgetTokens: 2_000 } };
    const sent = body([user, answer(['a'], [signed('late', 1)], ['Hm.']), result('a')], both);
    expect(sent.thinking).toEqual({ type: 'adaptive' });
    expect(types(sent)).toEqual(['text', 'thinking', 'tool_use']);
  });

  it.each([
    ['the calls start with thinking', [user, answer(['a'], [signed('one')]), result('a')]],
    [
      'the loop starts with thinking',
      [user, answer(['a'], [signed('one')]), result('a'), answer(['b'], []), result('b')],
    ],
    ['the loop is over', [user, answer(['a'], []), result('a'), answer([], [], ['Done.']), user]],
  ])('is none when %s', (_what, messages) => {
    expect(body(messages, options).thinking).toMatchObject({ type: 'enabled' });
  });
});

describe('thinking that is replayed', () => {
  const options = { model: 'claude-opus-5-5' };

  it('stands where it stood between words and calls, in its order', () => {
    const blocks: ThinkingBlock[] = [
      signed('one'),
      signed('two', 1),
      { type: 'redacted-thinking', data: 'x', position: 2 },
      signed('three', 2),
    ];
    const [, sent] = body([user, answer(['a', 'b'], blocks, ['Hm.']), result('a'), result('b')], options).messages;
    expect(sent?.content).toMatchObject([
      wire('one'),
      { type: 'text' },
      wire('two'),
      { type: 'tool_use', id: 'a' },
      { type: 'redacted_thinking', data: 'x' },
      wire('three'),
      { type: 'tool_use', id: 'b' },
    ]);
  });

  it('is followed by words where nothing followed it', () => {
    const sent = body([user, answer([], [signed('one', 1)], ['Hm.']), user], options);
    expect(types(sent)).toEqual(['text', 'thinking', 'text']);
  });

  it('counts words that are left out as words before it', () => {
    const sent = body([user, answer(['a'], [signed('one', 1)], [' ']), result('a')], options);
    expect(types(sent)).toEqual(['thinking', 'tool_use']);
  });

  it('stays away where the request changes what it is bound to', () => {
    const history = [user, answer(['a'], [signed('one')]), result('a'), user];
    expect(types(body(history, options, { tools: [] }))).toEqual(['tool_use']);
    const schema = { name: 'answer', schema: { type: 'object' }, strict: false };
    expect(types(body(history, options, { responseFormat: schema }))).toEqual(['tool_use']);
    expect(types(body(history, options, { responseFormat: { ...schema, strict: true } }))).toEqual([
      'thinking',
      'tool_use',
    ]);
    // A model that does not bind it takes it all the same.
    expect(types(body(history, { model: 'claude-opus-4-6' }, { tools: [] }))).toEqual(['thinking', 'tool_use']);
  });
});
