import { amortizedForgettingCondenser, noOpCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { condensedHistory, field } from '@palimpsest/messages';
import { codecContract } from '@palimpsest/messages/testing';
import { agentSteps, ownToolHistory, pixel, plainHistory, richHistory } from '../test-support/agent-history.js';
import { openaiServer } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { agentItems, condensingModel } from './index.js';
import type { ModelLike } from './index.js';
import type { AgentItem } from './agent-item.js';

describe('the codec of the Agents SDK', () => {
  codecContract({ test, create: () => agentItems(), conversations: () => [plainHistory(), richHistory()] });

  it('refuses an option that does not exist at once, and knows the options of this package', () => {
    const condenser = noOpCondenser();
    const own = { conversationId: 'one', onFit: () => undefined, onPassedThrough: () => undefined };
    const model = { getResponse: () => undefined } as unknown as ModelLike;
    expect(() => condensingModel(model, { condenser, condenserTimeout: 1_000 } as never)).toThrow(
      "Did you mean 'condenserTimeoutMs'?",
    );
    expect(() => condensingModel(model, { condenser, ...own })).not.toThrow();
  });

  it('says what it does not read of another form', async () => {
    const history = condensedHistory({ condenser: noOpCondenser(), codec: agentItems() });
    for (const [item, words] of [
      [{ role: 'tool', tool_call_id: 'call_1', content: 'ok' }, "has role 'tool', which agentItems() does not read"],
      [{ type: 'function_call_output', call_id: 'call_1', output: 'ok' }, 'Use responsesItems().'],
    ] as const) {
      expect((await history.fit([{ role: 'user', content: 'Go on.' }, item])).problem?.message).toContain(words);
    }
  });

  it('keeps the items of an answer together, wherever a history is cut', async () => {
    for (const list of [plainHistory(), richHistory(), ownToolHistory()]) {
      for (let maxSize = 6; maxSize < 24; maxSize++) {
        const condenser = amortizedForgettingCondenser({ maxSize, keepFirst: 1 });
        const { messages, problem } = await condensedHistory({ condenser, codec: agentItems() }).fit(list);
        expect(problem).toBeUndefined();
        expect(tornApart(list, messages)).toEqual([]);
      }
    }
  });

  it('never forgets a compaction, nor a search that has loaded tools', async () => {
    const barriers: AgentItem[] = [
      { type: 'compaction', encrypted_content: 'sealed' },
      { type: 'tool_search_call', id: 'ts_1', arguments: { query: 'x' }, status: 'completed' },
      { type: 'tool_search_output', id: 'tso_1', tools: [{ type: 'function', name: 'x' }], status: 'completed' },
    ];
    const list = [...plainHistory(4), ...barriers, ...agentSteps(4, 30)];
    const condenser = amortizedForgettingCondenser({ maxSize: 10, keepFirst: 1 });
    const { messages } = await condensedHistory({ condenser, codec: agentItems() }).fit(list);
    expect(messages.length).toBeLessThan(list.length / 2);
    expect(messages).toEqual(expect.arrayContaining(barriers));
  });

  it('writes what was recalled as what a tool returns', () => {
    const files = [
      { type: 'input_file', file: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' },
      { type: 'input_file', file: { id: 'file_1' } },
      { type: 'file', file: { url: 'https://example.com/a.pdf' } },
    ];
    const images = [{ type: 'image', url: pixel } as const];
    expect(agentItems().result?.({ text: 'Here.', images, files, stoodInResult: false })).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'image', image: pixel },
      { type: 'file', file: { data: 'JVBERg==', mediaType: 'application/pdf', filename: 'a.pdf' } },
      { type: 'file', file: { id: 'file_1' } },
      files[2],
    ]);
  });

  it('keeps a request for approval until it is answered', async () => {
    const hosted = (data: object): AgentItem => ({
      type: 'hosted_tool_call',
      name: 'mcp',
      id: 'mcpr_1',
      providerData: data,
    });
    const asked = hosted({ type: 'mcp_approval_request', name: 'deploy', arguments: '{}' });
    const answer = hosted({ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true });
    const condenser = amortizedForgettingCondenser({ maxSize: 10, keepFirst: 1 });
    const history = condensedHistory({ condenser, codec: agentItems() });
    const list = [...plainHistory(4), asked, ...agentSteps(4, 30)];
    expect((await history.fit(list)).messages).toContain(asked);
    list.push(answer);
    expect((await history.fit(list)).messages).toEqual(expect.arrayContaining([asked, answer]));
  });

  it('masks what a tool with its own types has printed, in the form of the tool', async () => {
    const list = ownToolHistory();
    const condenser = observationMaskingCondenser({ attentionWindow: 2 });
    const { messages } = await condensedHistory({ condenser, codec: agentItems() }).fit(list);
    expect(messages).toHaveLength(list.length);
    const ofType = (type: string) => messages.filter((item) => field(item, 'type') === type);
    // The API takes no other form of these.
    for (const type of ['computer_call', 'shell_call', 'apply_patch_call', 'computer_call_result']) {
      expect(ofType(type).every((item) => list.includes(item))).toBe(true);
    }
    const [shell, patch] = [ofType('shell_call_output')[0], ofType('apply_patch_call_output')[0]];
    expect(shell).toMatchObject({ output: [{ stderr: '', outcome: { type: 'exit', exitCode: 0 } }] });
    expect(JSON.stringify(shell)).toContain('is hidden');
    expect(field(patch, 'output')).toContain('is hidden');
  });
});

