import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Message } from '@palimpsest/events';
import { isMeaningful } from '@palimpsest/events';
import { checkChatCompletionsRequest, checkResponsesRequest } from '@palimpsest/provider-servers/rules';
import type OpenAI from 'openai';
import { describe, expect, it, test } from 'vitest';
import { eventsFromMessages } from './chat/events.js';
import { fewer } from '../../test-support/fewer.js';
import { messagesOfLog } from '../../test-support/messages-of-log.js';
import { eventsFromResponseItems } from './responses/events.js';
import { toResponsesRequest } from './responses/request.js';
import { serverProfile } from './server-profile.js';
import { toChatCompletionsRequest } from './chat/request.js';

// What comes back is what went in, but for what is stated here: instructions are one system message, text in parts is one
// string with blank lines, neighbouring user messages are one, and a message that says nothing is left out.

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
type Item = OpenAI.Responses.ResponseInputItem;

const model = 'gpt-4o';
const backToChat = (messages: readonly ChatMessage[], server = serverProfile('openai')) =>
  toChatCompletionsRequest({ messages: messagesOfLog(eventsFromMessages(messages)) }, { model, server });
const backToItems = (items: readonly Item[]) =>
  toResponsesRequest({ messages: messagesOfLog(eventsFromResponseItems(items)) }, { model: 'gpt-6-sol' });

describe('a history of Chat Completions, to events and back', () => {
  it('is the same', () => {
    const data = 'data:image/png;base64,iVBO';
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Look into a and b.' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path": "a"}' } },
          { id: 'call_2', type: 'function', function: { name: 'read', arguments: '{"path": "b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'first' },
      { role: 'tool', tool_call_id: 'call_2', content: '' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_3', type: 'function', function: { name: 'ls', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_3', content: 'a\nb' },
      { role: 'assistant', content: 'Two files.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: data } },
        ],
      },
    ];
    expect(backToChat(messages).messages).toEqual(messages);
  });

  it('keeps what compatible servers want back', () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } };
    const start: ChatMessage[] = [{ role: 'user', content: 'Go.' }];
    const result: ChatMessage = { role: 'tool', tool_call_id: 'call_1', content: 'a' };
    const thought = { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call] } as ChatMessage;
    expect(backToChat([...start, thought, result], serverProfile('deepseek')).messages[1]).toEqual(thought);
    const signed = {
      role: 'assistant',
      content: 'Well.',
      tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'abc' } } }],
    } as unknown as ChatMessage;
    expect(backToChat([...start, signed, result], serverProfile('gemini')).messages[1]).toEqual(signed);
  });

  it('has one system message and one user message where there were more', () => {
    const messages: ChatMessage[] = [
      { role: 'developer', content: 'Be short.' },
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', content: 'Hello.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Are you' },
          { type: 'text', text: 'there?' },
        ],
      },
      { role: 'assistant', content: '' },
      { role: 'system', content: 'It is Monday.' },
    ];
    expect(backToChat(messages).messages).toEqual([
      { role: 'system', content: 'Be short.\n\nBe kind.' },
      { role: 'user', content: 'Hello.\n\nAre you\n\nthere?\n\nIt is Monday.' },
    ]);
  });
});

