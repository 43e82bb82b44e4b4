import { Agent, Conversation } from '@palimpsest/agent';
import { extractiveSummaryCondenser, observationMaskingCondenser, pipelineCondenser } from '@palimpsest/condensers';
import { defineTool, toolResultContent } from '@palimpsest/events';
import { withRecall } from '@palimpsest/relevance-tool';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openWire } from '../test-support/wire.js';
import type { Api } from '../test-support/wire.js';

/**
 * An agent over the real SDKs and HTTP whose model reads many files, needs a number of the first one when that is hidden, recalls it,
 * and writes it down. The model knows nothing but what it is sent.
 */

const contextWindow = 20_000;
const reads = 14;
const secret = 'port = 48213';
const text = (path: string) =>
  `${path}\n${'export const line = 1;\n'.repeat(60)}${path === 'src/0.ts' ? secret : 'end'}\n`;

type Way = 'address' | 'path' | 'query';

/** What the model does next, from the text of the request alone: read on, ask for the first file, write down the number. */
function nextCall(way: Way, request: unknown, index: number) {
  const sent = JSON.stringify(request);
  if (index < reads) return { name: 'read', input: { path: `src/${index}.ts` } };
  if (index === reads) {
    if (sent.includes(secret)) throw new Error('the first file is not hidden');
    const address = /src\/0\.ts.*?\(address (\w{8})\)/.exec(sent)?.[1] ?? 'none';
    return {
      name: 'recall',
      input: { address: { address }, path: { path: 'src/0.ts' }, query: { query: 'port' } }[way],
    };
  }
  if (index > reads + 1) return undefined;
  return { name: 'write', input: { text: /port = \d+/.exec(sent)?.[0] ?? 'not found' } };
}

async function work(api: Api, model: string, way: Way, isForgotten: boolean) {
  const { server, llm } = await openWire(
    api,
    model,
    (request, index) => {
      const call = nextCall(way, request, index);
      return call === undefined ? { text: 'Done.' } : { calls: [{ id: `call_${index}`, ...call }] };
    },
    { contextWindow, maxOutputTokens: 1_000, server: { contextWindow } },
  );
  const written: string[] = [];
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: z.object({ path: z.string() }),
    execute: ({ path }) => text(path),
  });
  const write = defineTool({
    name: 'write',
    description: 'Writes something down.',
    input: z.object({ text: z.string() }),
    execute: (input) => {
      written.push(input.text);
      return 'Written.';
    },
  });
  const masks = observationMaskingCondenser({ attentionWindow: 6, minSavedTokens: 1_000 });
  const summary = extractiveSummaryCondenser({ maxSize: 16, keepFirst: 1, maxSummaryTokens: 400 });
  const condenser = isForgotten ? pipelineCondenser([masks, summary]) : masks;
  const agent = new Agent({ llm, systemPrompt: 'Work.', tools: withRecall([read, write], { condenser }), condenser });
  const conversation = await Conversation.open({ agent, stuckDetection: false });
  await conversation.send('Read all, then write down the port.');
  await conversation.run();
  return { written, events: [...conversation.events], requests: server.requests.map(({ body }) => body) };
}

// What is recalled does not depend on the API: each way goes over another one.
test('what a mask hides comes back by the address that the mask names', async () => {
  expect((await work('messages', 'claude-opus-4-8', 'address', false)).written).toEqual([secret]);
});

test.each([
  ['path', 'responses', 'gpt-6.1-sol'],
  ['query', 'chat-completions', 'gpt-4o'],
] as const)(
  'what was forgotten comes back by %s; the list of tools is the same from the first call on',
  async (way, api, model) => {
    const { written, events, requests } = await work(api, model, way, true);
    expect(events.some((event) => event.type === 'condensation' && event.forgottenEventIds.length > 0)).toBe(true);
    expect(written).toEqual([secret]);
    const tools = requests.map((body) => JSON.stringify((body as { readonly tools?: unknown }).tools));
    expect(new Set(tools)).toEqual(new Set([tools[0]]));
    expect(tools[0]).toContain('"recall"');
    const answer = events.find((event) => event.type === 'observation' && event.toolName === 'recall');
    const said = answer?.type === 'observation' ? JSON.stringify(toolResultContent(answer)) : '';
    expect(said).toContain('no longer in the conversation');
  },
);
