// An agent on LangChain whose requests stay small, however long its loop. It needs OPENAI_API_KEY, and for another server
// OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { ChatOpenAI } from '@langchain/openai';
import { pricedCondenser } from '@palimpsest/condensers';
import { condensing } from '@palimpsest/langchain';
import { createAgent, tool } from 'langchain';
import * as z from 'zod';

const read = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
});

const condenser = condensing({
  condenser: pricedCondenser(),
  onFit: ({ tokensBefore, tokensAfter }) => console.error(`${tokensBefore} tokens, sent ${tokensAfter}`),
});
const agent = createAgent({ model: new ChatOpenAI({ model: 'gpt-5' }), tools: [read], middleware: [condenser] });

const prompt = 'Read README.md and all pages in docs. What is this project for?';
const { messages } = await agent.invoke({ messages: prompt }, { recursionLimit: 200 });
console.log(messages.at(-1)?.text);
