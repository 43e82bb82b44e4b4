import {
  amortizedForgettingCondenser,
  extractiveSummaryCondenser,
  pricedCondenser,
  recentEventsCondenser,
} from '@palimpsest/condensers';
import { condensation, protectedEventIds } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { createEvent } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { addAnthropicStep } from '../test-support/anthropic-loop.js';
import type { AnthropicMessage } from '../test-support/anthropic-loop.js';
import { addChatStep } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import { addResponsesStep } from '../test-support/responses-loop.js';
import { claudeCode, codex, qwen } from '../test-support/set-up.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import type { Codec } from './index.js';
import { historyTools } from './tools/index.js';

/** Forgets all that a host lets it forget, the user's words too. */
const greedy: Condenser = {
  name: 'greedy',
  protects: false,
  condense: (view) => {
    const kept = protectedEventIds(view, { userWords: false });
    const going = view.events.slice(0, -4).filter(({ id }) => !kept.has(id));
    return going.length < 20 ? view : createEvent('condensation', { forgottenEventIds: going.map(({ id }) => id) });
  },
};

const condensers: readonly (readonly [string, Condenser])[] = [
  ['the default policy', pricedCondenser()],
  ['a summary by rule', extractiveSummaryCondenser({ maxSize: 20, keepFirst: 0 })],
  ['forgetting without a summary', amortizedForgettingCondenser({ maxSize: 20, keepFirst: 0 })],
  ['a view of the newest events', recentEventsCondenser({ maxSize: 20, keepFirst: 0 })],
  ['a condenser that keeps less', greedy],
];

interface Host<Message extends object> {
  readonly codec: Codec<Message>;
  readonly setUp: { readonly messages: readonly Message[]; readonly marks: readonly string[] };
  readonly step: (list: Message[], step: number) => void;
}

async function fitted<Message extends object>({ codec, setUp, step }: Host<Message>, condenser: Condenser) {
  const history = condensedHistory({ condenser, codec, contextWindow: 12_000, maxOutputTokens: 1_000 });
  const list = [...setUp.messages];
  let isCondensed = false;
  for (let index = 0; index < 60; index++) {
    step(list, index);
    const { messages, problem, state } = await history.fit(list);
    expect(problem).toBeUndefined();
    isCondensed ||= state === 'condensed';
    const sent = JSON.stringify(messages);
    for (const mark of setUp.marks) expect(sent, `step ${index}`).toMatch(new RegExp(`${mark}-begins.*${mark}-ends`));
  }
  expect(isCondensed).toBe(true);
}

describe.each(condensers)('what a host puts before the first answer stays: %s', (_, condenser) => {
  it('Claude Code: the reminder with CLAUDE.md, and a system message in the middle', () =>
    fitted(
      {
        codec: anthropicMessages() as Codec<AnthropicMessage>,
        setUp: claudeCode,
        step: (list, index) => addAnthropicStep(list, index, 140),
      },
      condenser,
    ));

  it('Codex: AGENTS.md, its environment, and what a developer message says', () =>
    fitted(
      { codec: responsesItems(), setUp: codex, step: (list, index) => addResponsesStep(list as never, index, 140) },
      condenser,
    ));

  it('Qwen Code: the message about the folder', () =>
    fitted(
      {
        codec: chatMessages(),
        setUp: qwen,
        step: (list, index) => addChatStep(list as ChatMessage[], index, 140),
      },
      condenser,
    ));
});

const forgetting: Condenser = {
  name: 'forgetting',
  condense: (view) => (view.events.length < 60 ? view : condensation({ view, end: view.events.length - 4 })),
};

