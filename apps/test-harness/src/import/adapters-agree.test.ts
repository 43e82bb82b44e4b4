import type { Event } from '@palimpsest/events';
import { eventsFromMessages as fromAnthropic } from '@palimpsest/llm-adapters/anthropic';
import { eventsFromMessages as fromChat, eventsFromResponseItems } from '@palimpsest/llm-adapters/openai';
import { expect, test } from 'vitest';
import { sessionOf } from '../../test-support/fixtures/fixture-files.js';

// A history that an adapter reads and the same history in a log are the same events, but for ids and times. What has no place is
// kept in events of a type of its own. (An adapter also sets signed thinking aside where the history before it has changed: the
// provider would refuse it. A log keeps it.)

const document = { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } };
const anthropic = [
  { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'files.read', input: { path: 'a' } },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'tool_use', id: 'b', name: 'run', input: '{"cut' },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [document, { type: 'hologram' }] },
      { type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true },
      { type: 'text', text: 'And?' },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'nowhere', content: '' }] },
  { role: 'assistant', content: 'Nothing.' },
];
const chat = [
  {
    role: 'system',
    content: [
      { type: 'text', text: 'Be short.' },
      { type: 'text', text: 'Be kind.' },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'file', file: { file_id: 'f' } },
    ],
  },
  {
    role: 'assistant',
    content: 'I look.',
    reasoning: 'Hm.',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'files.read', arguments: '{"path":' } },
      { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
      { id: 'functions.ls:0', type: 'function', function: { name: 'ls', arguments: '' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'no' }], is_error: true },
  { role: 'tool', tool_call_id: 'b', content: 'ok' },
  { role: 'tool', tool_call_id: 'functions.ls:0', content: '' },
  { role: 'assistant', content: null, refusal: 'Never.' },
];
const items = [
  {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'Look.' },
      { type: 'input_image', file_id: 'f' },
    ],
  },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'e' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
  { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'files.read', arguments: '{"path":"a"}' },
  { type: 'web_search_call', id: 'ws_1' },
  { type: 'custom_tool_call', id: 'ct_1', call_id: 'b', name: 'patch', input: '*** Begin' },
  { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'x' }, { type: 'input_file' }] },
  { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
  { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
];

test.each([
  ['Messages', anthropic, () => fromAnthropic(anthropic)],
  ['Chat Completions', chat, () => fromChat(chat)],
  ['Responses', items, () => eventsFromResponseItems(items as never)],
])('%s', async (_, log, read) => {
  const { events, notes } = await sessionOf(JSON.stringify(log));
  expect(told(events)).toEqual(told(read()));
  // What is set aside is noted here, and kept.
  const kept = (list: readonly Event[]) =>
    list.filter(({ type }) => type.includes('/')).map(({ value }: Event & { value?: unknown }) => value);
  expect(kept(events)).toEqual(expect.arrayContaining(kept(read())));
  expect(kept(events)).toHaveLength(kept(read()).length);
  expect(notes.some(({ kind }) => kind === 'unsupported-content')).toBe(true);
});

/** What a model reads of each event, with responses numbered. */
function told(events: readonly Event[]): readonly unknown[] {
  const responses = new Map<string, number>();
  return events.flatMap((event) => {
    if (event.type.includes('/')) return [];
    const {
      id: _id,
      timestamp: _timestamp,
      actionId: _actionId,
      llmResponseId,
      ...rest
    } = event as Event & Readonly<Record<string, unknown>>;
    if (typeof llmResponseId !== 'string') return [rest];
    if (!responses.has(llmResponseId)) responses.set(llmResponseId, responses.size);
    return [{ ...rest, response: responses.get(llmResponseId) }];
  });
}
