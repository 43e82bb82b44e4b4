import { MemorySession, OpenAIProvider, OpenAIResponsesModel, Runner, run, setTracingDisabled } from '@openai/agents';
import type { Agent, AgentInputItem, Model } from '@openai/agents';
import { amortizedForgettingCondenser, extractiveSummaryCondenser, noOpCondenser } from '@palimpsest/condensers';
import { agentItems, condensingModel, condensingModelProvider } from '@palimpsest/openai-agents';
import type { CondensingModelOptions, PassedThrough } from '@palimpsest/openai-agents';
import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { rewritesIn, scriptedModel, sentTo } from '../../../packages/ai-sdk/test-support/scripted-model.js';
import { agentOf, modelOf, toolsOf, unsealed } from '../test-support/scripted-agent.js';
import type { Api } from '../test-support/scripted-agent.js';

setTracingDisabled(true);

const servers: ProviderServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const condenser = () => extractiveSummaryCondenser({ maxSize: 40, keepFirst: 2 });

async function started(api: Api, steps: number, options: { contextWindow?: number; name?: string } = {}) {
  const server = await scriptedModel(api, { steps, thinks: api === 'responses', ...options });
  servers.push(server);
  return { server, model: modelOf(api, server) };
}

/** Counts condensations; a problem of the condenser fails the test. */
function counted() {
  const count = { condensations: 0 };
  const onFit: CondensingModelOptions['onFit'] = ({ condensations, problem }) => {
    if (problem !== undefined) throw problem;
    count.condensations += condensations.length;
  };
  return { count, onFit };
}

interface RunOptions {
  readonly session?: MemorySession;
  readonly previousResponseId?: string;
  readonly runner?: Runner;
}

async function answerOf(agent: Agent, stream: boolean, { runner = new Runner(), ...options }: RunOptions = {}) {
  const input: AgentInputItem[] | string = 'Read all.';
  if (!stream) return (await runner.run(agent, input, { maxTurns: 500, ...options })).finalOutput;
  const result = await runner.run(agent, input, { maxTurns: 500, ...options, stream: true });
  for await (const _event of result) {
    // The stream is read to its end.
  }
  await result.completed;
  return result.finalOutput;
}

