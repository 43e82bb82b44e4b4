import { describe, expect, it } from 'vitest';
import { checkAnthropicRequest } from './anthropic-request.js';

// Raw bodies, written by hand: no converter of ours has touched them.
const tools = [{ name: 'run', input_schema: { type: 'object' } }];
const body = (messages: unknown, fields: object = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  tools,
  messages,
  ...fields,
});
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const system = (...content: unknown[]) => ({ role: 'system', content });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, fields: object = {}) => ({ type: 'tool_use', id, name: 'run', input: {}, ...fields });
const result = (id: string, fields: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...fields,
});
const thinking = { type: 'thinking', thinking: '', signature: 'abc' };
const ask = user(text('Go.'));

const good: readonly (readonly [string, unknown])[] = [
  ['one message', body([ask])],
  ['content that is text', body([{ role: 'user', content: 'Go.' }])],
  ['no tools and no calls', body([ask], { tools: undefined })],
  ['max_tokens 0', body([ask], { max_tokens: 0 })],
  [
    'a batch, results in another order, words after them',
    body([ask, assistant(text('Hm.'), call('a'), call('b')), user(result('b'), result('a'), text('And?'))]),
  ],
  [
    'A4: calls and results in neighbours of one role',
    body([ask, assistant(call('a')), assistant(call('b')), user(result('a')), user(result('b'), text('Go on.'))]),
  ],
  ['a result with no content', body([ask, assistant(call('a')), user({ type: 'tool_result', tool_use_id: 'a' })])],
  [
    'a result with blocks',
    body([ask, assistant(call('a')), user(result('a', { content: [text('x'), { type: 'image', source: {} }] }))]),
  ],
  ['an error with words', body([ask, assistant(call('a')), user(result('a', { is_error: true }))])],
  ['thinking before words and calls', body([ask, assistant(thinking, text('Hm.'), call('a')), user(result('a'))])],
  ['a blank block beside a real one', body([user(text(' '), text('Go.'))])],
  ['an empty answer at the end of an old model', body([ask, assistant()], { model: 'claude-sonnet-4-5' })],
  ['a prefill of an old model', body([ask, assistant(text('The answer is'))], { model: 'claude-3-5-sonnet-20241022' })],
  ['a system message after the user at the end', body([ask, system(text('Be short.'))])],
  ['a system message before an answer', body([ask, system(text('Be short.')), assistant(text('Yes.')), ask])],
];

