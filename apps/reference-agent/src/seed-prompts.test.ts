import { Agent, Conversation } from '@palimpsest/agent';
import { folderTemplates } from '@palimpsest/agent/node';
import {
  contextMessages,
  ensureInitialUserMessage,
  ensureSystemPrompt,
  loadPrompts,
  parseSkill,
} from '@palimpsest/agent/prompts';
import { observationMaskingCondenser, recentEventsCondenser, structuredSummaryCondenser } from '@palimpsest/condensers';
import { loadCondenser } from '@palimpsest/condensers/config';
import { createEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../test-support/folders.js';

// The examples of the seed "Prompt Composition Internals" of OpenHands V0, in its order and with its names.

/** The templates of the seed. */
const prompts = {
  'system_prompt.j2': `You are OpenHands agent, a helpful AI assistant that can interact with a computer to solve tasks.

<ROLE>
Your primary role is to assist users by executing commands, modifying code, and solving technical problems effectively...
</ROLE>`,
  'user_prompt.j2': '',
  'additional_info.j2': `{% if repository_info %}<REPOSITORY_INFO>
{{ repository_info.repo_name }}
</REPOSITORY_INFO>
{% endif %}{% if repository_instructions %}<REPOSITORY_INSTRUCTIONS>
{{ repository_instructions }}
</REPOSITORY_INSTRUCTIONS>
{% endif %}`,
  'microagent_info.j2': `{% for agent_info in triggered_agents %}
<EXTRA_INFO>
The following information has been included based on a keyword match for "{{ agent_info.trigger }}".
It may or may not be relevant to the user's request.

{{ agent_info.content }}
</EXTRA_INFO>
{% endfor %}`,
};

const managerOf = async (files: Readonly<Record<string, string>>) =>
  loadPrompts({ templates: folderTemplates(await temporaryFolder(files)) });
const docker = await parseSkill('---\ntriggers: [docker]\n---\nUse compose.', { file: 'docker.md' });
const instructions = await parseSkill('Use tabs.', { file: 'AGENTS.md' });

describe('template-based prompts', () => {
  test('PromptManager loads system_prompt, user_prompt, additional_info and microagent_info from the prompts folder', async () => {
    const manager = await managerOf(prompts);
    expect(manager.systemPrompt()).toBe(prompts['system_prompt.j2']);
    expect(manager.userPrompt()).toBe('');
    for (const name of Object.keys(prompts)) {
      const { [name as 'user_prompt.j2']: _, ...others } = prompts;
      await expect(managerOf(others)).rejects.toThrow(`${name}' does not exist`);
    }
  });

  test('microagent instructions are wrapped in <EXTRA_INFO> tags', async () => {
    const manager = await managerOf(prompts);
    expect(manager.skillInfo([{ skill: docker, trigger: 'docker', content: docker.content }])).toBe(`<EXTRA_INFO>
The following information has been included based on a keyword match for "docker".
It may or may not be relevant to the user's request.

Use compose.
</EXTRA_INFO>`);
  });
});

describe('constructing the message list', () => {
  test('[System Prompt] -> [Initial User Message] -> [Workspace Context + Microagent Info] -> [...follow-up messages]', async () => {
    const manager = await managerOf(prompts);
    const workspace = { repository: { name: 'parser' } };
    const skills = [instructions, docker];
    const llm = scriptedLLM({ script: ['Done.', 'Done again.'] });
    const agent = new Agent({
      llm,
      systemPrompt: manager.systemPrompt(),
      context: (view) => contextMessages(view, { prompts: manager, skills, workspace }),
    });
    const conversation = await Conversation.open({ agent });
    await conversation.send('Start it with docker.');
    await conversation.run();
    await conversation.send('And stop it.');
    await conversation.run();
    const shown = [...conversation.view.events].map((event) => [event.type, event.source]);
    expect(shown).toEqual([
      ['system-prompt', 'agent'],
      ['message', 'user'],
      ['message', 'environment'],
      ['message', 'agent'],
      ['message', 'user'],
      ['message', 'agent'],
    ]);
    // message = Message(role='user', content=[TextContent(formatted_workspace_text), TextContent(formatted_microagent_text)])
    const message = conversation.view.events.at(2);
    expect(message).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringMatching(/REPOSITORY_INFO[^]*Use tabs\./) as string }],
      extendedContent: [{ text: expect.stringContaining('<EXTRA_INFO>') as string }],
    });
    expect(llm.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  test('_ensure_system_message: a log without one gets it, in front of what a model reads', () => {
    const log: readonly Event[] = [userMessage('Hi.')];
    const added = ensureSystemPrompt(log, { systemPrompt: prompts['system_prompt.j2'] });
    expect(
      View.fromEvents([...log, ...added])
        .toMessages()
        .map(({ role }) => role),
    ).toEqual(['system', 'user']);
    expect(ensureSystemPrompt([...log, ...added], { systemPrompt: prompts['system_prompt.j2'] })).toEqual([]);
  });

  test('_ensure_initial_user_message: a log with one event gets it, behind the system prompt', () => {
    const log: readonly Event[] = [createEvent('system-prompt', { systemPrompt: 'Be good.' })];
    const added = ensureInitialUserMessage(log, { content: 'Fix the parser.' });
    const messages = View.fromEvents([...log, ...added]).toMessages();
    expect(messages).toMatchObject([{ role: 'system' }, { role: 'user', content: [{ text: 'Fix the parser.' }] }]);
    expect(ensureInitialUserMessage([...log, ...added], { content: 'Fix the parser.' })).toEqual([]);
  });
});