describe.each(['responses', 'chat'] as const)('%s', (api) => {
  describe.each([false, true])('streamed: %s', (stream) => {
    it('a loop of 80 steps is rewritten only by condensations, and the session keeps everything', async () => {
      const [plain, ours] = [await started(api, 80), await started(api, 80)];
      const [whole, session] = [new MemorySession(), new MemorySession()];
      await answerOf(agentOf(plain.model, toolsOf(api)), stream, { session: whole });
      const { count, onFit } = counted();
      const model = condensingModel(ours.model, { condenser: condenser(), onFit });
      expect(await answerOf(agentOf(model, toolsOf(api)), stream, { session })).toBe('Answer 79.');

      const [stored, expected] = [await session.getItems(), await whole.getItems()];
      expect(stored.length).toBeGreaterThan(200);
      expect(unsealed(JSON.stringify(stored))).toBe(unsealed(JSON.stringify(expected)));
      const [before, after] = [sentTo(plain.server), sentTo(ours.server)];
      expect(after).toHaveLength(80);
      expect(count.condensations).toBeGreaterThan(4);
      expect(rewritesIn(after)).toHaveLength(count.condensations);
      // All but the summary is what would have been sent.
      after.forEach((items, index) => {
        const all = new Set(before[index]?.map(unsealed));
        expect(items.filter((item) => !all.has(unsealed(item))).length).toBeLessThanOrEqual(1);
      });
      expect(JSON.stringify(after).length).toBeLessThan(JSON.stringify(before).length / 2);
    });

    it('an overflow is answered by a harder fit, and nobody hears of it', async () => {
      const { server, model } = await started(api, 40, { contextWindow: 9_000 });
      const idle = amortizedForgettingCondenser({ maxSize: 1_000 });
      const agent = agentOf(condensingModel(model, { condenser: idle }), toolsOf(api, 800));
      expect(await answerOf(agent, stream)).toBe('Answer 39.');
      expect(server.requests.length).toBeGreaterThan(40);
    });

    it('other errors are those of the model', async () => {
      const { server } = await started(api, 3);
      const client = new OpenAI({ baseURL: `${server.baseURL}/nowhere`, apiKey: 'key', maxRetries: 0 });
      const model = new OpenAIResponsesModel(client, 'gpt-5');
      const errorOf = (called: Model) => answerOf(agentOf(called, toolsOf(api)), stream).catch(String);
      const error = await errorOf(condensingModel(model, { condenser: condenser() }));
      expect(error).toBe(await errorOf(model));
      expect(error).toContain('404');
    });
  });

  it('two runs at once have a history each', async () => {
    const [first, second] = [await started(api, 60, { name: 'first' }), await started(api, 60, { name: 'second' })];
    const { count, onFit } = counted();
    const models = new Map([['gpt-4o', first.model], ['gpt-4.1', second.model]]); // prettier-ignore
    const provider = condensingModelProvider(
      { getModel: (name = '') => models.get(name) as (typeof first)['model'] },
      // One name for both, so that they share a history; both begin alike.
      { condenser: condenser(), onFit, model: 'gpt-4o' },
    );
    const runner = new Runner({ modelProvider: provider });
    const agents = [...models.keys()].map((model) => agentOf(model, toolsOf(api)));
    await Promise.all(agents.map((agent) => answerOf(agent, false, { runner })));
    const sent = [first, second].map(({ server }) => sentTo(server));
    expect(sent.map(({ length }) => length)).toEqual([60, 60]);
    expect(sent.flatMap(rewritesIn)).toHaveLength(count.condensations);
    expect(JSON.stringify(sent[0])).not.toContain('second_');
  });

  it('a handoff takes the condensed history along', async () => {
    const { count, onFit } = counted();
    const server = await scriptedModel(api, { steps: 70 });
    const model = condensingModel(modelOf(api, server), { condenser: condenser(), onFit });
    servers.push(server);
    const reviewer = agentOf(model, toolsOf(api), 'Reviewer');
    const handing = await openaiServer({
      reply: () => ({
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_handoff', type: 'function', function: { name: 'transfer_to_Reviewer', arguments: '{}' } },
          ],
        },
      }),
    });
    servers.push(handing);
    const first = agentOf(condensingModel(modelOf(api, handing), { condenser: condenser() }), toolsOf(api), 'Reader');
    first.handoffs = [reviewer];
    const session = new MemorySession();
    const result = await run(first, 'Read all.', { maxTurns: 500, session });
    expect(result.lastAgent?.name).toBe('Reviewer');
    expect(result.finalOutput).toBe('Answer 69.');
    const sent = sentTo(server);
    expect(sent).toHaveLength(70);
    expect(sent[0]?.filter((item) => item.includes('call_handoff'))).toHaveLength(2);
    expect(rewritesIn(sent)).toHaveLength(count.condensations);
    expect(JSON.stringify(await session.getItems())).toContain('call_handoff');
  });

  it.each([false, true])('gives the model recall and relevance as tools; streamed: %s', async (stream) => {
    const server = await openaiServer({
      reply: (body, index) => {
        const call = (name: string, input: object) => ({
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
            ],
          },
        });
        if (index < 6) return call('read', { path: `src/${index}.ts` });
        const [, label] = /src\/0\.ts: [^[]*\[event_id: (\w+)\]/.exec(JSON.stringify(body)) ?? [];
        if (index === 6) return call('relevance_condenser', { event_id: label, summary_text: 'A list of zebras.' });
        if (index === 7) return call('recall', { query: 'word' });
        return { message: { role: 'assistant', content: 'Done.' } };
      },
    });
    servers.push(server);
    const model = condensingModel(modelOf(api, server), { condenser: noOpCondenser(), relevance: true });
    const session = new MemorySession();
    expect(await answerOf(agentOf(model, [...toolsOf(api), ...model.tools]), stream, { session })).toBe('Done.');
    const [before, marked, recalled] = sentTo(server).slice(6);
    const says = (items: readonly string[] | undefined, text: string) =>
      items?.filter((item) => item.includes(text)).length;
    expect(says(before, 'event_id: ')).toBe(6);
    expect(says(marked, 'src/0.ts: word')).toBe(0);
    const place = before?.findIndex((item) => item.includes('src/0.ts: word')) ?? -1;
    expect(marked?.[place]).toContain('A list of zebras.');
    expect(recalled?.at(-1)).toContain('src/0.ts: word');
    // What the session stores has no lines of ours.
    expect(JSON.stringify((await session.getItems())[2])).not.toContain('event_id');
  });
});

