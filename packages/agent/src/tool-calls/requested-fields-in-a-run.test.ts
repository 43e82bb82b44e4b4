import { defineTool } from '@palimpsest/events';
import type { ActionEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation/conversation.js';

const ran: unknown[] = [];
const run = defineTool({
  name: 'run',
  description: 'Runs a command.',
  input: z.strictObject({ command: z.string() }),
  execute: (input) => {
    ran.push(input);
    return 'ran';
  },
});
const call = (fields: object) => ({ toolCalls: [{ name: 'run', arguments: { command: 'ls', ...fields } }] });

async function open(llm: LLM, options: Partial<AgentOptions> = {}) {
  ran.length = 0;
  const agent = new Agent({ llm, systemPrompt: 'Work.', tools: [run], ...options });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  const actions = () => [...conversation.events].filter((event): event is ActionEvent => event.type === 'action');
  return { conversation, actions };
}

describe('who is asked for what', () => {
  const asked = async (options: Partial<AgentOptions>) => {
    const script: Script = ['Done.'];
    const llm = scriptedLLM({ script });
    const { conversation } = await open(llm, options);
    await conversation.run();
    const { properties } = llm.requests[0]?.tools?.[0]?.inputSchema ?? {};
    return Object.keys(properties as object).slice(1);
  };
  test.each<[string, Partial<AgentOptions>, readonly string[]]>([
    ['nothing by default', {}, []],
    ['the risk, where the policy reads risks', { confirmation: { risk: 'high' } }, ['security_risk']],
    ['nothing, where the host says the risk', { confirmation: { risk: 'high' }, assessRisk: () => 'low' }, []],
    ['nothing, for a policy that reads no risk', { confirmation: 'always' }, []],
    ['what the host wants', { askOfModel: { summary: true } }, ['summary']],
    [
      'the risk and a summary, for a policy that reads risks',
      { confirmation: { risk: 'low' }, askOfModel: { summary: true } },
      ['security_risk', 'summary'],
    ],
    ['no risk, where the host does not want it', { confirmation: { risk: 'low' }, askOfModel: { risk: false } }, []],
  ])('%s', async (_what, options, fields) => {
    expect(await asked(options)).toEqual(fields);
  });
});

describe('the risk of a call', () => {
  test.each([
    ['low', undefined, 'low', 'finished'],
    ['high', undefined, 'high', 'waiting-for-confirmation'],
    [undefined, undefined, 'unknown', 'waiting-for-confirmation'],
    ['none at all', undefined, 'unknown', 'waiting-for-confirmation'],
    ['low', 'high', 'high', 'waiting-for-confirmation'],
    ['high', 'low', 'high', 'waiting-for-confirmation'],
    ['low', 'unknown', 'unknown', 'waiting-for-confirmation'],
    ['low', 'medium', 'medium', 'finished'],
    [undefined, 'low', 'low', 'finished'],
  ] as const)('the model says %s, the host %s: %s, and the run is %s', async (said, assessed, risk, status) => {
    const fields = said === undefined ? {} : { security_risk: said };
    const { conversation, actions } = await open(scriptedLLM({ script: [call(fields), 'Done.'] }), {
      confirmation: { risk: 'high' },
      askOfModel: { risk: true },
      ...(assessed === undefined ? {} : { assessRisk: () => assessed }),
    });
    expect((await conversation.run()).status).toBe(status);
    expect(actions()).toMatchObject([{ securityRisk: risk }]);
  });

  test('does not lower what a policy of the host demands', async () => {
    const { conversation } = await open(scriptedLLM({ script: [call({ security_risk: 'low' }), 'Done.'] }), {
      confirmation: () => true,
      askOfModel: { risk: true },
    });
    expect((await conversation.run()).status).toBe('waiting-for-confirmation');
    expect(ran).toEqual([]);
  });
});

const apiKey = 'sk-test-0123456789abcdef';
const inputs = ['one', 'two', 'three'].map((command) => ({
  command,
  security_risk: 'low',
  summary: `Runs ${command}.`,
}));
const providers: Readonly<
  Record<string, () => Promise<{ readonly llm: LLM; readonly sent: () => readonly unknown[] }>>
> = {
  'Anthropic, with thinking bound to its prefix': async () => {
    const server = await anthropicServer({
      apiKey,
      reply: (_, index) => {
        const input = inputs[index];
        if (input === undefined) return { content: [{ type: 'text', text: 'Done.' }] };
        const thinking = { type: 'thinking', thinking: 'Hm.', signature: '' };
        return { content: [thinking, { type: 'tool_use', id: `toolu_${index}`, name: 'run', input }] };
      },
    });
    onTestFinished(() => server.close());
    const llm = anthropicLLM({
      model: 'claude-opus-5-5',
      apiKey,
      baseURL: server.baseURL,
      thinking: 'on',
      maxOutputTokens: 4_000,
    });
    return { llm, sent: () => server.requests.map(({ body }) => body) };
  },
  'OpenAI, Responses with reasoning': () => openai('responses'),
  'OpenAI, Chat Completions': () => openai('chat-completions'),
};

async function openai(api: 'responses' | 'chat-completions') {
  const server = await openaiServer({
    apiKey,
    reply: (_, index) => {
      const input = inputs[index];
      if (input === undefined) return { message: { content: 'Done.' } };
      const made = { name: 'run', arguments: JSON.stringify(input) };
      if (api === 'chat-completions') {
        return { message: { content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: made }] } };
      }
      const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
      return { output: [reasoning, { type: 'function_call', call_id: `call_${index}`, ...made }] };
    },
  });
  onTestFinished(() => server.close());
  const llm = openaiLLM({
    model: api === 'responses' ? 'gpt-6.1-sol' : 'gpt-4o',
    api,
    server: 'openai',
    apiKey,
    baseURL: server.baseURL,
  });
  return { llm, sent: () => server.requests.map(({ body }) => body) };
}

