import { describe, expect, it } from 'vitest';
import { issuedItems } from '../../servers/openai/issued-items.js';
import { checkAgainstIssued, checkResponsesRequest } from './request.js';

// Raw bodies, written by hand: no converter of ours has touched them.
const tool = { type: 'function', name: 'run', parameters: { type: 'object', properties: {} } };
const body = (input: unknown, fields: object = {}) => ({
  model: 'gpt-6-sol',
  store: false,
  tools: [tool],
  input,
  ...fields,
});
const user = { role: 'user', content: 'Go.' };
const said = (fields: object = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hm.' }],
  ...fields,
});
const called = (call_id: string, fields: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'run',
  arguments: '{}',
  ...fields,
});
const asks = (id: string) => ({ type: 'mcp_approval_request', id, name: 'run', arguments: '{}', server_label: 'eyes' });
const approved = (approval_request_id: string) => ({
  type: 'mcp_approval_response',
  approval_request_id,
  approve: true,
});
const output = (call_id: string, fields: object = {}) => ({
  type: 'function_call_output',
  call_id,
  output: 'ok',
  ...fields,
});

const issued = await issuedItems('org-a');
const elsewhere = await issuedItems('org-b');
const issue = (from: typeof issued, origin: string) =>
  from.issue([{ type: 'reasoning' }, said(), called('a'), called('b')], origin) as [object, object, object, object];
const [thought, word, call, secondCall] = issue(issued, 'first');
const [otherThought, otherWord] = issue(issued, 'second');
const [foreignThought] = issue(elsewhere, 'first');
const bare = (item: object) => ({ ...item, id: undefined });
const twoOutputs = [output('a'), output('b')];

const good: readonly (readonly [string, unknown])[] = [
  ['input that is text', body('Go.')],
  [
    'instructions as developer, answers as text',
    body([{ role: 'developer', content: 'Be short.' }, user, { role: 'assistant', content: 'Yes.' }]),
  ],
  ['calls and their outputs in another order', body([user, called('a'), called('b'), output('b'), output('a')])],
  ['an output that is not next to its call', body([user, called('a'), user, output('a')])],
  ['an output in parts', body([user, called('a'), output('a', { output: [{ type: 'input_text', text: 'x' }] })])],
  ['C4, C5: an answer as it was given out', body([user, thought, word, call, secondCall, ...twoOutputs])],
  ['C5: without any ids', body([user, bare(thought), bare(word), bare(call), bare(secondCall), ...twoOutputs])],
  ['C5: calls without ids and without reasoning', body([user, bare(call), bare(secondCall), ...twoOutputs])],
  ['C5: ids that nobody here gave out', body([user, said({ id: 'msg_1' })])],
  ['C5: reasoning without its id', body([user, bare(thought), word])],
  ['C2: reasoning that is stored', body([user, { ...thought, encrypted_content: undefined }, word], { store: true })],
  ['C3: an empty summary', body([user, { ...thought, summary: [] }, word])],
  ['C8: a call id of 64', body([user, called('x'.repeat(64)), output('x'.repeat(64))])],
  [
    'C9: images of the user, a refusal',
    body([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Go.' },
          { type: 'input_image', image_url: 'https://x.test/a.png' },
        ],
      },
      said({ content: [{ type: 'refusal', refusal: 'No.' }] }),
    ]),
  ],
  [
    'C-text: an escaped pair in arguments',
    body([user, called('a', { arguments: '{"a":"\\ud83d\\ude00"}' }), output('a')]),
  ],
  [
    'C-output-parts: an image',
    body([user, called('a'), output('a', { output: [{ type: 'input_image', image_url: 'x' }] })]),
  ],
  ['C-item-type: what other tools leave', body([user, { type: 'web_search_call', id: 'ws_1', status: 'completed' }])],
  ['C-empty-list: no tool among the tools', body([user], { tools: [] })],
  ['C-approvals: a request, words, its answer', body([user, asks('mcpr_1'), user, approved('mcpr_1')])],
  ['C-approvals: a request without an answer', body([user, asks('mcpr_1')])],
  ['C-tools: no tools and no calls', body([user], { tools: undefined })],
  ['B9: temperature of a model that has one', body([user], { model: 'gpt-4o', temperature: 0.2 })],
  [
    'B10: a strict schema',
    body([user], {
      tools: [
        {
          ...tool,
          strict: true,
          parameters: {
            type: 'object',
            properties: { a: { type: ['string', 'null'] } },
            required: ['a'],
            additionalProperties: false,
          },
        },
      ],
    }),
  ],
];

