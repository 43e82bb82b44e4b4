import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import type { AgentMiddleware } from 'langchain';
import { fileURLToPath } from 'node:url';
import { instructions, readFile, resultOf, task } from './scripted-loop.js';
import type { Way } from './way.js';
// #region summarization
import { summarizationMiddleware } from 'langchain';
// #endregion
// #region context editing
import { contextEditingMiddleware } from 'langchain';
// #endregion
// #region ours
import { pricedCondenser } from '@palimpsest/condensers';
import { condensing } from '@palimpsest/langchain';
// #endregion

const read = tool(({ path }: { path: string }) => resultOf(path), {
  name: readFile.name,
  description: readFile.description,
  schema: readFile.schema,
});

const modelOf = (url: string, fetch: typeof globalThis.fetch) =>
  new ChatOpenAI({ model: 'gpt-5', apiKey: 'key', maxRetries: 0, configuration: { baseURL: url, fetch } });

async function loop(model: ChatOpenAI, middleware: readonly AgentMiddleware[] = []) {
  const agent = createAgent({ model, tools: [read], systemPrompt: instructions, middleware });
  await agent.invoke({ messages: task }, { recursionLimit: 10_000 });
}

const summarizing = (model: ChatOpenAI) => ({
  // #region summarization
  middleware: [summarizationMiddleware({ model, trigger: { tokens: 100_000 } })],
  // #endregion
});

const editing = () => ({
  // #region context editing
  middleware: [contextEditingMiddleware()],
  // #endregion
});

const condensed = () => ({
  // #region ours
  middleware: [condensing({ condenser: pricedCondenser() })],
  // #endregion
});

const file = fileURLToPath(import.meta.url);
const langchain = { loop: '`langchain` 1, `createAgent`', api: 'openai' as const };

export const langchainLoop: readonly Way[] = [
  { ...langchain, name: 'none', source: { file }, run: (url, fetch) => loop(modelOf(url, fetch)) },
  {
    ...langchain,
    name: '`summarizationMiddleware` at 100,000 tokens',
    source: { file, region: 'summarization' },
    run: (url, fetch) => {
      const model = modelOf(url, fetch);
      return loop(model, summarizing(model).middleware);
    },
  },
  {
    ...langchain,
    name: '`contextEditingMiddleware`, at its defaults',
    source: { file, region: 'context editing' },
    run: (url, fetch) => loop(modelOf(url, fetch), editing().middleware),
  },
  {
    ...langchain,
    name: 'ours',
    source: { file, region: 'ours' },
    run: (url, fetch) => loop(modelOf(url, fetch), condensed().middleware),
  },
];
