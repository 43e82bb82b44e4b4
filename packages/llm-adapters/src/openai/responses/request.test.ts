import fc from 'fast-check';
import type { Message, ReasoningItem } from '@palimpsest/events';
import { checkResponsesRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it, test } from 'vitest';
import { fewer } from '../../../test-support/fewer.js';
import { InvalidRequestError } from '../../errors.js';
import { toResponsesRequest } from './request.js';

const model = 'gpt-6-luna';
const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string, name = 'run') => ({ id, name, arguments: '{}' });
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, toolName: 'run', content: [text('ok')] });
const item = (id: string, position?: number): ReasoningItem => ({
  id: `rs_${id}`,
  summary: [`Summary ${id}.`],
  encryptedContent: `encrypted-${id}`,
  position,
});
const sent = (...messages: Message[]) =>
  toResponsesRequest({ messages }, { model }).input as unknown as Record<string, unknown>[];
const kinds = (...messages: Message[]) => sent(...messages).map(({ type, id }) => id ?? type);

describe('a history with calls and a request without tools', () => {
  it('declares the tools by name, and none may be called', () => {
    const messages: Message[] = [{ role: 'assistant', content: [], toolCalls: [call('a')] }, result('a')];
    const body = toResponsesRequest({ messages }, { model });
    expect(body).toMatchObject({ tools: [{ type: 'function', name: 'run', strict: false }], tool_choice: 'none' });
    expect(checkResponsesRequest(body)).toEqual([]);
  });
});

describe('text that no provider takes', () => {
  it('takes encrypted reasoning with it, and is replaced elsewhere', () => {
    const half = 'a \ud83d';
    const bad = { ...item('1'), summary: [half] };
    const messages: Message[] = [
      { role: 'assistant', content: [text(half)], toolCalls: [{ ...call('a'), arguments: '{"a":"\\ude00"}' }] },
      result('a'),
      { role: 'assistant', content: [text('b')], reasoningItems: [bad, item('2')] },
    ];
    const { input } = toResponsesRequest({ messages }, { model });
    expect(input).toMatchObject([
      { content: [{ text: 'a \ufffd' }] },
      { arguments: '{"a":"\\ufffd"}' },
      { type: 'function_call_output' },
      { content: [{ text: 'b' }] },
    ]);
  });
});

describe('reasoning items', () => {
  const content = [text('one'), text('two')];
  const toolCalls = [call('a'), call('b')];
  const answer = (...reasoningItems: ReasoningItem[]): Message => ({
    role: 'assistant',
    content,
    toolCalls,
    reasoningItems,
  });

  it('stand where they stood', () => {
    expect(kinds(answer(item('1'), item('2', 1), item('3', 2), item('4', 3)))).toEqual([
      'rs_1',
      'message',
      'rs_2',
      'message',
      'rs_3',
      'function_call',
      'rs_4',
      'function_call',
    ]);
    expect(kinds(answer(item('1'), item('2')))).toEqual(['rs_1', 'rs_2', 'message', 'function_call', 'function_call']);
  });

  it('are sent as they came', () => {
    const whole = { ...item('1'), content: ['Raw.'] };
    expect(sent(answer(whole))[0]).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Summary 1.' }],
      content: [{ type: 'reasoning_text', text: 'Raw.' }],
      encrypted_content: 'encrypted-1',
    });
    const { id: _, ...nameless } = item('1');
    expect(sent(answer(nameless))[0]).not.toHaveProperty('id');
    expect(sent(answer({ ...nameless, id: 'thought one' }))[0]).not.toHaveProperty('id');
  });

  it('are left out where they led to nothing, cannot be read, or were sent before', () => {
    const { encryptedContent: _, ...unreadable } = item('1');
    expect(kinds(answer(item('1', 4), item('2', 99)))).not.toContain('rs_1');
    expect(kinds(answer(unreadable))).not.toContain('rs_1');
    expect(kinds(answer(item('1')), answer(item('1'))).filter((kind) => kind === 'rs_1')).toHaveLength(1);
    expect(sent({ role: 'assistant', content: [], reasoningItems: [item('1')] })).toMatchObject([{ role: 'user' }]);
  });

  it('go before what follows where the words behind them are blank', () => {
    const said = { role: 'assistant' as const, content: [text(' '), text('two')], toolCalls: [call('a')] };
    expect(kinds({ ...said, reasoningItems: [item('1'), item('2', 2)] })).toEqual([
      'rs_1',
      'message',
      'rs_2',
      'function_call',
    ]);
  });
});

