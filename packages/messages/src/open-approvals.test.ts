import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { openaiServer } from '@palimpsest/provider-servers';
import { checkResponsesRequest } from '@palimpsest/provider-servers/rules';
import { condensationProblem } from '@palimpsest/view';
import OpenAI from 'openai';
import { expect, test, onTestFinished } from 'vitest';
import { addResponsesStep, responsesHistory } from '../test-support/responses-loop.js';
import type { ResponsesItem } from '../test-support/responses-loop.js';
import { condensedHistory, responsesItems } from './index.js';

const tools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false },
];
const asks = (id: string): ResponsesItem => ({
  ...{ type: 'mcp_approval_request', id, name: 'deploy', arguments: '{"to":"staging"}', server_label: 'ops' },
});
const approves = (approval_request_id: string): ResponsesItem => ({
  ...{ type: 'mcp_approval_response', approval_request_id, approve: true },
});
const isOf = (item: ResponsesItem) => item.type?.startsWith('mcp_approval') === true;

/** Steps without reasoning: a server that has not issued it refuses it. */
function steps(items: ResponsesItem[], from: number, to: number): void {
  for (let step = from; step < to; step++) {
    addResponsesStep(items, step, 20);
    items.splice(
      items.findIndex(({ type }) => type === 'reasoning'),
      1,
    );
  }
}

function start() {
  const codec = responsesItems();
  // It also forgets the user's words.
  const history = condensedHistory({ condenser: amortizedForgettingCondenser({ maxSize: 20, keepFirst: 1 }), codec });
  return { history, items: [...responsesHistory(0)] };
}

test('an approval that waits is kept through condensations, and its answer comes with it', async () => {
  const server = await openaiServer({ reply: () => ({ message: { role: 'assistant', content: 'Yes.' } }) });
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  const { history, items } = start();
  steps(items, 0, 1);
  items.push(asks('mcpr_1'), asks('mcpr_2'));
  const requests = items.slice(-2);
  let made = 0;
  for (let step = 1; step < 80; step += 8) {
    steps(items, step, step + 8);
    const { messages, condensations } = await history.fit(items);
    made += condensations.length;
    expect(messages.filter(isOf)).toEqual(requests);
  }
  expect(made).toBeGreaterThan(3);
  items.push(approves('mcpr_2'));
  expect((await history.fit(items)).messages.filter(isOf)).toHaveLength(3);
  steps(items, 90, 100);
  expect((await history.fit(items)).messages.filter(isOf)).toHaveLength(3);
  items.push(approves('mcpr_1'));
  const { messages, view } = await history.fit(items);
  expect(messages.filter(isOf)).toHaveLength(4);
  await client.responses.create({ model: 'gpt-5', store: false, input: messages, tools });
  expect(view.notes).toEqual([]);
  // When all are answered, they may go.
  steps(items, 100, 140);
  expect((await history.fit(items)).messages.filter(isOf)).toEqual([]);
});

test('a condensation that forgets an approval that waits is refused by name', async () => {
  const { history, items } = start();
  steps(items, 0, 1);
  items.push(asks('mcpr_1'));
  steps(items, 1, 4);
  const { view } = await history.fit(items);
  const [request] = view.events.filter((event) => JSON.stringify(event).includes('mcp_approval_request'));
  const condensation = {
    ...{ type: 'condensation', id: 'made', timestamp: '2026-11-26T00:00:00Z', source: 'environment' },
    forgottenEventIds: [request?.id],
  };
  const problem = { kind: 'protected', eventIds: [request?.id] };
  expect(condensationProblem(view, condensation, { protects: false })).toMatchObject(problem);
});

test('the answers to several approvals of one message go with it, wherever a list is cut', async () => {
  for (let maxSize = 6; maxSize < 16; maxSize++) {
    const condenser = amortizedForgettingCondenser({ maxSize, keepFirst: 1 });
    const items: ResponsesItem[] = [...responsesHistory(0)];
    steps(items, 0, 3);
    items.push({ type: 'reasoning', id: 'rs_asks', summary: [], encrypted_content: 'sealed' });
    items.push(asks('mcpr_1'), asks('mcpr_2'), approves('mcpr_1'), approves('mcpr_2'));
    steps(items, 3, 5);
    const { messages } = await condensedHistory({ condenser, codec: responsesItems() }).fit(items);
    expect([0, 4]).toContain(messages.filter(isOf).length);
    expect(checkResponsesRequest({ model: 'gpt-5', store: false, tools, input: messages })).toEqual([]);
  }
});

test('an answer that comes too late for a run is kept with its request', async () => {
  const items: ResponsesItem[] = [...responsesHistory(0)];
  steps(items, 0, 1);
  items.push(asks('mcpr_1'));
  steps(items, 1, 40);
  items.push(approves('mcpr_1'));
  steps(items, 40, 50);
  for (let maxSize = 20; maxSize < 120; maxSize += 20) {
    const condenser = amortizedForgettingCondenser({ maxSize, keepFirst: 1 });
    const { messages, condensations } = await condensedHistory({ condenser, codec: responsesItems() }).fit(items);
    expect(condensations.length).toBeGreaterThan(0);
    expect(checkResponsesRequest({ model: 'gpt-5', store: false, tools, input: messages })).toEqual([]);
  }
});