describe('a history of the Responses API, to events and back', () => {
  const reasoning = (id: string): Item => ({
    type: 'reasoning',
    id: `rs_${id}`,
    summary: [{ type: 'summary_text', text: `Thinking ${id}.` }],
    encrypted_content: `encrypted-${id}`,
  });
  const call = (id: string): Item => ({ type: 'function_call', call_id: id, name: 'ls', arguments: '{}' });
  const output = (call_id: string, text = 'a'): Item => ({ type: 'function_call_output', call_id, output: text });
  const says = (text: string, phase: 'commentary' | 'final_answer') =>
    ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
      phase,
    }) as unknown as Item;
  const user = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

  it('is the same, reasoning where it stood', () => {
    const items = [
      user('Go.'),
      reasoning('1'),
      says('I look.', 'commentary'),
      reasoning('2'),
      call('call_1'),
      call('call_2'),
      reasoning('3'),
      call('call_3'),
      output('call_1'),
      output('call_2'),
      output('call_3', ''),
      reasoning('4'),
      says('Done.', 'final_answer'),
      user('Thanks.'),
    ];
    expect(backToItems(items).input).toEqual(items);
  });

  it('leaves out the ids of messages and calls, and reasoning that led to nothing or cannot be read', () => {
    const items = [
      user('Go.'),
      { ...reasoning('1'), encrypted_content: null },
      { ...says('Yes.', 'commentary'), id: 'msg_1', status: 'completed' },
      reasoning('2'),
      { ...call('call_1'), id: 'fc_1', status: 'completed' },
      reasoning('3'),
      output('call_1'),
    ] as Item[];
    const log = eventsFromResponseItems(items);
    expect(JSON.stringify(log)).toContain('encrypted-3');
    expect(backToItems(items).input).toEqual([
      user('Go.'),
      says('Yes.', 'commentary'),
      reasoning('2'),
      call('call_1'),
      output('call_1'),
    ]);
  });
});

const words = fc.stringMatching(/^[a-z]{1,8}$/);
const image = fc.constant({ type: 'image' as const, url: 'data:image/png;base64,iVBO' });
const text = words.map((said) => ({ type: 'text' as const, text: said }));
/** Neutral histories as a view renders them, for both ways of writing them down. */
const turn = fc.record({
  said: fc.array(text, { maxLength: 2 }),
  results: fc.array(fc.array(fc.oneof(text, image), { maxLength: 2 }), { maxLength: 3 }),
  asked: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 2 }),
});
const history = fc.array(turn, { maxLength: 5 }).map((turns): readonly Message[] =>
  turns.flatMap(({ said, results, asked }, index): readonly Message[] => {
    const calls = results.map((_, place) => ({ id: `call_${index}_${place}`, name: 'run', arguments: '{"a": 1}' }));
    const ids = calls.map(({ id }) => id);
    const content = said.length + calls.length === 0 ? [{ type: 'text' as const, text: 'well' }] : said;
    const answer: Message = { role: 'assistant', content, ...(calls.length === 0 ? {} : { toolCalls: calls }) };
    return [
      { role: 'user', content: asked },
      answer,
      ...results.map((content, place): Message => ({
        role: 'tool',
        toolCallId: ids[place] ?? '',
        toolName: 'run',
        content,
      })),
    ];
  }),
);

describe('any history', () => {
  test('goes through the Responses API unchanged', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const { input } = toResponsesRequest({ messages }, { model });
        const again = messagesOfLog(eventsFromResponseItems(input as Item[]));
        expect(toResponsesRequest({ messages: again }, { model }).input).toEqual(input);
      }),
      { seed: 20_261_123, numRuns: fewer(100) },
    );
  });

  test('goes through Chat Completions unchanged', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const sent = toChatCompletionsRequest({ messages }, { model }).messages;
        expect(backToChat(sent).messages).toEqual(mergedUsers(sent));
      }),
      { seed: 20_261_123, numRuns: fewer(100) },
    );
  });
});

/** Images of results and the user's next words are two messages when they are made, and one when they are read. */
function mergedUsers(messages: readonly ChatMessage[]): ChatMessage[] {
  const parts = (content: ChatMessage['content']) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : ((content ?? []) as never[]);
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role !== 'user' || last?.role !== 'user') merged.push(message);
    else {
      const all = [...parts(last.content), ...parts(message.content)] as OpenAI.Chat.ChatCompletionContentPartText[];
      const isText = all.every(({ type }) => type === 'text');
      last.content = isText ? all.map((part) => part.text).join('\n\n') : all;
    }
  }
  return merged;
}

const folder = process.env['PALIMPSEST_TRAJECTORIES'];
const chatFolders = ['tau-bench', 'openhands-swegym', 'swe-smith', 'webdancer'];

