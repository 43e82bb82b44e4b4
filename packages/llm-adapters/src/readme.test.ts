import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ContextWindowExceededError } from './index.js';
import { openaiLLM } from './openai/index.js';
import { openaiServer } from './testing/index.js';

it('does what the README says, in the words of the README', async () => {
  // example
  const server = await openaiServer({ contextWindow: 200, reply: () => ({ message: { content: 'Hello.' } }) });
  const llm = openaiLLM({ model: 'gpt-4o', baseURL: server.url }); // without baseURL: OpenAI, with OPENAI_API_KEY

  const say = (text: string) => llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] });
  const { message, usage } = await say('Hello?');
  console.log(message.content, usage.uncachedInputTokens, 'tokens');

  const error = await say('x'.repeat(1_000)).catch((thrown: unknown) => thrown);
  if (ContextWindowExceededError.isInstance(error)) console.log(error.kind); // 'input': condense, then ask again
  await server.close();
  // end
  expect(message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  expect(usage.uncachedInputTokens).toBeGreaterThan(0);
  expect(error).toMatchObject({ kind: 'input', contextWindow: 200 });

  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const code = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('import '));
  const own = read('readme.test.ts').split('  // example\n')[1]?.split('  // end\n')[0];
  const shown = read('../README.md').split('```ts\n')[1]?.split('```')[0];
  expect(code(shown ?? '')).toEqual(code(own ?? ''));
});
