import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents';
import type { Model } from '@openai/agents';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { z } from 'zod';
import { instructions, readFile, resultOf, task } from '../../../bench/ways/scripted-loop.js';
import type { Way } from '../../../bench/ways/way.js';
// #region ours
import { pricedCondenser } from '@palimpsest/condensers';
import { condensingModel } from '@palimpsest/openai-agents';
// #endregion
// #region input filter
import type { CallModelInputFilter } from '@openai/agents';
// #endregion

setTracingDisabled(true);

const read = tool({
  name: readFile.name,
  description: readFile.description,
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => resultOf(path),
});

const modelOf = (url: string, fetch: typeof globalThis.fetch) =>
  new OpenAIResponsesModel(new OpenAI({ baseURL: url, apiKey: 'key', maxRetries: 0, fetch }), 'gpt-5');

async function loop(model: Model, callModelInputFilter?: CallModelInputFilter) {
  const agent = new Agent({ name: 'Engineer', instructions, model, tools: [read] });
  await run(agent, task, { maxTurns: 10_000, ...(callModelInputFilter === undefined ? {} : { callModelInputFilter }) });
}

// #region input filter
const newestItems: CallModelInputFilter = ({ modelData: { input, instructions } }) => {
  let start = Math.max(1, input.length - 20);
  while (start > 1 && !('role' in input[start]!)) start--;
  return { instructions, input: [...input.slice(0, 1), ...input.slice(start)] };
};
// #endregion

function condensed(plain: Model) {
  // #region ours
  const model = condensingModel(plain, { condenser: pricedCondenser() });
  // #endregion
  return model;
}

const file = fileURLToPath(import.meta.url);
const agents = { loop: '`@openai/agents`, Responses', api: 'openai' as const };

export const openaiAgentsLoop: readonly Way[] = [
  { ...agents, name: 'none', source: { file }, run: (url, fetch) => loop(modelOf(url, fetch)) },
  {
    ...agents,
    name: '`callModelInputFilter`, the newest 20 items, cut before an answer',
    source: { file, region: 'input filter' },
    run: (url, fetch) => loop(modelOf(url, fetch), newestItems),
  },
  {
    ...agents,
    name: 'ours',
    source: { file, region: 'ours' },
    run: (url, fetch) => loop(condensed(modelOf(url, fetch))),
  },
];
