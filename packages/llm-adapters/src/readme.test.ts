import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ContextWindowExceededError, modelFacts, pricesAt } from './index.js';
import { openaiLLM } from './openai/index.js';
import { openaiServer } from './testing/index.js';
import { calibrated, counterFor } from './tokens/index.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const code = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('import '));
/** The README's example of this number, and the one between the marks of this file. */
const examples = (index: number) => ({
  shown: code(read('../README.md').split('```ts\n')[index + 1]?.split('```')[0] ?? ''),
  own: code(read('readme.test.ts').split('  // example\n')[index + 1]?.split('  // end\n')[0] ?? ''),
});

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

  const { shown, own } = examples(0);
  expect(shown).toEqual(own);
});

it('knows of models what the README says', async () => {
  // example
  const facts = modelFacts('claude-opus-5-5', 'anthropic'); // facts.thinking: how a view must render thinking
  const prices = pricesAt('claude-opus-5-5', new Date('2026-11-21')); // undefined for a model that nobody priced
  const counter = await counterFor({ facts }); // a tokenizer for OpenAI's models, an estimate for others
  const earlier = [{ counted: 1_000, reported: 1_200 }]; // what was counted, what the provider then reported
  const tokens = calibrated(counter, earlier).count({ messages: [{ role: 'user', content: [] }] });
  // end
  expect(facts.thinking).toBe('prefix-bound');
  expect(prices?.input).toBe(4);
  expect(tokens).toBe(5);

  const { shown, own } = examples(1);
  expect(shown).toEqual(own);
});