describe('toResponsesRequest', () => {
  it('sends no ids of messages and calls', () => {
    const input = sent(
      { role: 'assistant', content: [text('Hi.')], toolCalls: [{ ...call('a'), itemId: 'fc_1' }] },
      result('a'),
    );
    expect(input).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi.', annotations: [] }],
        phase: 'commentary',
      },
      { type: 'function_call', call_id: 'a', name: 'run', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
    ]);
  });

  it.each([
    ['gpt-6.2-sol', 'commentary', 'final_answer'],
    ['gpt-5.3-codex', 'commentary', 'final_answer'],
    ['gpt-5.2', undefined, undefined],
    ['o3', undefined, undefined],
  ])('tells %s which of its words were said on the way', (of, onTheWay, last) => {
    const { input } = toResponsesRequest(
      {
        messages: [
          { role: 'assistant', content: [text('I look.')], toolCalls: [call('a')] },
          result('a'),
          { role: 'assistant', content: [text('Done.')] },
        ],
      },
      { model: of },
    );
    const phases = (input as readonly { type: string; phase?: string }[])
      .filter(({ type }) => type === 'message')
      .map(({ phase }) => phase);
    expect(phases).toEqual([onTheWay, last]);
  });

  it('gives long and repeated ids a form that can be sent, results with their calls', () => {
    const id = 'x'.repeat(65);
    const calls = (callId: string): Message => ({ role: 'assistant', content: [], toolCalls: [call(callId)] });
    const input = sent(calls(id), result(id), calls('0'), result('0'), calls('0'), result('0'));
    const ids = input.map(({ call_id }) => call_id as string);
    expect(ids[0]).toMatch(/^call_[0-9a-f]{16}$/);
    expect([ids[0], ids[2], ids[4]]).toEqual([ids[1], ids[3], ids[5]]);
    expect(new Set(ids).size).toBe(3);
  });

  it('says something where there is nothing, and refuses two tools of one name', () => {
    expect(sent()).toMatchObject([{ role: 'user' }]);
    const tool = { name: 'run', description: '', inputSchema: {} };
    expect(() => toResponsesRequest({ messages: [], tools: [tool, tool] }, { model })).toThrow(InvalidRequestError);
  });
});

const words = fc.constantFrom('a', '', ' ', '\n').map(text);
const image = fc
  .constantFrom('https://example.org/a.png', 'a.png', 'data:image/png;base64,iVBO')
  .map((url) => ({ type: 'image' as const, url }));
const content = fc.array(fc.oneof(words, image), { maxLength: 3 });
const reasoning = fc.array(
  fc.record({
    id: fc.constantFrom('rs_1', 'rs_2', 'nonsense!', 'x'.repeat(99)),
    encryptedContent: fc.constantFrom('a', 'b', ''),
    position: fc.nat(6),
  }),
  { maxLength: 3 },
);
const turn: fc.Arbitrary<readonly Message[]> = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content }).map((message) => [message]),
  fc
    .tuple(fc.uniqueArray(fc.constantFrom('a', 'b', 'c.d', 'x'.repeat(80)), { maxLength: 3 }), content, reasoning)
    .map(([ids, said, items]): readonly Message[] => [
      {
        role: 'assistant',
        content: said,
        ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => call(id, 'files.read')) }),
        reasoningItems: items.map(({ encryptedContent, ...rest }) => ({
          ...rest,
          summary: [],
          ...(encryptedContent === '' ? {} : { encryptedContent }),
        })),
      },
      ...ids.map((id): Message => ({ role: 'tool', toolCallId: id, toolName: 'files.read', content: said })),
    ]),
);

describe('any history that calls and answers', () => {
  test('is taken by the provider, and extends the input of a shorter one', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), fc.nat(5), (turns, cut) => {
        expect(checkResponsesRequest(toResponsesRequest({ messages: turns.flat() }, { model }))).toEqual([]);
        // What is said in place of nothing does not stay.
        const shorter = turns.slice(0, cut).flat();
        const one = shorter.length === 0 ? [] : sent(...shorter);
        const two = sent(...turns.flat());
        if (JSON.stringify(one).includes('The conversation starts here')) return;
        expect(two.slice(0, one.length)).toEqual(one);
      }),
      { seed: 20_261_123, numRuns: fewer(100) },
    );
  });
});
