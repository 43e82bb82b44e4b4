import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import type { PrepareStepFunction } from 'ai';
import { fileURLToPath } from 'node:url';
import { instructions, readFile, resultOf, steps, task } from './scripted-loop.js';
import type { Way } from './way.js';
// #region pruneMessages
import { pruneMessages } from 'ai';
// #endregion
// #region ours
import { condensing } from '@palimpsest/ai-sdk';
import { pricedCondenser } from '@palimpsest/condensers';
// #endregion

const tools = {
  [readFile.name]: tool({
    description: readFile.description,
    inputSchema: jsonSchema<{ path: string }>(readFile.schema),
    execute: ({ path }) => resultOf(path),
  }),
};

async function loop(url: string, fetch: typeof globalThis.fetch, prepareStep?: PrepareStepFunction<typeof tools>) {
  await generateText({
    model: createOpenAI({ baseURL: url, apiKey: 'key', fetch }).chat('gpt-5'),
    system: instructions,
    prompt: task,
    tools,
    stopWhen: stepCountIs(steps),
    maxRetries: 0,
    ...(prepareStep === undefined ? {} : { prepareStep }),
  });
}

const pruned = {
  // #region pruneMessages
  prepareStep: ({ messages }) => ({ messages: pruneMessages({ messages, toolCalls: 'before-last-20-messages' }) }),
  // #endregion
} satisfies { prepareStep: PrepareStepFunction<typeof tools> };

const condensed = () => ({
  // #region ours
  prepareStep: condensing({ condenser: pricedCondenser() }),
  // #endregion
});

const file = fileURLToPath(import.meta.url);
const aiSdk = { loop: '`ai` 6, `generateText`', api: 'openai' as const };

export const aiSdkLoop: readonly Way[] = [
  { ...aiSdk, name: 'none', source: { file }, run: (url, fetch) => loop(url, fetch) },
  {
    ...aiSdk,
    name: '`pruneMessages`, calls of the last 20 messages',
    source: { file, region: 'pruneMessages' },
    run: (url, fetch) => loop(url, fetch, pruned.prepareStep),
  },
  {
    ...aiSdk,
    name: 'ours',
    source: { file, region: 'ours' },
    run: (url, fetch) => loop(url, fetch, condensed().prepareStep),
  },
];
