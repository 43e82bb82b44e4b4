import { expect, it } from 'vitest';
import { apiOf, bodyOf } from './api.js';
import { askerOf, errandPrompt } from './model.js';
import { taskMark } from './place.js';

it.each([
  ['/v1/messages', 'messages'],
  ['/some/base/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages/count_tokens', undefined],
  ['/v1/models', undefined],
])('knows the API of %s', (path, api) => expect(apiOf(path)).toBe(api));

const called = { type: 'tool_use', id: 'c1', input: ['read', '{"path":"a.ts"}'] };
const image = 'data:image/png;base64,AAAA';

it('reads Chat Completions in the form of Messages', () => {
  const body = bodyOf('chat', {
    model: 'gpt-4.1',
    tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
    messages: [
      { role: 'system', content: 'Rules.' },
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'c1', function: { name: 'read', arguments: '{"path":"a.ts"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url: image } }] },
    ],
  });
  expect(body.tools?.map(({ name }) => name)).toEqual(['read']);
  expect(JSON.stringify(body.system)).toContain('Rules.');
  expect(body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, called] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'image', source: { url: image } }] }],
    },
  ]);
});

it('reads Responses in the form of Messages, and leaves nothing out', () => {
  const text = (words: string) => [{ type: 'input_text', text: words }];
  const search = { type: 'tool_search_call', call_id: 'c2', arguments: {} };
  const body = bodyOf('responses', {
    tools: [{ type: 'function', name: 'read' }, { type: 'web_search' }],
    input: [
      { type: 'message', role: 'developer', content: text('Rules.') },
      { role: 'user', content: 'Go.' },
      { type: 'reasoning', encrypted_content: 'x' },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.ts"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Read.' },
      search,
    ],
  });
  expect(body.tools?.map(({ name }) => name)).toEqual(['read', 'web_search']);
  expect(JSON.stringify(body.system)).toContain('Rules.');
  expect(body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', content: [{ type: 'thinking' }] },
    { role: 'assistant', content: [called] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Read.' }] }] },
    { role: 'assistant', content: [{ type: 'tool_search_call', input: search }] },
  ]);
});

it.each([
  [taskMark, 'main'],
  [errandPrompt(3), 'errand'],
])('knows who asks behind what the host says first: %s', (prompt, asker) => {
  const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const tools = [{ type: 'function', name: 'exec_command' }];
  expect(askerOf(bodyOf('responses', { tools, input: [user('The folder is /project.'), user(prompt)] }))).toBe(asker);
});