describe('context summarization', () => {
  const steps = (count: number) => {
    const log = logBuilder();
    log.system();
    log.user('Fix the parser.');
    for (let step = 0; step < count; step++) log.call('read', { path: `file-${step}` }, `line ${step}\n`.repeat(60));
    return log;
  };
  const state = { user_context: 'Fix the parser.', completed_tasks: 'Read the files.', pending_tasks: 'Mend it.' };

  test('StructuredSummaryCondenser: the tool is forced, and the previous summary and the dropped events are shown', async () => {
    const answer = { toolCalls: [{ name: 'create_state_summary', arguments: state }] };
    const llm = scriptedLLM({ script: () => answer });
    const condenser = structuredSummaryCondenser({ llm, maxSize: 20, keepFirst: 4 });
    const log = steps(12);
    const first = await condenser.condense(View.fromEvents(log.events), {});
    if (!isCondensation(first)) throw new Error('a condensation was asked for');
    expect(llm.requests[0]).toMatchObject({
      tools: [{ name: 'create_state_summary' }],
      toolChoice: { tool: 'create_state_summary' },
    });
    // summary=str(summary), summary_offset=self.keep_first
    expect(first.summary).toContain('Read the files.');
    expect(first.summaryOffset).toBe(4);
    expect(first.metadata).toMatchObject({ condenser: 'structuredSummary' });

    log.add(first);
    // kept_events.insert(summary_offset, AgentCondensationObservation(content=summary))
    expect(View.fromEvents(log.events).events.at(4)).toMatchObject({
      type: 'condensation-summary',
      summary: first.summary,
    });
    for (let step = 0; step < 8; step++) log.call('read', { path: `later-${step}` }, `later ${step}\n`.repeat(60));
    const second = await condenser.condense(View.fromEvents(log.events), {});
    const asked = JSON.stringify(llm.requests[1]?.messages);
    expect(isCondensation(second)).toBe(true);
    expect(asked).toContain('Read the files.');
    expect(asked).toMatch(/<event number=.*later-0/);
  });

  test('RecentEventsCondenser keeps the newest events', async () => {
    const { events } = steps(20);
    const result = await recentEventsCondenser({ maxSize: 10, keepFirst: 2 }).condense(View.fromEvents(events), {});
    if (isCondensation(result)) throw new Error('a view was asked for');
    expect(result.events.length).toBe(10);
    expect(result.events.at(-1)).toBe(View.fromEvents(events).events.at(-1));
  });

  test('ObservationMaskingCondenser replaces old observation bodies with <MASKED> markers', async () => {
    const { events } = steps(20);
    const condenser = observationMaskingCondenser({ attentionWindow: 4, placeholder: '<MASKED>', minSavedTokens: 1 });
    const result = await condenser.condense(View.fromEvents(events), {});
    if (!isCondensation(result)) throw new Error('a condensation was asked for');
    const messages = View.fromEvents([...events, result]).toMessages();
    const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.stringify(content)] : []));
    expect(results[0]).toContain('<MASKED>');
    expect(results.at(-1)).not.toContain('<MASKED>');
  });

  test.each([
    ['[core]\nenable_default_condenser = true', 'llmSummarizing'],
    ['[core]\nenable_default_condenser = false', 'noOp'],
    ['[core]\nenable_default_condenser = true\n[condenser]\ntype = "recent"', 'recentEvents'],
    ['[core]\nenable_default_condenser = false\n[condenser]\ntype = "structured"', 'structuredSummary'],
  ])('condenser selection: %j', async (configuration, name) => {
    const llm = scriptedLLM({ script: [] });
    // The platform inserts an LLMSummarizingCondenser by default.
    const defaultCondenser = () => loadCondenser({ type: 'llmSummarizing' }, { defaultLLM: llm });
    const condenser = await loadCondenser(configuration, { defaultLLM: llm, defaultCondenser });
    expect(condenser.name).toBe(name);
  });
});
