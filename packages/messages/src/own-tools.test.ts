import type Anthropic from '@anthropic-ai/sdk';
import { extractiveSummaryCondenser, noOpCondenser } from '@palimpsest/condensers';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import { historyTools } from './tools/index.js';

const codec = chatMessages();

function calling(list: ChatMessage[], name: string, input: object): string {
  const id = `call_own_${list.length}`;
  list.push({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
  });
  return id;
}

describe('the tools of a history', () => {
  it('are declared in the form of the host', () => {
    const named = (tools: readonly object[]) => JSON.stringify(tools.map((tool) => Object.keys(tool)));
    const [chat, anthropic, responses] = [chatMessages(), anthropicMessages(), responsesItems()].map(
      (one) =>
        condensedHistory({
          condenser: noOpCondenser(),
          codec: one as typeof codec,
          historyTools: historyTools({ relevance: true }),
        }).tools,
    );
    expect(named(chat ?? [])).toBe('[["type","function"],["type","function"]]');
    expect(anthropic).toMatchObject([
      { name: 'recall', input_schema: { type: 'object' } },
      { name: 'relevance_condenser' },
    ]);
    expect(responses).toMatchObject([{ type: 'function', name: 'recall' }, { name: 'relevance_condenser' }]);
  });

  it('are of the types that the SDKs take', () => {
    const condenser = noOpCondenser();
    const chat: OpenAI.Chat.ChatCompletionTool[] = [
      ...condensedHistory({ condenser, codec, historyTools: historyTools() }).tools,
    ];
    const anthropic: Anthropic.Tool[] = [
      ...condensedHistory({ condenser, codec: anthropicMessages(), historyTools: historyTools() }).tools,
    ];
    const responses: OpenAI.Responses.Tool[] = [
      ...condensedHistory({ condenser, codec: responsesItems(), historyTools: historyTools() }).tools,
    ];
    expect([chat, anthropic, responses].map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  it('returns what a condensation has hidden', async () => {
    const history = condensedHistory({
      condenser: extractiveSummaryCondenser({ maxSize: 30, keepFirst: 2 }),
      codec,
      historyTools: historyTools(),
    });
    const list = chatHistory(30);
    (list[5] as { content: string }).content = 'The secret of the third file is a zebra.';
    const { messages } = await history.fit(list);
    expect(JSON.stringify(messages.slice(3))).not.toContain('is a zebra');
    const id = calling(list, 'recall', { query: 'secret zebra' });
    const answer = await history.answerTo(id, list);
    expect(answer).toMatchObject({ isError: false });
    expect(answer?.text).toContain('is a zebra');
    list.push({ role: 'tool', tool_call_id: id, content: answer?.text ?? '' });
    expect((await history.fit(list)).messages.at(-1)).toBe(list.at(-1));

    expect(await history.answerTo('call_0_0', list)).toBeUndefined();
    expect(await history.answerTo('no such call', list)).toBeUndefined();
    const wrong = calling(list, 'recall', { page: 'one' });
    expect(await history.answerTo(wrong, list)).toMatchObject({ isError: true });
  });

  it('redacts what the model has marked, in every process that reads the list, and only that', async () => {
    const options = { condenser: noOpCondenser(), codec, historyTools: historyTools({ relevance: true }) } as const;
    const history = condensedHistory(options);
    const list = chatHistory(8, 300);
    const first = await history.fit(list);
    const labels = first.messages.flatMap(({ role, content }) =>
      role === 'tool' ? (/\[event_id: (\w+)\]$/.exec(typeof content === 'string' ? content : '')?.[1] ?? 'none') : [],
    );
    expect(new Set(labels).size).toBe(list.filter(({ role }) => role === 'tool').length);
    expect(JSON.stringify(list).includes('event_id')).toBe(false);

    const id = calling(list, 'relevance_condenser', { event_id: labels[1], summary_text: 'Nothing in it.' });
    const answer = await history.answerTo(id, list);
    expect(answer).toMatchObject({ isError: false });
    list.push({ role: 'tool', tool_call_id: id, content: answer?.text ?? '' });
    list.push({ role: 'user', content: 'Go on.' });
    const here = await history.fit(list);
    const elsewhere = await condensedHistory(options).fit(structuredClone(list));
    expect(JSON.stringify(elsewhere.messages)).toBe(JSON.stringify(here.messages));
    const changed = here.messages.flatMap((message, index) =>
      JSON.stringify(message) === JSON.stringify(first.messages[index]) ? [] : [index],
    );
    expect(changed).toEqual([5, list.length - 3, list.length - 2, list.length - 1]);
    expect(here.messages[5]?.content).toContain('Nothing in it.');
    expect(here.messages[4]).toBe(list[4]);
  });

  it('takes no refused call for a directive', async () => {
    const history = condensedHistory({
      condenser: noOpCondenser(),
      codec,
      historyTools: historyTools({ relevance: true }),
    });
    const list = chatHistory(8, 300);
    const before = (await history.fit(list)).messages;
    const id = calling(list, 'relevance_condenser', { event_id: 'nothing', summary_text: 'Gone.' });
    const answer = await history.answerTo(id, list);
    expect(answer).toMatchObject({ isError: true });
    list.push({ role: 'tool', tool_call_id: id, content: answer?.text ?? '' });
    expect((await history.fit(list)).messages.slice(0, before.length)).toEqual(before);
  });
});
