import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../errors.js';
import { unknownToolName } from '../../wire/pieces.js';
import { setAsideType } from '../chat/events.js';
import { eventsFromResponseItems } from './events.js';

const text = (words: string) => ({ type: 'text', text: words });
const events = (...items: unknown[]) => eventsFromResponseItems(items as OpenAI.Responses.ResponseInputItem[]);
const told = (log: readonly Event[]) =>
  log.map(({ id: _id, timestamp: _timestamp, ...rest }) => rest as Record<string, unknown>);

const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: 'abc',
};
const call = (call_id: string) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'run',
  arguments: '{}',
});
const output = (call_id: string, value: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: value });

describe('eventsFromResponseItems', () => {
  it('gives the events of an agent run', () => {
    const items = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Go.' },
      reasoning,
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I go.', annotations: [] }],
      },
      { ...reasoning, id: 'rs_2', content: [{ type: 'reasoning_text', text: 'Raw.' }] },
      call('a'),
      call('b'),
      output('a', [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: 'https://example.org/a.png' },
      ]),
      output('b'),
      { role: 'assistant', content: 'Done.' },
    ] as OpenAI.Responses.ResponseInputItem[];
    const log = eventsFromResponseItems(items, {
      instructions: 'Be short.',
      tools: [{ type: 'function', name: 'run', parameters: { type: 'object' }, strict: false }],
    });
    const [, , first, second] = log;
    expect(told(log)).toMatchObject([
      { type: 'system-prompt', systemPrompt: 'Be short.\n\nBe kind.', tools: [{ name: 'run' }] },
      { type: 'message', source: 'user', content: [text('Go.')] },
      {
        type: 'action',
        thought: [text('I go.')],
        toolCall: { id: 'a', name: 'run', arguments: '{}', itemId: 'fc_a' },
        reasoningItems: [
          { id: 'rs_1', summary: ['Hm.'], encryptedContent: 'abc' },
          { id: 'rs_2', summary: ['Hm.'], content: ['Raw.'], encryptedContent: 'abc', position: 1 },
        ],
      },
      { type: 'action', thought: [], toolCall: { id: 'b', itemId: 'fc_b' } },
      {
        type: 'observation',
        toolName: 'run',
        toolCallId: 'a',
        actionId: first?.id,
        content: [text('see'), { type: 'image' }],
      },
      { type: 'observation', toolName: 'run', toolCallId: 'b', actionId: second?.id },
      { type: 'message', source: 'agent', role: 'assistant', content: [text('Done.')] },
    ]);
  });

  it('makes one answer of what stands together, and two of what has something between', () => {
    const ids = (log: readonly Event[]) =>
      log.flatMap((event) => ('llmResponseId' in event ? [event.llmResponseId] : []));
    const [one, two] = ids(events(call('a'), call('b'), output('a'), output('b')));
    expect(one).toBe(two);
    const [three, four] = ids(events(call('a'), output('a'), call('b'), output('b')));
    expect(three).not.toBe(four);
  });

  it.each([
    [
      'an output without a call',
      output('x', 'lost'),
      { type: 'observation', toolName: unknownToolName, content: [text('lost')] },
    ],
    [
      'an output that names no call',
      { type: 'function_call_output', output: 'lost' },
      { type: setAsideType, path: 'input.0' },
    ],
    [
      'a reference',
      { type: 'item_reference', id: 'msg_1' },
      { type: setAsideType, reason: "no place for an item of the type 'item_reference'" },
    ],
    [
      "a provider's own tool",
      { type: 'web_search_call', id: 'ws_1' },
      { type: setAsideType, value: { type: 'web_search_call', id: 'ws_1' } },
    ],
    [
      'a role that nobody knows',
      { role: 'narrator', content: 'x' },
      { type: setAsideType, reason: "no message has the role 'narrator'" },
    ],
    ['what is no item', 'Hello.', { type: setAsideType, reason: 'not an item', value: 'Hello.' }],
    [
      'a custom call',
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'action', toolCall: { name: 'patch', arguments: '{"input":"*** Begin"}' } },
    ],
    ['reasoning alone', reasoning, { type: 'message', source: 'agent', content: [], reasoningItems: [{ id: 'rs_1' }] }],
  ])('loses nothing of %s', (_, item, expected) => {
    expect(told(events(item))).toMatchObject([expected]);
  });

  it.each([undefined, 'text', {}])('refuses %j, which is no list', (value) => {
    expect(() => eventsFromResponseItems(value as never)).toThrow(InvalidRequestError);
  });
});
