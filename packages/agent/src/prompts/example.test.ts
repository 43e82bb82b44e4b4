/* eslint-disable @nx/enforce-module-boundaries -- the example imports the package as its users do */
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
// #region example
import { Agent, Conversation } from '@palimpsest/agent';
import { findSkills } from '@palimpsest/agent/node';
import { contextMessages, loadPrompts } from '@palimpsest/agent/prompts';

const workingDirectory = process.cwd();
const llm = scriptedLLM({ script: ['Done.'] });

const prompts = await loadPrompts({ systemPrompt: 'system_prompt_long_horizon.j2' });
const { skills, problems } = await findSkills({ workingDirectory });
const workspace = { runtime: { workingDirectory }, secrets: { DEPLOY_TOKEN: 'for the deploy script' } };

const agent = new Agent({ llm, systemPrompt: prompts.systemPrompt() });
const conversation = await Conversation.open({ agent });
await conversation.send('Deploy it.');
// Again after a condensation: what it forgot is shown again, and what stands there is not.
await conversation.events.append(contextMessages(conversation.view, { prompts, skills, workspace }));
await conversation.run();
// #endregion example

test('the example does what it says', () => {
  expect(problems).toEqual([]);
  expect(llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.stringify(llm.requests[0])).toContain('DEPLOY_TOKEN: for the deploy script');
  expect(contextMessages(conversation.view, { prompts, skills, workspace })).toEqual([]);
});
