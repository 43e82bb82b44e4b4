import { Agent, Conversation } from '@palimpsest/agent';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { sumUsage } from '@palimpsest/llm-adapters';
import { anthropicPromptCache, openaiPromptCache } from '@palimpsest/provider-servers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openWire } from '../test-support/wire.js';
import { demoCondenser } from './demo/demo.js';

/**
 * Whole runs over the real SDKs and HTTP with many condensations: what the servers report to have read and written costs at
 * most 1 % more than the same requests with every boundary marked.
 */

/** Enough for five condensations, and for eleven where CI tests thoroughly. */
const steps = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 90 : 48;

const read = defineTool({
  name: 'read',
  description: 'Reads a file. '.repeat(100),
  input: z.object({ at: z.number() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ at }) => `line ${at} of it\n`.repeat(20 + ((at * 7_919) % 400)),
});

/** One to three calls, so that histories end in several results. */
const callsOf = (index: number) =>
  index % (steps / 3) === steps / 3 - 1 ? [] : Array.from({ length: 1 + (index % 3) }, (_, call) => index * 3 + call);

const flows = {
  'Messages, with thinking': ['messages', 'claude-opus-5-5', () => anthropicPromptCache({ marks: 'everywhere' })],
  Responses: ['responses', 'gpt-6.1-sol', () => openaiPromptCache({ marks: 'everywhere' })],
} as const;

const cost = (parts: { readonly read: number; readonly written: number; readonly uncached: number }) =>
  parts.read * 0.1 + parts.written * 1.25 + parts.uncached;

test.each(
  (['Messages, with thinking', 'Responses'] as const).flatMap(
    (name) =>
      [
        [name, 'one process', 0.01],
        // Each new process has to learn where the history was rewritten before.
        [name, 'a new process for each message', 0.02],
      ] as const,
  ),
)('%s, %s', async (name, processes, mostAvoidable) => {
  const [api, model, cacheAtBest] = flows[name];
  const atBest = await cacheAtBest();
  const { server, llm } = await openWire(api, model, (_, index) => ({
    ...(api === 'messages' ? { thinking: `Step ${index}.` } : {}),
    text: `Step ${index}.`,
    calls: callsOf(index).map((at) => ({ id: `call_${at}`, name: 'read', input: { at } })),
  }));
  const store = memoryEventStore();
  const condenser = await demoCondenser();
  const open = () =>
    Conversation.open({
      conversationId: 'c',
      store,
      agent: new Agent({
        llm,
        systemPrompt: 'Work with care. '.repeat(300),
        tools: [read],
        condenser,
      }),
      stuckDetection: false,
    });
  let conversation = await open();
  for (const message of ['Read it all.', 'And again.', 'Once more.']) {
    await conversation.send(message);
    expect((await conversation.run()).status).toBe('finished');
    if (processes === 'one process') continue;
    await conversation.close();
    conversation = await open();
  }
  const events = [...conversation.events];
  expect(events.filter(({ type }) => type === 'condensation').length).toBeGreaterThan(4);
  const used = usageOf(events);
  expect(server.requests).toHaveLength(steps);
  const parts = server.requests.map(({ body }) => atBest.use(body));
  const least = parts.reduce((sum, part) => sum + cost(part), 0);
  const paid = cost({
    read: used.cacheReadTokens,
    written: used.cacheWriteTokens,
    uncached: used.uncachedInputTokens,
  });
  expect(paid / least - 1).toBeLessThan(mostAvoidable);
});

function usageOf(events: readonly Event[]): Usage {
  return sumUsage(events.flatMap((event) => (event.type === 'llm-usage' ? [event.usage] : [])));
}
