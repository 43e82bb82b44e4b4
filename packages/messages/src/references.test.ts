import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { memoryEventStore } from '@palimpsest/events';
import { expect, it } from 'vitest';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { chatMessages, condensedHistory } from './index.js';

/** What Qwen Code answers to a second read of a file that it believes to stand in the conversation. */
const reference = (path: string) =>
  `[File ${path} unchanged since last read in this session — the full content was provided earlier in this conversation. If you cannot retrieve that prior content, re-read with explicit offset/limit to fetch current content.]`;
const text = Array.from({ length: 40 }, (_, line) => `const line${line} = ${line};`).join('\n');

let calls = 0;

/** Adds a call and its result. */
function call(list: ChatMessage[], name: string, input: object, content: string): void {
  const id = `own_${calls++}`;
  const toolCall = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(input) } };
  list.push({ role: 'assistant', content: null, tool_calls: [toolCall] }, { role: 'tool', tool_call_id: id, content });
}

function make(store = memoryEventStore()) {
  const condenser = amortizedForgettingCondenser({ maxSize: 20 });
  return condensedHistory({ condenser, codec: chatMessages(), store });
}

/** A list that goes on until a read of a file is hidden. */
async function hiddenRead(history: ReturnType<typeof make>, after: (list: ChatMessage[]) => void = () => undefined) {
  const list = chatHistory(1);
  call(list, 'read', { path: '/work/src/a.ts' }, text);
  after(list);
  for (let step = 2; step < 30; step++) {
    addChatStep(list, step);
    const { messages } = await history.fit(list);
    if (!JSON.stringify(messages).includes('line39')) return list;
  }
  throw new Error('Nothing was hidden.');
}

it('a result that refers to a hidden one brings its text, in the same place at every later request and after a restart', async () => {
  const store = memoryEventStore();
  const history = make(store);
  const list = await hiddenRead(history);
  call(list, 'read', { path: '/work/src/a.ts' }, reference('src/a.ts'));
  const fitted = await history.fit(list);
  expect(fitted.messages.at(-1)).toEqual({ ...list.at(-1), content: text });
  addChatStep(list, 40);
  const next = await history.fit(list);
  expect(next.messages.slice(0, fitted.messages.length)).toEqual(fitted.messages);
  expect((await make(store).fit(list)).messages).toEqual(next.messages);
  // While that stands there, the next sentence is true.
  call(list, 'read', { path: '/work/src/a.ts' }, reference('src/a.ts'));
  expect((await history.fit(list)).messages.at(-1)).toEqual(list.at(-1));
  // Once it is hidden, too, it comes again.
  for (let step = 50; step < 80; step++) {
    addChatStep(list, step);
    const { messages } = await history.fit(list);
    if (!JSON.stringify(messages).includes('line39')) break;
  }
  call(list, 'read', { path: '/work/src/a.ts' }, reference('src/a.ts'));
  expect((await history.fit(list)).messages.at(-1)).toEqual({ ...list.at(-1), content: text });
});

it('a sentence stays where its text is shown, where another file was read, and in a list that is not condensed', async () => {
  const whole = chatHistory(1);
  call(whole, 'read', { path: '/work/src/a.ts' }, text);
  call(whole, 'read', { path: '/work/src/a.ts' }, reference('src/a.ts'));
  const history = make();
  expect((await history.fit(whole)).messages).toEqual(whole);
  const list = await hiddenRead(history);
  call(list, 'read', { path: '/work/src/b.ts' }, reference('src/b.ts'));
  expect((await history.fit(list)).messages.at(-1)).toEqual(list.at(-1));
});

it('text that may be stale is not brought back', async () => {
  const history = make();
  // The newest read names the file in another way, and the file was edited before it.
  const list = await hiddenRead(history, (before) => {
    call(before, 'edit', { file: 'src/a.ts', old: 'line1', new: 'line2' }, 'Done.');
    call(before, 'read', { path: 'src/a.ts' }, 'Other text.');
  });
  call(list, 'read', { path: '/work/src/a.ts' }, reference('src/a.ts'));
  expect((await history.fit(list)).messages.at(-1)).toEqual(list.at(-1));
  call(list, 'read', { path: 'src/a.ts' }, reference('src/a.ts'));
  expect((await history.fit(list)).messages.at(-1)).toEqual({ ...list.at(-1), content: 'Other text.' });
});
