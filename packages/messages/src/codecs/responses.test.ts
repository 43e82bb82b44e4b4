import { checkResponsesRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it, test } from 'vitest';
import { responsesHistory, richResponsesHistory } from '../../test-support/responses-loop.js';
import { condensedHistory, responsesItems } from '../index.js';
import { codecContract } from '../testing/index.js';
import { noOpCondenser } from '@palimpsest/condensers';

const tools = ['read', 'look', 'apply_patch'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
}));

describe('the codec of the Responses API', () => {
  codecContract({
    test,
    create: () => responsesItems(),
    conversations: () => [responsesHistory(14), richResponsesHistory()],
    problems: (input) =>
      checkResponsesRequest({ model: 'gpt-6.2-sol', store: false, tools, input })
        .filter(({ rule }) => rule !== 'C5' && rule !== 'C10')
        .map(({ rule, path, message }) => `${rule} ${path} ${message}`),
  });

  it('makes one batch of the items of an answer, and keeps an approval with its request', async () => {
    const list = richResponsesHistory();
    const { view } = await condensedHistory({ condenser: noOpCondenser(), codec: responsesItems() }).fit(list);
    const actions = [...view.events].filter((event) => event.type === 'action');
    expect(new Set(actions.map(({ llmResponseId }) => llmResponseId)).size).toBe(11);
    const request = [...view.events].findIndex((event) => JSON.stringify(event).includes('mcp_approval_request'));
    expect(request).toBeGreaterThan(0);
    expect(view.cutPoints.has(request)).toBe(true);
    expect(view.cutPoints.has(request + 1)).toBe(false);
    expect(view.cutPoints.has(request + 2)).toBe(true);
  });

  it('changes the items of a shell, a patch and a computer only where the API takes another form', () => {
    const codec = responsesItems();
    const calls = new Map([['c', { arguments: '{}' }]]);
    const results = new Map([['c', { content: [{ type: 'text' as const, text: 'masked' }] }]]);
    const ask = { call_id: 'c', type: 'shell_call', action: { commands: ['ls'] } };
    expect(codec.changed(ask, { calls })).toBe(ask);
    const screenshot = {
      call_id: 'c',
      type: 'computer_call_output',
      output: { type: 'computer_screenshot', image_url: 'data:,' },
    };
    expect(codec.changed(screenshot, { results })).toBe(screenshot);
    const outcome = { type: 'exit', exit_code: 2 };
    const shell = { call_id: 'c', type: 'shell_call_output', output: [{ outcome, stderr: 'no', stdout: 'long' }] };
    expect(codec.changed(shell, { results })).toEqual({
      ...shell,
      output: [{ outcome, stderr: '', stdout: 'masked' }],
    });
    const labels = new Map([['c', { line: '[1]' }]]);
    expect(codec.changed(shell, { results: labels })).toEqual({
      ...shell,
      output: [{ outcome, stderr: 'no', stdout: 'long\n[1]' }],
    });
    const patch = { call_id: 'c', type: 'apply_patch_call_output', status: 'completed', output: 'Done.' };
    expect(codec.changed(patch, { results })).toEqual({ ...patch, output: 'masked' });
    const called = { call_id: 'c', type: 'function_call', name: 'run', arguments: '{"a":1}' };
    expect(codec.changed(called, { calls })).toEqual({ ...called, arguments: '{}' });
  });
});
