import { Agent, Conversation } from '@palimpsest/agent';
import { llmSummarizingCondenser, structuredSummaryCondenser } from '@palimpsest/condensers';
import { defineTool } from '@palimpsest/events';
import type { Condensation, LLMUsageEvent, Usage } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openWire } from '../test-support/wire.js';
import type { Api } from '../test-support/wire.js';

/**
 * Whole runs over the real SDKs and HTTP, to servers that enforce the providers' rules and count what their caches read. A summary
 * that is asked for behind the agent's own request reads all that the agent's last request had cached.
 */

const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
/** Enough for two summaries, and for twice as many where CI tests thoroughly. */
const steps = isThorough ? 40 : 25;
/** Caches serve whole blocks, and what closes the last message stands behind the next one. Unit: tokens. */
const [cacheBlock, lastFrame] = [128, 4];
const readAt = (index: number) => `file-${index}.ts`;
const fields = { user_context: 'Read all.', completed_tasks: 'Half of it.', pending_tasks: 'The rest.' };
const summary = JSON.stringify(fields);

/** What a model answers to a question about the conversation. */
type AnswerToQuestion = 'summary' | 'call';

const isBehind = (body: unknown) => JSON.stringify(body).includes('The work is interrupted here');
const isSeparate = (body: unknown) => JSON.stringify(body).includes('Below are the oldest events');
const says = (body: unknown, answer: AnswerToQuestion) =>
  (isBehind(body) && answer === 'summary') || (!isBehind(body) && isSeparate(body));

/** A model, and the compatible server that it is at. */
interface WireName {
  readonly api: Api;
  readonly model: string;
  readonly thinks?: boolean;
  readonly profile?: 'mistral' | 'deepseek' | 'strict-template';
}
const wires: readonly WireName[] = [
  { api: 'messages', model: 'claude-opus-5-5', thinks: true },
  { api: 'messages', model: 'claude-haiku-4-5' },
  { api: 'messages', model: 'claude-haiku-4-5', thinks: true },
  { api: 'chat-completions', model: 'gpt-5.4-mini' },
  { api: 'responses', model: 'gpt-6.1-sol' },
  { api: 'chat-completions', model: 'm', profile: 'mistral' },
  { api: 'chat-completions', model: 'm', profile: 'deepseek' },
  { api: 'chat-completions', model: 'm', profile: 'strict-template' },
];

function opened({ api, model, thinks = false, profile }: WireName, answer: AnswerToQuestion) {
  let turns = 0;
  return openWire(
    api,
    model,
    (body) => {
      if (says(body, answer)) return { text: summary };
      const index = turns++;
      const thinking = thinks ? { thinking: `Step ${index}.` } : {};
      if (index === steps) return { ...thinking, text: 'Done.' };
      return { ...thinking, calls: [{ id: `call_${index}`, name: 'read', input: { path: readAt(index) } }] };
    },
    {
      ...(api === 'messages' ? { maxOutputTokens: 3_000, thinking: thinks ? 'on' : 'off' } : {}),
      ...(profile === undefined ? {} : { compatible: profile, server: { profile } }),
    },
  );
}

/** What the agent does with an answer is the same for all; where CI tests thoroughly all show it. */
const oneOfEachApi = [wires[0], wires[3], wires[4]] as readonly WireName[];

const read = defineTool({
  name: 'read',
  description: 'Reads a file. '.repeat(100),
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `a line of ${path}\n`.repeat(60),
});

const condensers = { llmSummarizing: llmSummarizingCondenser, structuredSummary: structuredSummaryCondenser };

async function run(wire: WireName, answer: AnswerToQuestion, condenser: keyof typeof condensers = 'llmSummarizing') {
  const { server, llm } = await opened(wire, answer);
  const options = { llm, maxSize: 30, modelCall: { extendsAgentRequest: true } };
  const conversation = await Conversation.open({
    conversationId: 'c',
    agent: new Agent({
      llm,
      systemPrompt: 'Work with care. '.repeat(100),
      tools: [read],
      condenser: condensers[condenser](options),
      maxOutputTokens: 3_000,
    }),
    stuckDetection: false,
  });
  await conversation.send('Read all of them.');
  expect((await conversation.run()).status).toBe('finished');
  const events = [...conversation.events];
  expect(events.filter(({ type }) => type === 'condensation-attempt')).toEqual([]);
  expect(events.filter(({ type }) => type === 'condensation').length).toBeGreaterThan(1);
  return { server, events };
}

/** A body without cache marks, which may stand elsewhere in the next one. */
function prompt(body: unknown): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) =>
      /^(prompt_)?cache_(control|breakpoint)$/.test(key) ? undefined : value,
    ),
  ) as Record<string, unknown>;
}

describe.each(isThorough ? wires : oneOfEachApi)('$api, $model, $thinks, $profile', (wire) => {
  test('the input of a summary is what the agent had cached, and no request is refused', async () => {
    const { server, events } = await run(wire, 'summary');
    let previous: LLMUsageEvent | undefined;
    for (const event of events) {
      if (event.type === 'llm-usage') previous = event;
      if (event.type !== 'condensation') continue;
      const { metadata } = event;
      expect(metadata).toMatchObject({ extendsAgentRequest: true });
      const { cacheReadTokens } = metadata?.['usage'] as Usage;
      const asked = totalInputTokens((previous as LLMUsageEvent).usage);
      expect(cacheReadTokens).toBeGreaterThanOrEqual(asked - cacheBlock - lastFrame);
    }
    for (const [index, { body }] of server.requests.entries()) {
      if (!isBehind(body)) continue;
      const [before, behind] = [prompt(server.requests[index - 1]?.body), prompt(body)];
      const list = (one: Record<string, unknown>) => (one['messages'] ?? one['input']) as readonly unknown[];
      expect({ ...behind, messages: 0, input: 0 }).toEqual({ ...before, messages: 0, input: 0 });
      const same = list(before).length;
      expect(list(behind).slice(0, same)).toEqual(list(before));
    }
  });
});

test.each(isThorough ? wires : oneOfEachApi)(
  '$api, $model, $thinks, $profile: a call of a tool is no answer: the summary is asked for in a request of its own, and both are paid for',
  async (wire) => {
    const { server, events } = await run(wire, 'call');
    const behind = server.requests.filter(({ body }) => isBehind(body));
    const made = events.filter(({ type }) => type === 'condensation') as readonly Condensation[];
    expect(behind).toHaveLength(made.length);
    for (const { metadata } of made) {
      expect(metadata).toMatchObject({ extendsAgentRequest: false });
      expect(totalInputTokens(metadata?.['usage'] as Usage)).toBeGreaterThan(8_000);
    }
  },
);

test('a structured summary is asked for in words behind the request', async () => {
  const { server, events } = await run(wires[0] as WireName, 'summary', 'structuredSummary');
  const made = events.filter(({ type }) => type === 'condensation') as readonly Condensation[];
  for (const { summary, metadata } of made) {
    expect(metadata).toMatchObject({ extendsAgentRequest: true });
    expect(summary).toContain('Half of it.');
  }
  expect(server.requests.filter(({ body }) => isBehind(body))).toHaveLength(made.length);
});
