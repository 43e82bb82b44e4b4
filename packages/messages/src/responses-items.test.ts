import { checkResponsesRequest } from '@palimpsest/provider-servers';
import { describe, expect, it, test } from 'vitest';
import { responsesHistory, richResponsesHistory } from '../test-support/responses-loop.js';
import { condensedHistory, responsesItems } from './index.js';
import { codecContract } from './testing/index.js';
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
});