const marked = { type: 'input_text', prompt_cache_breakpoint: { mode: 'explicit' } };

const bad: readonly (readonly [rule: string, path: string, what: string, body: unknown])[] = [
  ['C0', '', 'no object', []],
  ['C0', 'model', 'no model', body([user], { model: undefined })],
  ['C0', 'input', 'no input', body([])],
  ['C0', 'max_tokens', 'a field of the other endpoint', body([user], { max_tokens: 5 })],
  ['C0', 'tools.0.name', 'a nested tool', body([user], { tools: [{ type: 'function', function: { name: 'run' } }] })],
  ['C0', 'input.0.type', 'an item without type and role', body([{ content: 'Go.' }])],
  [
    'C0',
    'input.1.arguments',
    'arguments that are an object',
    body([user, called('a', { arguments: {} }), output('a')]),
  ],
  ['C0', 'input.2.output', 'no output', body([user, called('a'), output('a', { output: undefined })])],
  ['C1', 'input.1.id', 'an id with the prefix of another item', body([user, said({ id: 'fc_1' })])],
  ['C1', 'input.1.id', 'an id of other characters', body([user, said({ id: 'msg_a.b' })])],
  ['C1', 'input.1.id', 'an id of 65 characters', body([user, said({ id: `msg_${'x'.repeat(61)}` })])],
  ['C1', 'input.2.id', 'an id twice', body([user, said({ id: 'msg_1' }), said({ id: 'msg_1' })])],
  ['C2', 'input', 'a reference', body([user, { type: 'item_reference', id: 'msg_1' }])],
  ['C2', 'input', 'reasoning without its content', body([user, { ...thought, encrypted_content: undefined }, word])],
  ['C2', 'previous_response_id', 'an earlier response', body([user], { previous_response_id: 'resp_1' })],
  ['C3', 'input.1.summary', 'reasoning without a summary', body([user, { ...thought, summary: undefined }, word])],
  ['C4', 'input', 'reasoning at the end', body([user, thought])],
  ['C4', 'input', 'reasoning before the user', body([user, thought, user])],
  ['C4', 'input', 'reasoning before an output', body([user, called('a'), thought, output('a')])],
  ['C5', 'input', 'a message without its reasoning', body([user, word])],
  [
    'C5',
    'input',
    'a call without its reasoning',
    body([user, word, call, secondCall, ...twoOutputs].filter((item) => item !== word)),
  ],
  ['C5', 'input', 'a message behind the reasoning of another', body([user, otherThought, word])],
  [
    'C5',
    'input',
    'a call that somebody has come before',
    body([user, thought, word, user, bare(call), secondCall, ...twoOutputs]),
  ],
  ['C6', 'input', 'an output without a call', body([user, output('a')])],
  ['C6', 'input', 'an output before its call', body([user, output('a'), called('a')])],
  ['C7', 'input', 'a call without an output', body([user, called('a')])],
  ['C8', 'input.1.call_id', 'a call id of 65', body([user, called('x'.repeat(65)), output('x'.repeat(65))])],
  ['C8', 'input.1.call_id', 'no call id', body([user, called('')].concat(output('') as never))],
  [
    'C9',
    'input.1.content.0.type',
    'input text of the assistant',
    body([user, said({ content: [{ type: 'input_text', text: 'Hm.' }] })]),
  ],
  [
    'C9',
    'input.0.content.0.type',
    'output text of the user',
    body([{ role: 'user', content: [{ type: 'output_text', text: 'Go.' }] }]),
  ],
  [
    'C10',
    'input',
    'encrypted content that was made up',
    body([user, { ...thought, encrypted_content: 'gAAAAABmadeup' }, word]),
  ],
  [
    'C10',
    'input',
    'encrypted content of another item',
    body([
      user,
      { ...thought, encrypted_content: (otherThought as { encrypted_content: string }).encrypted_content },
      word,
    ]),
  ],
  ['C10', 'input', 'encrypted content of another organisation', body([user, bare(foreignThought), said()])],
  ['C-text', 'input.0.content', 'half of a pair in a text', body([{ role: 'user', content: '\ud83d' }])],
  ['C-text', 'instructions', 'half of a pair in the instructions', body([user], { instructions: '\ude00' })],
  [
    'C-text',
    'input.1.arguments',
    'half of a pair escaped in arguments',
    body([user, called('a', { arguments: '{"\\ude00":1}' }), output('a')]),
  ],
  ['C-call-ids', 'input.2.call_id', 'two calls of one id', body([user, called('a'), called('a'), output('a')])],
  ['C-approvals', 'input', 'an answer to no request', body([user, asks('mcpr_1'), approved('mcpr_2')])],
  ['C-call-ids', 'input.3.call_id', 'two outputs for one call', body([user, called('a'), output('a'), output('a')])],
  ['C-item-type', 'input.1.type', 'an item of no known type', body([user, { type: 'tool_result', text: 'x' }])],
  [
    'C-output-parts',
    'input.2.output.0.type',
    'a part of no known type in an output',
    body([user, called('a'), output('a', { output: [{ type: 'text', text: 'x' }] })]),
  ],
  [
    'C-output-parts',
    'input.2.output.0.text',
    'an empty text in an output',
    body([user, called('a'), output('a', { output: [{ type: 'input_text', text: '' }] })]),
  ],
  ['C-empty-list', 'input.0.content', 'no part in a message', body([{ role: 'user', content: [] }])],
  ['C-empty-list', 'input.2.output', 'no part in an output', body([user, called('a'), output('a', { output: [] })])],
  ['C-tools', 'tools', 'calls and no tools', body([user, called('a'), output('a')], { tools: undefined })],
  ['B4', 'tools.0.name', 'a tool name of other characters', body([user], { tools: [{ ...tool, name: 'files.read' }] })],
  ['B4', 'input.1.name', 'a call of such a name', body([user, called('a', { name: 'run it' }), output('a')])],
  ['B9', 'temperature', 'temperature of a reasoning model', body([user], { temperature: 0.2 })],
  ['B10', 'tools.0.parameters', 'a strict tool that is not', body([user], { tools: [{ ...tool, strict: true }] })],
  [
    'B10',
    'text.format.schema',
    'a strict format that is not',
    body([user], { text: { format: { type: 'json_schema', name: 'x', strict: true, schema: { type: 'array' } } } }),
  ],
  [
    'B11',
    'input',
    'five breakpoints',
    body([{ ...user, content: Array.from({ length: 5 }, () => ({ ...marked, text: 'x' })) }]),
  ],
  ['B11', 'prompt_cache_key', 'a cache key of 65 characters', body([user], { prompt_cache_key: 'x'.repeat(65) })],
];

