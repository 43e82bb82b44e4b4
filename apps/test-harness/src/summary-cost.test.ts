import { fileURLToPath } from 'node:url';
import { llmSummarizingCondenser } from '@palimpsest/condensers';
import type { Message, ToolDefinition } from '@palimpsest/events';
import { pricesAt, promptToSend } from '@palimpsest/llm-adapters';
import type { CompletionRequest, LLM, SentPrompt } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { Condenser, View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { readSessions } from './import/index.js';
import type { Session } from './import/index.js';
import { recordedSession } from './measure/recorded-session.js';
import { condensedCalls } from './replay/replay-session.js';

/**
 * What a summary costs when it is asked for behind the agent's own request, and in a request of its own: recorded sessions, sent
 * over HTTP to servers whose caches count as the providers' do, priced by the models' prices.
 */

const apiKey = 'test-key';
const retry = { attempts: 1 };
/** About 700 tokens, as long as a model's summary of a coding session. */
const summary =
  'COMPLETED: read files, ran the tests and changed the code as the plan says; this is one of forty lines.\n'.repeat(
    28,
  );
/** Instructions and tools of about 6,000 tokens; recorded sessions rarely hold their own. */
const system: Message = { role: 'system', content: [{ type: 'text', text: 'Work with care. '.repeat(800) }] };
const tools: readonly ToolDefinition[] = ['read', 'edit', 'run', 'search'].map((name) => ({
  name,
  description: `What ${name} does. `.repeat(160),
  inputSchema: { type: 'object' },
}));

/** At the vendors' prices of one day. */
const priced = (model: string) => ({ prices: pricesAt(model, new Date('2026-11-20T03:00:00Z')) ?? unpriced(model) });

function unpriced(model: string): never {
  throw new Error(`no prices of ${model}`);
}

const isSummary = (body: unknown) => JSON.stringify(body).includes('You keep the memory of an agent');

const providers = {
  anthropic: async () => {
    const text = (body: unknown) => (isSummary(body) ? summary : 'Yes.');
    const server = await anthropicServer({
      apiKey,
      contextWindow: 1_000_000,
      reply: (body) => ({ content: [{ type: 'text', text: text(body) }] }),
    });
    const llm = (model: string) => anthropicLLM({ model, ...priced(model), apiKey, baseURL: server.baseURL, retry });
    return { server, llm };
  },
  openai: async () => {
    const server = await openaiServer({
      apiKey,
      contextWindow: 1_000_000,
      reply: (body) => ({ message: { content: isSummary(body) ? summary : 'Yes.' } }),
    });
    const llm = (model: string) =>
      openaiLLM({
        model,
        ...priced(model),
        server: 'openai',
        api: 'responses',
        apiKey,
        baseURL: server.baseURL,
        retry,
      });
    return { server, llm };
  },
};

/** Adds up what its answers cost. */
function metered(llm: LLM): { readonly llm: LLM; readonly spent: { calls: number; usd: number } } {
  const spent = { calls: 0, usd: 0 };
  const complete = async (request: CompletionRequest) => {
    const completion = await llm.complete(request);
    spent.calls++;
    spent.usd += completion.costUsd ?? NaN;
    return completion;
  };
  return { llm: { ...llm, complete }, spent };
}

interface Way {
  readonly agent: string;
  readonly summariser: string;
  readonly extendsAgentRequest: boolean;
}

interface Bill {
  readonly summaries: number;
  /** Unit: USD. */
  readonly summaryUsd: number;
  /** The agent's calls and the summaries. Unit: USD. */
  readonly totalUsd: number;
}

async function billOf(session: Session, provider: keyof typeof providers, way: Way): Promise<Bill> {
  const { server, llm } = await providers[provider]();
  try {
    const agent = metered(llm(way.agent));
    const summariser = metered(llm(way.summariser));
    let last: SentPrompt | undefined;
    const requestOf = (view: View) => {
      const messages = [system, ...view.toMessages({ thinking: 'none' }).filter(({ role }) => role !== 'system')];
      const prompt = promptToSend(messages, last);
      return {
        prompt,
        request: { messages, tools, cache: { key: 'replay', ...prompt.cache }, maxOutputTokens: 2_000 },
      };
    };
    const condenser = llmSummarizingCondenser({
      llm: summariser.llm,
      modelCall: { extendsAgentRequest: way.extendsAgentRequest },
    });
    const agentRequest = (view: View) => ({ model: way.agent, ...requestOf(view).request });
    const asked: Condenser = {
      ...condenser,
      condense: (view, context) => condenser.condense(view, { ...context, agentRequest }),
    };
    for await (const { view, errors, attempts } of condensedCalls(recordedSession(session.events), asked)) {
      expect([errors, attempts.filter(({ outcome }) => outcome !== 'unavailable')]).toEqual([[], []]);
      const { prompt, request } = requestOf(view);
      await agent.llm.complete(request);
      last = prompt;
    }
    const { calls, usd } = summariser.spent;
    return { summaries: calls, summaryUsd: usd, totalUsd: usd + agent.spent.usd };
  } finally {
    await server.close();
  }
}

const ways: readonly (Way & { readonly provider: keyof typeof providers })[] = [
  { provider: 'anthropic', agent: 'claude-opus-5-5', summariser: 'claude-opus-5-5', extendsAgentRequest: true },
  { provider: 'anthropic', agent: 'claude-opus-5-5', summariser: 'claude-opus-5-5', extendsAgentRequest: false },
  { provider: 'anthropic', agent: 'claude-opus-5-5', summariser: 'claude-haiku-5-5', extendsAgentRequest: false },
  { provider: 'openai', agent: 'gpt-6.1-sol', summariser: 'gpt-6.1-sol', extendsAgentRequest: true },
  { provider: 'openai', agent: 'gpt-6.1-sol', summariser: 'gpt-6.1-sol', extendsAgentRequest: false },
];

async function sessionsIn(folder: string): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for await (const session of readSessions(folder)) sessions.push(session);
  return sessions.sort((a, b) => b.events.length - a.events.length);
}

