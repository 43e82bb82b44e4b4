// An agent on Mastra whose prompt stays small, however long its loop; its own messages stay whole. A prompt that is refused as too
// long is condensed harder and sent again. It needs Node 22, OPENAI_API_KEY, and for another server OPENAI_BASE_URL.
import { readFile } from 'node:fs/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { promptMessages, type AiMessage } from '@palimpsest/ai-sdk';
import { pricedCondenser } from '@palimpsest/condensers';
import { condensedHistory, type Fitted } from '@palimpsest/messages';
import { z } from 'zod';

const history = condensedHistory({ condenser: pricedCondenser(), codec: promptMessages(), model: 'gpt-5' });
const condensing = {
  id: 'condensing',
  async processLLMRequest({ prompt, state }) {
    const fitted = await history.fit(prompt);
    state['sent'] = fitted;
    return { prompt: fitted.messages };
  },
  processAPIError: async ({ error, state }) => ({
    retry: (await history.afterError(error, state['sent'] as Fitted<AiMessage>)) !== undefined,
  }),
} satisfies Processor;
const execute = ({ path }: { path: string }) => readFile(path, 'utf8');
const read = createTool({ id: 'read', description: 'Reads it.', inputSchema: z.object({ path: z.string() }), execute });
const reader = { id: 'reader', name: 'Reader', instructions: 'Read.', model: 'openai/gpt-5', tools: { read } };
const processors = { inputProcessors: [condensing], errorProcessors: [condensing], maxProcessorRetries: 1 };
const agent = new Agent({ ...reader, ...processors });
const { text } = await agent.generate('Read README.md and all pages in docs. What is it for?', { maxSteps: 100 });
console.log(text);