test.each(Object.keys(providers))(
  '%s: the tool gets its own input, the action the rest, and what was sent once is sent the same',
  async (name) => {
    const { llm, sent } = await (providers[name] as () => ReturnType<typeof openai>)();
    const options = { askOfModel: { risk: true, summary: true }, confirmation: { risk: 'high' } } as const;
    const { conversation, actions } = await open(llm, options);
    expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Done.' });
    expect(ran).toEqual(inputs.map(({ command }) => ({ command })));
    expect(actions()).toMatchObject(
      inputs.map(({ command, summary }) => ({
        securityRisk: 'low',
        summary,
        toolCall: { arguments: JSON.stringify({ command }) },
      })),
    );
    // No request was refused and tried again in another form.
    const updates = [...conversation.events].filter(({ type }) => type === 'conversation-state-update');
    expect(updates).toMatchObject([{ key: 'status' }, { key: 'status' }]);
    const requests = sent() as readonly Record<string, unknown>[];
    expect(requests).toHaveLength(inputs.length + 1);
    // The marks of the prompt cache move; nothing else does.
    const marks = ['cache_control', 'prompt_cache_breakpoint'];
    const plain = (value: unknown) =>
      JSON.stringify(value, (key, held: unknown) => (marks.includes(key) ? undefined : held));
    for (const [index, { tools, messages, input }] of requests.entries()) {
      expect(plain(tools)).toBe(plain(requests[0]?.tools));
      const list = (messages ?? input) as readonly unknown[];
      const before = (requests[index - 1]?.messages ?? requests[index - 1]?.input ?? []) as readonly unknown[];
      expect(plain(list.slice(0, before.length))).toBe(plain(before));
      expect(plain(list)).not.toContain('security_risk');
    }
    expect(plain(requests[0]?.tools)).toContain('security_risk');
  },
);