describe('the rules of Responses', () => {
  it.each(good)('takes %s', (_what, request) => expect(checkAgainstIssued(request, issued)).toEqual([]));

  it.each(bad)('%s at %j: %s', (rule, path, _what, request) => {
    const found = checkAgainstIssued(request, issued);
    expect(found[0]).toMatchObject({ rule, path });
    expect(found.filter((other) => other.rule !== rule)).toEqual([]);
  });

  it('answers what cannot be looked up with 404 and the words of the provider', () => {
    const [found] = checkAgainstIssued(body([user, { ...thought, encrypted_content: undefined }, word]), issued);
    expect(found?.status).toBe(404);
    expect(found?.message).toContain('Items are not persisted when `store` is set to false.');
  });

  it('names the reasoning that is missing', () => {
    const { id } = otherThought as { id: string };
    expect(checkAgainstIssued(body([user, otherWord]), issued)[0]?.message).toContain(
      `of type 'message' was provided without its required 'reasoning' item: '${id}'.`,
    );
  });

  it('cannot look at what was given out where nobody says what was', () => {
    expect(checkResponsesRequest(body([user, word]))).toEqual([]);
  });

  it.each([null, 'x', {}, { input: [null, 7, { type: 7, role: 7, content: [null] }] }])(
    'refuses %j and does not throw',
    (request) => expect(checkAgainstIssued(request, issued)).not.toEqual([]),
  );
});
