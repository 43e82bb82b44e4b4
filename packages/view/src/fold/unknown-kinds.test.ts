import { parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { View, estimateTokens, protectedEventIds } from '../index.js';
import { messageViolations } from '../testing/message-violations.js';
import { outline } from '../testing/outline.js';

/** Events as they come from a file that another version wrote: nothing here is known to TypeScript. */
function logOf(...events: readonly Readonly<Record<string, unknown>>[]): readonly Event[] {
  return events.map((event, index) =>
    parseEvent({ id: `e${index}`, timestamp: '2026-01-01T00:00:00Z', source: 'agent', ...event }),
  );
}

const text = (words: string) => ({ type: 'text', text: words });
const message = (source: string, role: string, ...content: readonly unknown[]) => ({
  type: 'message',
  source,
  role,
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
});
const action = (call: string, fields: object = {}) => ({
  type: 'action',
  thought: [],
  toolCall: { id: call, name: 'run', arguments: '{}' },
  llmResponseId: `response-${call}`,
  ...fields,
});
const observation = (call: string, ...content: readonly unknown[]) => ({
  type: 'observation',
  source: 'environment',
  toolName: 'run',
  toolCallId: call,
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
});
const audio = { type: 'audio', data: 'AA==' };
const signed = (thinking: string) => ({ type: 'thinking', thinking, signature: `signed ${thinking}` });

const notesOf = (view: View) => [...view.notes].map(({ eventId, note }) => `${eventId}: ${note}`);

test('an unknown source changes nothing of what is sent, and is not the user', () => {
  const log = (source: string) =>
    logOf(message('user', 'user', 'task'), message(source, 'user', 'hint'), message('agent', 'assistant', 'ok'));
  const view = View.fromEvents(log('hook'));
  expect(view.toMessages()).toEqual(View.fromEvents(log('environment')).toMessages());
  expect([...protectedEventIds(view)]).toEqual(['e0']);
  expect([...view.leftOut]).toEqual([]);
  expect(notesOf(view)).toEqual([
    "e1: this version does not know the source 'hook': it is not taken for the user's or the agent's",
  ]);
  const internal = logOf({ type: 'pause', source: 'hook' }, { type: 'acme/note', source: 'hook' });
  expect(View.fromEvents(internal).notes.length).toBe(2);
});

test('a message in an unknown role is not sent, seals no batch and is protected by nothing', () => {
  const log = logOf(
    message('user', 'user', 'task'),
    action('a'),
    message('agent', 'critic', 'well done'),
    observation('a', 'done'),
    message('user', 'critic', 'words'),
  );
  const view = View.fromEvents(log);
  expect(outline(view.toMessages())).toEqual(['user: task', 'assistant: (a)', 'tool a: done']);
  const reason = 'a role that this version does not know';
  expect([...view.leftOut]).toEqual([
    ['e2', reason],
    ['e4', reason],
  ]);
  expect(notesOf(view)[0]).toBe("e2: this version does not know the role 'critic': the message is not sent");
  expect([...protectedEventIds(view)]).toEqual(['e0']);
});

test('an unknown part is not sent; a result that holds nothing else says so, so that its call is answered', () => {
  const log = logOf(
    message('user', 'user', 'task', audio),
    message('user', 'user', audio),
    action('a', { thought: [audio, text('look')] }),
    action('b', { llmResponseId: 'response-a' }),
    observation('a', audio),
    observation('b', audio, 'heard', { type: '__proto__' }),
    message('agent', 'assistant', audio),
  );
  const view = View.fromEvents(log);
  expect(messageViolations(view.toMessages())).toEqual([]);
  expect(outline(view.toMessages())).toEqual([
    'user: task',
    'assistant: look (a) (b)',
    'tool a: (The tool answered in a form that cannot be shown here.)',
    'tool b: heard',
  ]);
  const reason = 'content that this version does not know';
  expect([...view.leftOut]).toEqual([
    ['e1', reason],
    ['e6', reason],
  ]);
  expect(notesOf(view)).toHaveLength(6);
  expect(notesOf(view)[4]).toBe("e5: this version does not know the part 'audio', '__proto__': it is not sent");
  expect(estimateTokens(logOf(message('user', 'user', 'task', audio))[0] as never)).toBe(
    estimateTokens(logOf(message('user', 'user', 'task'))[0] as never),
  );
});

test('a block of an unknown kind takes all thinking of its response with it', () => {
  const thinking = { thinkingBlocks: [signed('known'), { type: 'sealed', data: 'x' }], reasoningContent: 'because' };
  const log = logOf(
    message('user', 'user', 'task'),
    action('a', { ...thinking, reasoningItems: [{ summary: ['s'], encryptedContent: 'x' }] }),
    observation('a', 'done'),
    { ...message('agent', 'assistant'), ...thinking },
  );
  for (const mode of ['prefix-bound', 'latest-turn', 'none'] as const) {
    const messages = View.fromEvents(log, { thinking: mode }).toMessages();
    expect(messages[1]).toEqual({ role: 'assistant', content: [], toolCalls: [log[1]?.['toolCall' as never]] });
    expect(messages).toHaveLength(3);
  }
  const view = View.fromEvents(log);
  expect([...view.leftOut]).toEqual([['e3', 'no content']]);
  expect(notesOf(view)[0]).toBe(
    "e1: this version does not know the thinking 'sealed': no thinking of the response is sent",
  );
});

test('thinking that may have been made of what is left out is not sent where it must verify, until that is forgotten', () => {
  const log = [
    message('user', 'user', 'task'),
    action('a', { thinkingBlocks: [signed('before')] }),
    observation('a', 'done'),
    message('hook', 'user', audio),
    action('b', { thinkingBlocks: [signed('after')] }),
    observation('b', 'done'),
  ];
  const thinkingIn = (view: View, thinking: 'prefix-bound' | 'latest-turn') =>
    view
      .toMessages({ thinking })
      .flatMap((sent) => (sent.role === 'assistant' ? (sent.thinkingBlocks ?? []) : []))
      .map((block) => (block.type === 'thinking' ? block.thinking : block.type));
  const view = View.fromEvents(logOf(...log));
  expect(thinkingIn(view, 'prefix-bound')).toEqual(['before']);
  // Checked there is the latest turn alone, and not what stood before it.
  expect(thinkingIn(view, 'latest-turn')).toEqual(['before', 'after']);

  const forgets = { type: 'condensation', source: 'environment', forgottenEventIds: ['e3'] };
  const later = [action('c', { thinkingBlocks: [signed('anew')] }), observation('c', 'done')];
  const condensed = logOf(...log, forgets, ...later);
  expect(thinkingIn(View.fromEvents(condensed), 'prefix-bound')).toEqual(['before', 'anew']);
  const reverted = logOf(...log, forgets, ...later, { type: 'condensation-revert', condensationId: 'e6' });
  expect(thinkingIn(View.fromEvents(reverted), 'prefix-bound')).toEqual(['before', 'anew']);
  const masked = { ...forgets, forgottenEventIds: [], redactions: [{ eventId: 'e2', text: 'masked' }] };
  const heard = logOf(log[0] ?? {}, action('a'), observation('a', audio), masked, ...later);
  expect(thinkingIn(View.fromEvents(heard), 'prefix-bound')).toEqual(['anew']);
});

test('thinking keeps its place among the parts that are sent', () => {
  const log = logOf(
    message('user', 'user', 'task'),
    action('a', {
      thought: [audio, text('look'), text(' ')],
      thinkingBlocks: [0, 1, 2, 3, 4].map((position) => ({ ...signed(`at ${position}`), position })),
    }),
    action('b', { llmResponseId: 'response-a' }),
    observation('a', 'done'),
    observation('b', 'done'),
  );
  const [, answer] = View.fromEvents(log).toMessages({ thinking: 'latest-turn' });
  expect(answer).toMatchObject({ thinkingBlocks: [0, 0, 1, 1, 2].map((position) => ({ position })) });
});

test('names come from the log: they are cut, and told once', () => {
  const type = 'x'.repeat(1_000);
  const view = View.fromEvents(logOf(message('user', 'user', { type }, { type })));
  expect(notesOf(view)).toEqual([`e0: this version does not know the part '${'x'.repeat(40)}': it is not sent`]);
});
