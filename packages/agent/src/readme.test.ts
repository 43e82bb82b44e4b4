/* eslint-disable @nx/enforce-module-boundaries -- the example imports the package as its users do */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
// #region example
import { Agent, Conversation, finishTool } from '@palimpsest/agent';
import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ left: z.number(), right: z.number() }),
  execute: ({ left, right }) => String(left + right),
});
const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'add', arguments: { left: 1, right: 2 } }] }, 'Three.'] });

const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add, finishTool()] }) });
await conversation.send('What is 1 + 2?');
const { answer } = await conversation.run(); // 'Three.'
// #endregion example

test('the example does what it says', () => {
  expect(answer).toBe('Three.');
  expect(llm.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ text: '3' }] });
});

test('the README shows this example', async () => {
  const source = await readFile(new URL(import.meta.url), 'utf8');
  const example = /\/\/ #region example\n([\s\S]*?)\/\/ #endregion example/.exec(source)?.[1] ?? 'none';
  expect(await readFile(new URL('../README.md', import.meta.url), 'utf8')).toContain(example);
});