describe.skipIf(folder === undefined)('the real sessions that PALIMPSEST_TRAJECTORIES names', () => {
  it.each(chatFolders)('%s, Chat Completions', (name) => {
    const files = readdirSync(join(folder ?? '', name)).filter(
      (file) => file.endsWith('.json') && file !== 'manifest.json',
    );
    let checked = 0;
    for (const file of files) {
      const session = JSON.parse(readFileSync(join(folder ?? '', name, file), 'utf8')) as Record<string, unknown>;
      const messages = session.traj ?? session.messages;
      if (!Array.isArray(messages)) continue;
      // A session that ends with a call has no result for it, and a view leaves it out.
      while ((messages.at(-1) as { tool_calls?: unknown } | undefined)?.tool_calls) messages.pop();
      const body = backToChat(messages as ChatMessage[]);
      expect(numbered(body.messages), file).toEqual(numbered(normalised(messages as ChatMessage[])));
      expect(checkChatCompletionsRequest(body), file).toEqual([]);
      const asItems = toResponsesRequest(
        { messages: messagesOfLog(eventsFromMessages(messages as ChatMessage[])) },
        { model },
      );
      expect(checkResponsesRequest(asItems), file).toEqual([]);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(0);
  });

  it('codex-entire, Responses', () => {
    const files = readdirSync(join(folder ?? '', 'codex-entire')).filter((file) => file.endsWith('.jsonl'));
    for (const file of files) {
      const items = readFileSync(join(folder ?? '', 'codex-entire', file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string; payload: Item })
        .filter(({ type }) => type === 'response_item')
        .map(({ payload }) => payload);
      const log = eventsFromResponseItems(items);
      const counts = (type: string) => log.filter((event) => event.type === type).length;
      const isCall = ({ type }: Item) => type === 'function_call' || type === 'custom_tool_call';
      expect(counts('action'), file).toBe(items.filter(isCall).length);
      const outputs = items.filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output');
      expect(counts('observation'), file).toBe(outputs.length);
      const reasoning = log.flatMap((event) => ('reasoningItems' in event ? (event.reasoningItems as object[]) : []));
      expect(reasoning.length, file).toBe(items.filter(({ type }) => type === 'reasoning').length);
      const body = toResponsesRequest({ messages: messagesOfLog(log) }, { model: 'gpt-6-sol' });
      // A session that was interrupted has calls without results, which a view leaves out.
      const open = new Set(items.filter(isCall).map((item) => (item as { call_id: string }).call_id));
      for (const item of outputs) open.delete((item as { call_id: string }).call_id);
      const found = checkResponsesRequest(body).filter(({ rule }) => open.size === 0 || rule !== 'C7');
      expect(found, file).toEqual([]);
    }
    expect(files.length).toBeGreaterThan(0);
  });
});

/** Ids in the order of their calls: some recorded sessions use an id twice, and the second use gets another. */
function numbered(messages: readonly ChatMessage[]): readonly unknown[] {
  let count = 0;
  const latest = new Map<string, number>();
  const numberOf = (id: string) => {
    latest.set(id, ++count);
    return count;
  };
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: latest.get(message.tool_call_id) };
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: numberOf(call.id) })) };
  });
}

/** A recorded history in the form that the adapter gives every history. */
function normalised(messages: readonly ChatMessage[]): ChatMessage[] {
  const sent: ChatMessage[] = [];
  for (const { role, content, ...rest } of messages as {
    role: string;
    content: unknown;
    tool_calls?: object[] | null;
    tool_call_id?: string;
  }[]) {
    const texts =
      typeof content === 'string' ? [content] : ((content ?? []) as { text: string }[]).map(({ text: said }) => said);
    const said = texts.filter((value) => isMeaningful({ type: 'text', text: value })).join('\n\n');
    const calls = (rest.tool_calls ?? []).map((call) => {
      const { id, function: called } = call as { id: string; function: object };
      return { id, type: 'function', function: called };
    });
    const last = sent.at(-1);
    if (role === 'tool') sent.push({ role, content: said, tool_call_id: rest.tool_call_id ?? '' });
    else if (calls.length > 0)
      sent.push({ role: 'assistant', content: said === '' ? null : said, tool_calls: calls as never });
    else if (said === '') continue;
    else if (role === 'user' && last?.role === 'user') last.content = `${last.content as string}\n\n${said}`;
    else sent.push({ role, content: said } as ChatMessage);
  }
  return sent;
}
