// An agent on Strands whose requests stay small, however long its loop; its own messages stay whole. A request that is refused as too
// long is condensed harder and sent again. It needs Node 22, OPENAI_API_KEY, and for another server OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { openai } from '@ai-sdk/openai';
import { condensingMiddleware } from '@palimpsest/ai-sdk';
import { pricedCondenser } from '@palimpsest/condensers';
import { Agent, tool } from '@strands-agents/sdk';
import { VercelModel, type VercelModelOptions } from '@strands-agents/sdk/models/vercel';
import { wrapLanguageModel } from 'ai';
import { z } from 'zod';

const middleware = condensingMiddleware({ condenser: pricedCondenser() });
const wrapped: unknown = wrapLanguageModel({ model: openai('gpt-5'), middleware });
const provider = wrapped as VercelModelOptions['provider']; // its typings name the models of ai 6; those of ai 7 run too
const read = tool({
  name: 'read',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  callback: ({ path }) => readFile(path, 'utf8'),
});

const agent = new Agent({ model: new VercelModel({ provider }), tools: [read], printer: false, contextManager: false });
console.log(String(await agent.invoke('Read README.md and all pages in docs. What is this project for?')));
