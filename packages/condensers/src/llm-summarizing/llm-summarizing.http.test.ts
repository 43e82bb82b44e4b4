import { logBuilder } from '@palimpsest/events/testing';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { AnthropicServerOptions, OpenAIServerOptions } from '@palimpsest/provider-servers';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import { expect, onTestFinished, test, vi } from 'vitest';
import { summaryHeader } from '../authoring/model/summary.prompt.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';
import type { LLMSummarizingOptions } from './llm-summarizing.js';

// The SDKs themselves, over HTTP, to servers that count tokens, refuse and fail as the providers do.

const apiKey = 'test-key';
const retry = { attempts: 1 };
const prices = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

async function openai(options: Partial<OpenAIServerOptions>) {
  const server = await openaiServer({ reply: () => ({ message: { content: 'PENDING: part 30' } }), ...options });
  onTestFinished(() => server.close());
  return { server, llm: openaiLLM({ model: 'gpt-5.4-mini', apiKey, baseURL: server.baseURL, retry, prices }) };
}

async function anthropic(options: Partial<AnthropicServerOptions>) {
  const server = await anthropicServer({
    reply: () => ({ content: [{ type: 'text', text: 'PENDING: part 30' }] }),
    ...options,
  });
  onTestFinished(() => server.close());
  return { server, llm: anthropicLLM({ model: 'claude-haiku-5-5', apiKey, baseURL: server.baseURL, retry, prices }) };
}

/** Thirty calls, and somebody asks for a condensation. */
function session({ request = false } = {}) {
  const log = logBuilder();
  log.system();
  log.user('Make it fast.');
  for (let step = 1; step <= 30; step++)
    log.call('read_file', { path: `src/${step}.ts` }, `line of ${step}\n`.repeat(60));
  if (request) log.request();
  return View.fromEvents(log.events);
}

async function condense(llm: LLM, view: View, options: Partial<LLMSummarizingOptions> = {}) {
  const reports: { readonly outcome: string; readonly reason: string; readonly data?: object }[] = [];
  const condenser = llmSummarizingCondenser({ llm, maxSize: 20, ...options });
  const result = await Promise.resolve(
    condenser.condense(view, { report: (report) => void reports.push(report) }),
  ).catch((error: unknown) => error);
  return { result, reports };
}

test.each([
  { provider: 'OpenAI', start: openai },
  { provider: 'Anthropic', start: anthropic },
])('$provider: one call, no tools; what it took is on record', async ({ start }) => {
  const { server, llm } = await start({});
  const { result, reports } = await condense(llm, session());
  expect(reports).toEqual([]);
  expect(result).toMatchObject({
    summary: `${summaryHeader}\n\nPENDING: part 30`,
    metadata: { condenser: 'llmSummarizing', model: llm.model, costUsd: expect.any(Number) },
  });
  expect(server.requests).toHaveLength(1);
  const body = server.requests[0]?.body as Record<string, unknown>;
  expect(body).not.toHaveProperty('tools');
  expect(JSON.stringify(body)).toContain('call of read_file: ');
});

test.each([
  { provider: 'OpenAI', start: openai },
  { provider: 'Anthropic', start: anthropic },
])('$provider: a window that is smaller than we think is met by halving what is read', async ({ start }) => {
  const { server, llm } = await start({ contextWindow: 4_000 });
  const { result, reports } = await condense(llm, session(), { modelCall: { maxOutputTokens: 500 } });
  expect(result).toMatchObject({ summary: `${summaryHeader}\n\nPENDING: part 30` });
  expect(reports.length).toBeGreaterThan(0);
  for (const report of reports) expect(report).toMatchObject({ outcome: 'retried', data: { kind: 'overflow' } });
  expect(server.requests).toHaveLength(reports.length + 1);
});

test.each([
  {
    provider: 'OpenAI',
    start: () => openai({ reply: () => ({ message: { content: 'half a' }, finish_reason: 'length' }) }),
  },
  {
    provider: 'Anthropic',
    start: () =>
      anthropic({ reply: () => ({ content: [{ type: 'text', text: 'half a' }], stop_reason: 'max_tokens' }) }),
  },
])('$provider: an answer that is cut off is not taken', async ({ start }) => {
  const { llm } = await start();
  const view = session();
  const { result, reports } = await condense(llm, view, { modelCall: { maxOutputTokens: 100 } });
  expect(result).toBe(view);
  expect(reports).toMatchObject([{ outcome: 'failed', data: { kind: 'truncated' } }]);
});

test('a server that hangs is given up at the deadline, and the connection closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, llm } = await openai({
    // The time passes when the server has been asked.
    faults: () => {
      vi.advanceTimersByTime(200);
      return { fault: 'stall' };
    },
  });
  const view = session();
  const { result, reports } = await condense(llm, view, { modelCall: { timeoutMs: 200 } });
  expect(result).toBe(view);
  expect(reports).toMatchObject([{ outcome: 'failed', data: { kind: 'timeout' } }]);
  expect(server.requests).toHaveLength(1);
});

test('a server that always fails costs what the adapter tries, and a request ends in the typed error', async () => {
  const { server, llm } = await anthropic({ faults: () => ({ fault: 'server-error' }) });
  const { result } = await condense(llm, session({ request: true }), { modelCall: { tries: 2 } });
  expect(NoCondensationAvailableError.isInstance(result)).toBe(true);
  expect(server.requests).toHaveLength(1);
});

test('a wrong key is tried once', async () => {
  const { server, llm } = await openai({ apiKey: 'another' });
  const { result, reports } = await condense(llm, session({ request: true }));
  expect(NoCondensationAvailableError.isInstance(result)).toBe(true);
  expect(isCondensation(result as never)).toBe(false);
  expect(reports).toMatchObject([{ outcome: 'failed', data: { kind: 'error' } }]);
  expect(server.requests).toHaveLength(1);
});
