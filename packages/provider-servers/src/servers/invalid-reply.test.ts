import { expect, it, onTestFinished } from 'vitest';
import { anthropicServer, openaiServer } from '../index.js';
import type { ProviderServer } from '../index.js';

async function answered(server: ProviderServer, path: string, body: object) {
  onTestFinished(() => server.close());
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${server.url}${path}`, init);
  return { status: response.status, text: JSON.stringify(await response.json()) };
}

const messages = [{ role: 'user', content: 'Hello?' }];

it.each<[unknown, string]>([
  [undefined, 'it returned undefined.'],
  ['Hello.', 'it returned a value of type string.'],
  [[{ type: 'text', text: 'Hello.' }], 'it returned a list.'],
  [{}, 'it returned an object with no field.'],
  [{ content: 'Hello.' }, 'it returned an object with content.'],
  [{ role: 'assistant', message: 'Hello.' }, 'it returned an object with role, message.'],
  [{ error: 'no' }, 'it returned an object with error.'],
])('a reply of %j is refused in words that name the shapes', async (reply, given) => {
  const options = { reply: () => reply as never };
  const claude = { model: 'claude-haiku-4-5', max_tokens: 100, messages };
  const gpt = { model: 'gpt-4o', messages };
  for (const [server, path, body, shape] of [
    [await anthropicServer(options), '/v1/messages', claude, "{ content: [{ type: 'text', text: 'Hello.' }] }"],
    [await openaiServer(options), '/v1/chat/completions', gpt, "{ message: { content: 'Hello.' } }"],
    [
      await openaiServer(options),
      '/v1/responses',
      { model: 'gpt-4o', input: 'Hello?' },
      '{ output: [items of Responses] }',
    ],
  ] as const) {
    const { status, text } = await answered(server, path, body);
    expect(status).toBe(500);
    expect(text).toContain('InvalidReplyError: reply has to return ');
    expect(text).toContain(shape);
    expect(text).toContain(given);
  }
});

it('a message of the wrong API is refused in the same way', async () => {
  const reply = () => ({ content: [{ type: 'text', text: 'Hello.' }] }) as never;
  const { text } = await answered(await openaiServer({ reply }), '/v1/chat/completions', { model: 'gpt-4o', messages });
  expect(text).toContain('InvalidReplyError: reply has to return { message:');
});