test.each(['anthropic', 'openai'] as const)(
  'a summary behind the request costs less than half, at %s',
  async (provider) => {
    const [longest] = await sessionsIn(fileURLToPath(new URL('../../../corpus', import.meta.url)));
    const [behind, separate] = await Promise.all(
      ways
        .filter((way) => way.provider === provider)
        .slice(0, 2)
        .map((way) => billOf(longest as Session, provider, way)),
    );
    expect(behind?.summaries).toBeGreaterThan(0);
    expect(behind?.summaries).toBe(separate?.summaries);
    expect(behind?.summaryUsd).toBeLessThan(0.5 * (separate?.summaryUsd ?? 0));
  },
);

const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] !== undefined;

describe.skipIf(recorded === undefined || !isLongRun)(
  'the long real sessions that PALIMPSEST_TRAJECTORIES names',
  () => {
    test.each(ways)(
      '$agent, summaries by $summariser, behind the request: $extendsAgentRequest',
      { timeout: 1_200_000 },
      async (way) => {
        const sums = { sessions: 0, summaries: 0, summaryUsd: 0, totalUsd: 0 };
        for (const folder of ['claude-code-entire', 'codex-entire', 'pi-mono']) {
          for (const session of (await sessionsIn(`${recorded}/${folder}`)).filter(
            ({ events }) => events.length > 300,
          )) {
            const bill = await billOf(session, way.provider, way);
            sums.sessions++;
            sums.summaries += bill.summaries;
            sums.summaryUsd += bill.summaryUsd;
            sums.totalUsd += bill.totalUsd;
          }
        }
        expect(sums.summaries).toBeGreaterThan(10);
        console.log(JSON.stringify({ ...way, ...sums }));
      },
    );
  },
);