it('sends the newest of two results of a call, with a call of its own once the first was read', async () => {
  const server = await openaiServer({ reply: () => ({ message: { role: 'assistant', content: 'Yes.' } }) });
  onTestFinished(() => server.close());
  const result = (text: string): AgentItem => ({
    ...{
      type: 'function_call_result',
      callId: 'job',
      name: 'read',
      status: 'completed',
      output: { type: 'text', text },
    },
  });
  const content = [{ type: 'output_text', text: 'I wait.' }];
  const list: AgentItem[] = [
    { role: 'user', content: 'Go.' },
    { type: 'function_call', id: 'fc_1', callId: 'job', name: 'read', arguments: '{}', status: 'completed' },
    ...[result('It runs.'), result('Half of it runs.')],
    { type: 'message', role: 'assistant', status: 'completed', content },
    ...[result('Nearly.'), result('It is done.')],
  ];
  const { messages } = await condensedHistory({ condenser: noOpCondenser(), codec: agentItems() }).fit(list);
  const input = messages.map((item) => {
    const { callId: call_id, name, output, ...rest } = item as Record<string, unknown>;
    if (output !== undefined) return { type: 'function_call_output', call_id, output: field(output, 'text') };
    return call_id === undefined ? rest : { ...rest, call_id, name };
  });
  const tools = [{ type: 'function', name: 'read', parameters: { type: 'object' }, strict: false }];
  const body = JSON.stringify({ model: 'gpt-5', store: false, input, tools });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer key' };
  const response = await fetch(`${server.baseURL}/responses`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({ object: 'response' });
  for (const text of ['Half of it runs.', 'I wait.', 'It is done.']) expect(body).toContain(text);
  for (const text of ['It runs.', 'Nearly.']) expect(body).not.toContain(text);
});

/** Returns what a server refuses in a shortened list: results and reasoning without what they belong to, halves of a pair. */
function tornApart(before: readonly AgentItem[], after: readonly AgentItem[]): readonly string[] {
  const partner = (item: AgentItem, list: readonly AgentItem[]) => {
    const id = field(item, 'callId');
    return id === undefined ? 0 : list.filter((other) => field(other, 'callId') === id).length;
  };
  const torn = after.filter((item) => before.includes(item) && partner(item, before) !== partner(item, after));
  const reasoning = before.flatMap((item, index) => {
    if (field(item, 'type') !== 'reasoning') return [];
    const next = before[index + 1] as AgentItem;
    return after.includes(item) === after.includes(next) ? [] : [item];
  });
  const approvals = after.filter((item) => String(field(item, 'name')).startsWith('mcp_approval'));
  return [...torn, ...reasoning, ...(approvals.length === 1 ? approvals : [])].map((item) => JSON.stringify(item));
}
