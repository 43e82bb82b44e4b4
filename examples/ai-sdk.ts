// An agent on the AI SDK whose prompt stays small, however long its loop. It needs OPENAI_API_KEY, and for another server
// OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { condensing } from '@palimpsest/ai-sdk';
import { pricedCondenser } from '@palimpsest/condensers';
import { generateText, stepCountIs, tool } from 'ai';
import * as z from 'zod';

const read = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
});

const { text } = await generateText({
  model: openai('gpt-5'),
  tools: { read },
  prompt: 'Read README.md and all pages in docs. What is this project for?',
  stopWhen: stepCountIs(100),
  prepareStep: condensing({
    condenser: pricedCondenser(),
    onFit: ({ tokensBefore, tokensAfter }) => console.error(`${tokensBefore} tokens, sent ${tokensAfter}`),
  }),
});
console.log(text);