it('an answer that fails with status 200 because it is too long is asked for once more, unheard', async () => {
  const server = await openaiServer({
    reply: (_, index) =>
      index === 4
        ? {
            output: [],
            failure: {
              code: 'context_length_exceeded',
              message: 'Your input exceeds the context window of this model.',
            },
          }
        : index < 8
          ? {
              message: {
                role: 'assistant',
                content: null,
                tool_calls: [
                  { id: `call_${index}`, type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } },
                ],
              },
            }
          : { message: { role: 'assistant', content: 'Done.' } },
  });
  servers.push(server);
  const model = condensingModel(modelOf('responses', server), { condenser: noOpCondenser() });
  const result = await run(agentOf(model, toolsOf('responses')), 'Read all.', { stream: true });
  const heard: unknown[] = [];
  for await (const event of result) if (event.type === 'raw_model_stream_event') heard.push(event.data.type);
  await result.completed;
  expect(result.finalOutput).toBe('Done.');
  const starts = heard.filter((type) => type === 'response_started');
  expect([server.requests.length, starts.length]).toEqual([9, 8]);
  expect(JSON.stringify(server.requests[5]?.body).length).toBeLessThan(JSON.stringify(server.requests[4]?.body).length);
});

it('passes the failure on, events and all, if another list would not help', async () => {
  const fails = async (wraps: boolean) => {
    const server = await openaiServer({
      reply: () => ({ output: [], failure: { code: 'server_error', message: 'Sorry.' } }),
    });
    servers.push(server);
    const plain = modelOf('responses', server);
    const model = wraps ? condensingModel(plain, { condenser: noOpCondenser() }) : plain;
    const heard: unknown[] = [];
    const result = await run(agentOf(model, toolsOf('responses')), 'Read all.', { stream: true });
    try {
      for await (const event of result) if (event.type === 'raw_model_stream_event') heard.push(event.data.type);
    } catch (error) {
      heard.push(String(error));
    }
    return [server.requests.length, heard];
  };
  expect(await fails(true)).toEqual(await fails(false));
});

it('passes calls through where the server owns the history, and says so once', async () => {
  const notes: PassedThrough[] = [];
  const { server, model } = await started('responses', 12);
  const options = {
    condenser: amortizedForgettingCondenser({ maxSize: 4, keepFirst: 1 }),
    onPassedThrough: (note: PassedThrough) => void notes.push(note),
  };
  const agent = agentOf(condensingModel(model, options), toolsOf('responses'));
  await answerOf(agent, false, { previousResponseId: 'resp_earlier' }).catch(() => undefined);
  await answerOf(agent, true, { previousResponseId: 'resp_earlier' }).catch(() => undefined);
  expect(notes).toEqual([{ type: 'server-owns-history', because: 'previousResponseId' }]);
  expect(server.requests[0]?.body).toMatchObject({
    previous_response_id: 'resp_earlier',
    input: [{ content: 'Read all.' }],
  });
});

it('fits the real types, which know nothing of ours', async () => {
  const provider = condensingModelProvider(new OpenAIProvider({ apiKey: 'key' }), { condenser: condenser() });
  const model: Model = condensingModel(await provider.getModel('gpt-5'), { condenser: condenser() });
  expect(Object.keys(model).sort()).toEqual([
    'getResponse',
    'getRetryAdvice',
    'getStreamedResponse',
    'supportsPromptModelSelection',
    'tools',
  ]);
  expect(new Runner({ modelProvider: provider }).config.modelProvider).toBe(provider);
  const item: AgentInputItem = { role: 'user', content: 'Hello.' };
  expect(agentItems().read(item).role).toBe('user');
  expect(() => condensingModel('gpt-5' as unknown as Model, { condenser: condenser() })).toThrow(TypeError);
});
