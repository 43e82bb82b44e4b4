// An agent on the OpenAI Agents SDK whose input stays small, however long its loop. It needs Node 22, OPENAI_API_KEY, and for
// another server OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { Agent, OpenAIProvider, run, tool } from '@openai/agents';
import { pricedCondenser } from '@palimpsest/condensers';
import { condensingModel } from '@palimpsest/openai-agents';
import { z } from 'zod';

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
});

const model = condensingModel(await new OpenAIProvider().getModel('gpt-5'), {
  condenser: pricedCondenser(),
  onFit: ({ tokensBefore, tokensAfter }) => console.error(`${tokensBefore} tokens, sent ${tokensAfter}`),
});
const agent = new Agent({ name: 'Reader', model, tools: [read] });
const { finalOutput } = await run(agent, 'Read README.md and all pages in docs. What is this project for?', {
  maxTurns: 100,
});
console.log(finalOutput);