it('of later reminders and instructions the newest of each kind stays', async () => {
  const history = condensedHistory({ condenser: forgetting, codec: anthropicMessages() });
  const list: AnthropicMessage[] = [...claudeCode.messages];
  const remind = (text: string): void => {
    const last = list.at(-1)?.content as unknown[];
    last.push({ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` });
  };
  for (let index = 0; index < 24; index++) {
    addAnthropicStep(list, index);
    if (index % 4 === 0) remind(`The list of tasks has not been used for some time. Look at it: ${index} steps.`);
    if (index === 3) remind('The file src/a.ts was changed by the user.');
    if (index % 8 === 1)
      list.push({ role: 'system', content: `# Budget\nDo not spend more than is left: ${index}.` } as never);
  }
  const { messages, condensations } = await history.fit(list);
  expect(condensations.length).toBeGreaterThan(0);
  const sent = JSON.stringify(messages);
  for (const text of ['Look at it: 20 steps', 'src/a.ts was changed', 'than is left: 17']) expect(sent).toContain(text);
  for (const text of ['Look at it: 8 steps', 'than is left: 9']) expect(sent).not.toContain(text);
});

it('a message in the middle of a run does not take the protection from the task', async () => {
  const history = condensedHistory({ condenser: forgetting, codec: chatMessages() });
  const list: { role: string; content?: string }[] = [
    { role: 'user', content: 'Say hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Mend the parser.' },
  ];
  for (let index = 0; index < 60; index++) {
    addChatStep(list as ChatMessage[], index);
    if (index === 9) list.push({ role: 'user', content: 'Leave the tests alone.' });
    if (index % 5 === 0) list.push({ role: 'user', content: 'Continue.' });
  }
  const { messages } = await history.fit(list);
  const users = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  expect(users).toEqual(['Say hello.', 'Mend the parser.', 'Leave the tests alone.', 'Continue.']);
});

it("is sent also where a condenser's view hides it", async () => {
  const hiding: Condenser = {
    name: 'hiding',
    rewritesEveryStep: true,
    condense: (view) => view.without(new Set(view.events.slice(0, -6).map(({ id }) => id))),
  };
  const list: AnthropicMessage[] = [...claudeCode.messages];
  for (let index = 0; index < 9; index++) addAnthropicStep(list, index);
  const { messages, problem } = await condensedHistory({ condenser: hiding, codec: anthropicMessages() }).fit(list);
  expect(problem).toBeUndefined();
  expect(messages.length).toBeLessThan(list.length);
  for (const mark of claudeCode.marks) expect(JSON.stringify(messages)).toContain(`${mark}-ends`);
});

it('a first message larger than the window is cut when the provider has refused it, and recall shows all', async () => {
  const history = condensedHistory({
    condenser: pricedCondenser(),
    codec: chatMessages(),
    historyTools: historyTools(),
    contextWindow: 32_000,
  });
  const content = `BEGIN ${'word '.repeat(60_000)}ZEBRA ${'word '.repeat(60_000)}END`;
  const list: ChatMessage[] = [{ role: 'user', content }];
  const sizes: number[] = [];
  const sent = await history.withOverflow(list, (messages) => {
    sizes.push(JSON.stringify(messages).length);
    const message =
      'This model has a maximum context length of 32000 tokens. However, your messages resulted in 150002 tokens.';
    if (sizes.length === 1) throw Object.assign(new Error(message), { status: 400, code: 'context_length_exceeded' });
    return Promise.resolve(messages);
  });
  expect(sent).toHaveLength(1);
  expect(sent[0]?.content).toMatch(/^BEGIN word.*its address is \w{8} .*word END$/s);
  expect(sizes[1]).toBeLessThan(45_000);
  expect(sent[0]?.content).not.toContain('ZEBRA');

  const address = /its address is (\w{8})/.exec(JSON.stringify(sent[0]))?.[1];
  const call = { name: 'recall', arguments: JSON.stringify({ query: 'ZEBRA' }) };
  list.push({ role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: call }] });
  const answer = await history.answerTo('call_1', list);
  expect(answer).toMatchObject({ isError: false });
  expect(answer?.text).toContain(`${address}: message of the user`);
});

it('a refusal that no smaller list can answer is the answer of the call, after one request', async () => {
  const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), contextWindow: 8_000 });
  const list: ChatMessage[] = [
    { role: 'system', content: 'rule '.repeat(20_000) },
    { role: 'user', content: 'Begin.' },
  ];
  let requests = 0;
  const refused = history.withOverflow(list, () => {
    requests++;
    const message = 'maximum context length of 8000 tokens. However, your messages resulted in 20010 tokens.';
    throw Object.assign(new Error(message), { status: 400, code: 'context_length_exceeded' });
  });
  await expect(refused).rejects.toThrow('maximum context length');
  expect(requests).toBe(1);
});
