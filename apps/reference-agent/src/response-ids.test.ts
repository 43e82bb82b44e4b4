import { Agent, Conversation } from '@palimpsest/agent';
import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openWire } from '../test-support/wire.js';
import type { Wire } from '../test-support/wire.js';

/**
 * Servers that repeat the ids of their responses or send none, over the real SDKs and HTTP: a long run against one of them is
 * the run against a server whose ids are unique, request by request.
 */

/** Enough for two condensations, and for more where CI tests thoroughly. */
const steps = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 24 : 16;

type ResponseId = ((index: number) => string | undefined) | undefined;
type MakeFlow = (responseId: ResponseId) => Promise<Wire>;

/** Calls come alone, in pairs, with words and without: nothing but the log's own ids tells the responses apart. */
const flowOf =
  (api: 'messages' | 'chat-completions' | 'responses', contextWindow?: number): MakeFlow =>
  (responseId) =>
    openWire(
      api,
      { messages: 'claude-haiku-4-5', 'chat-completions': 'local', responses: 'gpt-6.1-sol' }[api],
      (_, index) => {
        if (index >= steps) return { text: 'All read.' };
        const numbers = index % 5 === 0 ? [1, 2] : [1];
        return {
          ...(index % 7 === 0 ? { text: `Step ${index}.` } : {}),
          calls: numbers.map((n) => ({
            id: `call_${index}_${n}`,
            name: 'read',
            input: { path: `src/${index}-${n}.ts` },
          })),
        };
      },
      {
        maxOutputTokens: 500,
        thinking: 'off',
        ...(api === 'chat-completions' ? { compatible: 'llama.cpp' } : {}),
        server: { responseId, contextWindow, ...(api === 'chat-completions' ? { profile: 'llama.cpp' } : {}) },
      },
    );

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ path }) => `${path}: `.padEnd(40, '.') + '\nexport const line = 1;'.repeat(40),
});

/** What a run sent, how it ended, and how the log names the responses. */
async function run(makeFlow: MakeFlow, responseId: ResponseId, isStreamed: boolean) {
  const { server, llm } = await makeFlow(responseId);
  const condenser = extractiveSummaryCondenser({ maxSize: 20, maxSummaryTokens: 400 });
  const agent = new Agent({ llm, systemPrompt: 'Read the files.', tools: [read], condenser });
  const conversation = await Conversation.open({ agent, conversationId: 'responses', stuckDetection: false });
  await conversation.send('Read them all.');
  const outcome = await conversation.run(isStreamed ? { onDelta: () => undefined } : {});
  const events: readonly Event[] = [...conversation.events];
  const usages = events.flatMap((event) => (event.type === 'llm-usage' && event.purpose === 'agent' ? [event] : []));
  return {
    outcome: { ...outcome },
    bodies: server.requests.map(({ body }) => body),
    overflows: events.filter(({ type }) => type === 'condensation-request').length,
    responses: new Set(usages.map((usage) => usage.responseId)).size,
    providerIds: [...new Set(usages.map((usage) => usage.providerResponseId))],
  };
}

const few = (index: number) => `chatcmpl-${(index * 37) % 5}`;

const flows: readonly (readonly [string, MakeFlow, readonly (readonly [string, ResponseId, readonly unknown[]])[]])[] =
  [
    [
      'a server that imitates Chat Completions',
      flowOf('chat-completions'),
      [
        ['one id for all', () => 'chatcmpl-A1', ['chatcmpl-A1']],
        ['one of a few', few, expect.arrayContaining([few(0), few(1)]) as unknown[]],
        ['an empty id', () => '', [undefined]],
        ['none', () => undefined, [undefined]],
      ],
    ],
    [
      'the same, with a window that overflows',
      flowOf('chat-completions', 2_500),
      [
        ['one id for all', () => 'chatcmpl-A1', ['chatcmpl-A1']],
        ['one of a few', few, expect.arrayContaining([few(0), few(1)]) as unknown[]],
      ],
    ],
    ['Responses', flowOf('responses'), [['one id for all', () => 'resp_1', ['resp_1']]]],
    [
      'a server that imitates Messages',
      flowOf('messages'),
      [
        ['one id for all', () => 'msg_1', ['msg_1']],
        ['an empty id', () => '', [undefined]],
        ['none', () => undefined, [undefined]],
      ],
    ],
    [
      'the same, with a window that overflows',
      flowOf('messages', 2_500),
      [
        ['an empty id', () => '', [undefined]],
        ['none', () => undefined, [undefined]],
      ],
    ],
  ];

describe.each(flows)('%s', (name, makeFlow, servers) => {
  // One of the two is enough where the window overflows.
  const ways = [['streamed', true] as const, ...(name.includes('overflows') ? [] : [['whole', false] as const])];
  // Streamed answers alone meet all servers, but where CI tests thoroughly.
  const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
  const fewer = name.includes('overflows') ? servers.slice(0, 1) : servers.slice(-2);
  test.each(ways)('%s answers: a run is the same, whatever their ids', async (_, streamed) => {
    const unique = await run(makeFlow, undefined, streamed);
    expect(unique.outcome).toMatchObject({ status: 'finished', answer: 'All read.' });
    // An answer that the window cut off is one that the server gave and the agent never got.
    expect(unique.responses).toBeGreaterThan(steps - 5);
    expect(unique.outcome.condensations).toBeGreaterThan(1);
    expect(unique.overflows > 0).toBe(name.includes('overflows'));
    expect(unique.providerIds).toHaveLength(unique.responses);
    const isFew = !isThorough && (!streamed || name.includes('overflows'));
    for (const [ids, responseId, providerIds] of isFew ? fewer : servers) {
      const repeating = await run(makeFlow, responseId, streamed);
      expect(repeating.bodies, ids).toEqual(unique.bodies);
      expect(repeating.outcome, ids).toEqual(unique.outcome);
      expect(repeating, ids).toMatchObject({ overflows: unique.overflows, responses: unique.responses });
      expect(repeating.providerIds, ids).toEqual(providerIds);
    }
  });
});