const bad: readonly (readonly [rule: string, path: string, what: string, body: unknown])[] = [
  ['A1', '', 'no object', 'body'],
  ['A1', 'model', 'no model', body([ask], { model: undefined })],
  ['A1', 'max_tokens', 'no max_tokens', body([ask], { max_tokens: undefined })],
  ['A1', 'max_tokens', 'a broken max_tokens', body([ask], { max_tokens: 1.5 })],
  ['A1', 'messages', 'no messages', body([])],
  ['A2', 'messages.0', 'the assistant first', body([assistant(text('Hello.')), ask])],
  ['A2', 'messages.0', 'a system message first', body([system(text('Be short.')), ask])],
  ['A3', 'messages.1', 'an unknown role', body([ask, { role: 'tool', content: 'ok' }, ask])],
  [
    'A3',
    'messages.2',
    'a system message after an answer',
    body([ask, assistant(text('Yes.')), system(text('Be short.'))]),
  ],
  ['A3', 'messages.1', 'a system message before the user', body([ask, system(text('Be short.')), ask])],
  [
    'A3',
    'messages.1',
    'a system message for an old model',
    body([ask, system(text('Be short.'))], { model: 'claude-opus-4-7' }),
  ],
  ['A5', 'messages.1', 'a call without a result', body([ask, assistant(call('a')), user(text('Well?'))])],
  [
    'A5',
    'messages.1',
    'one of two calls without a result',
    body([ask, assistant(call('a'), call('b')), user(result('b'))]),
  ],
  [
    'A5',
    'messages.2',
    'the second of two merged messages without its result',
    body([ask, assistant(call('a')), assistant(call('b')), user(result('a'))]),
  ],
  ['A6', 'messages.2.content.0', 'a result without a call', body([ask, assistant(text('Hm.')), user(result('a'))])],
  [
    'A6',
    'messages.4.content.0',
    'a result that comes a turn late',
    body([ask, assistant(call('a')), user(result('a')), assistant(text('Hm.')), user(result('a'))]),
  ],
  ['A6', 'messages.0.content.0', 'a result in the first message', body([user(result('a'))])],
  [
    'A7',
    'messages.2.content.1',
    'two results for one call',
    body([ask, assistant(call('a')), user(result('a'), result('a'))]),
  ],
  [
    'A7',
    'messages.3.content.0',
    'one id for two calls',
    body([ask, assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))]),
  ],
  [
    'A7',
    'messages.1.content.0.tool_use.id',
    'an id of other characters',
    body([ask, assistant(call('a.b')), user(result('a.b'))]),
  ],
  [
    'A8',
    'messages.2.content.1',
    'words before a result',
    body([ask, assistant(call('a')), user(text('Here:'), result('a'))]),
  ],
  [
    'A8',
    'messages.2.content.2',
    'words between results',
    body([ask, assistant(call('a'), call('b')), user(result('a'), text('and'), result('b'))]),
  ],
  [
    'A8',
    'messages.3.content.0',
    'A4: words before a result once neighbours are merged',
    body([ask, assistant(call('a')), user(text('Here:')), user(result('a'))]),
  ],
  ['A9', 'messages.0.content.1', 'an empty text block', body([user(text('Go.'), text(''))])],
  [
    'A9',
    'messages.2.content.0.content.0',
    'an empty text block in a result',
    body([ask, assistant(call('a')), user(result('a', { content: [text('')] }))]),
  ],
  ['A9', 'system.0', 'an empty text block in the instructions', body([ask], { system: [text('')] })],
  ['A9', 'messages.1.content.0', 'a message of white space', body([ask, assistant(text(' \n')), ask])],
  ['A10', 'messages.1', 'an empty message', body([ask, assistant(), ask])],
  ['A10', 'messages.1', 'a message of empty text', body([ask, { role: 'assistant', content: '' }, ask])],
  ['A10', 'messages.0', 'no content', body([{ role: 'user' }])],
  ['A11', 'messages.1', 'an answer to continue', body([ask, assistant(text('The answer is'))])],
  [
    'A11',
    'messages.1',
    'an answer to continue for a model not known here',
    body([ask, assistant(text('The answer is'))], { model: 'claude-next' }),
  ],
  [
    'A11',
    'messages.1.content.0',
    'a prefill that ends in white space',
    body([ask, assistant(text('The answer is '))], { model: 'claude-haiku-4-5-20251001' }),
  ],
  [
    'A13',
    'tools.0.name',
    'a tool name of other characters',
    body([ask], { tools: [{ name: 'files.read', input_schema: {} }] }),
  ],
  ['A13', 'tools.1', 'two tools of one name', body([ask], { tools: [...tools, ...tools] })],
  [
    'A13',
    'messages.1.content.0.name',
    'a call of a tool name of other characters',
    body([ask, assistant(call('a', { name: 'run it' })), user(result('a'))]),
  ],
  [
    'A14',
    'messages.1.content.0.tool_use.input',
    'an input that is text',
    body([ask, assistant(call('a', { input: '{}' })), user(result('a'))]),
  ],
  [
    'A14',
    'messages.1.content.0.tool_use.input',
    'an input that is a list',
    body([ask, assistant(call('a', { input: [] })), user(result('a'))]),
  ],
  ['A26', 'tools', 'calls and no tools', body([ask, assistant(call('a')), user(result('a'))], { tools: undefined })],
  [
    'A-error-content',
    'messages.2.content.0.tool_result',
    'an error without words',
    body([ask, assistant(call('a')), user(result('a', { is_error: true, content: [] }))]),
  ],
  [
    'A-final-thinking',
    'messages.1',
    'a turn that ends in thinking',
    body([ask, assistant(text('Hm.'), thinking), ask]),
  ],
];

describe('checkAnthropicRequest', () => {
  it.each(good)('takes %s', (_what, request) => expect(checkAnthropicRequest(request)).toEqual([]));

  it.each(bad)('%s at %j: %s', (rule, path, _what, request) => {
    const found = checkAnthropicRequest(request);
    expect(found[0]).toMatchObject({ rule, path });
    expect(found.filter((other) => other.rule !== rule)).toEqual([]);
  });

  it.each([null, [], 7, {}, { messages: 'x' }, { messages: [null, 7, { role: 7, content: [null, { type: 7 }] }] }])(
    'refuses %j and does not throw',
    (request) => expect(checkAnthropicRequest(request)).not.toEqual([]),
  );
});
