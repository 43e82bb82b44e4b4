/* eslint-disable @nx/enforce-module-boundaries -- the example imports the package as its users do */
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
// #region example
import { Agent, Conversation, secretMask } from '@palimpsest/agent';
import { findSkills } from '@palimpsest/agent/node';
import { contextMessages, loadPrompts } from '@palimpsest/agent/prompts';
// #endregion example
import { defineTool } from '@palimpsest/events';
import { z } from 'zod';

const workingDirectory = process.cwd();
const token = 'a1b2c3-d4e5f6';
const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'deploy', arguments: {} }] }, 'Done.'] });
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  input: z.object({}),
  execute: () => `deployed with ${token}`,
});
// #region example

const prompts = await loadPrompts({ systemPrompt: 'system_prompt_long_horizon.j2' });
const { skills, problems } = await findSkills({ workingDirectory });
const workspace = { runtime: { workingDirectory }, secrets: { DEPLOY_TOKEN: 'for the deploy script' } };
const secrets = secretMask({ DEPLOY_TOKEN: token });

const agent = new Agent({
  llm,
  systemPrompt: prompts.systemPrompt(),
  tools: [deploy],
  context: (view) => contextMessages(view, { prompts, skills, workspace }),
});
const conversation = await Conversation.open({ agent, secrets });
await conversation.send('Deploy it.');
await conversation.run(); // the model reads 'deployed with [secret DEPLOY_TOKEN]'
// #endregion example

test('the example does what it says', () => {
  expect(problems).toEqual([]);
  expect(llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(llm.requests[0])).toContain('DEPLOY_TOKEN: for the deploy script');
  expect(JSON.stringify(llm.requests[1])).toContain('deployed with [secret DEPLOY_TOKEN]');
  expect(JSON.stringify([...conversation.events])).not.toContain(token);
});

test('the documentation shows this example', async () => {
  const source = await readFile(new URL(import.meta.url), 'utf8');
  const regions = [...source.matchAll(/^\/\/ #region example\n([\s\S]*?)^\/\/ #endregion example/gm)];
  const example = regions.map(([, text]) => text).join('');
  expect(example).toContain('secretMask');
  expect(await readFile(new URL('../../docs/prompts.md', import.meta.url), 'utf8')).toContain(example);
});
