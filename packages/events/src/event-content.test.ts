import { expect, test } from 'vitest';
import { createEvent } from './create-event.js';
import {
  isErrorResult,
  isMeaningful,
  isUserMessage,
  knownThinking,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from './event-content.js';
import type { ContentPart } from './message.js';
import { logBuilder } from './testing/index.js';

const log = logBuilder();
const text = (...texts: string[]) => texts.map((content) => ({ type: 'text' as const, text: content }));
const image = { type: 'image' as const, url: 'data:image/png;base64,AA==' };

test('the static prompt comes before the dynamic context, and blank parts are left out', () => {
  expect(systemPromptContent(log.system('static', { dynamicContext: 'dynamic' }))).toEqual(text('static', 'dynamic'));
  expect(systemPromptContent(log.system('static'))).toEqual(text('static'));
  expect(systemPromptContent(log.system(' ', { dynamicContext: '\n' }))).toEqual([]);
});

test('what skills and rules added follows the message', () => {
  expect(messageContent(log.user('hi', { extendedContent: text('rule') }))).toEqual(text('hi', 'rule'));
  expect(messageContent(log.user([...text('', 'hi', ' '), image]))).toEqual([...text('hi'), image]);
});

test('halves of surrogate pairs are rendered as U+FFFD, and the event keeps them', () => {
  const half = 'a \ud83d';
  const sound = text('a \ufffd');
  expect(systemPromptContent(log.system(half, { dynamicContext: half }))).toEqual([...sound, ...sound]);
  const words = log.user(half, { extendedContent: text(half) });
  expect(messageContent(words)).toEqual([...sound, ...sound]);
  expect(words.content).toEqual(text(half));
  expect(summaryContent(log.summary(half))).toEqual(sound);
  expect(toolResultContent(log.observation(log.action('run'), half))).toEqual(sound);
  expect(toolResultContent(log.error(log.action('run'), half))).toEqual(sound);
});

test('content of which nothing is left out is the very list of the event', () => {
  const event = log.user('hi');
  expect(messageContent(event)).toBe(event.content);
});

test('a summary is its text', () => {
  expect(summaryContent(log.summary('s'))).toEqual(text('s'));
  expect(summaryContent(log.summary('  '))).toEqual([]);
});

test('each kind of tool result is read as an answer, and only an observation need not be an error', () => {
  const action = log.action('run');
  const good = log.observation(action, 'ok', { extendedContent: text('hint'), details: { exitStatus: 0 } });
  const bad = log.observation(action, '', { isError: true });
  const error = log.error(action, 'no such tool');
  const rejected = log.reject(action, 'too risky');
  const masked = log.reject(action, 'masked', { redacted: true });
  expect([good, bad, error, rejected, masked].map(toolResultContent)).toEqual([
    text('ok', 'hint'),
    [],
    text('no such tool'),
    text('Action rejected: too risky'),
    text('masked'),
  ]);
  expect(toolResultContent(log.reject(action, ' ', { redacted: true }))).toEqual([]);
  expect([good, bad, error, rejected].map(isErrorResult)).toEqual([false, true, true, true]);
});

test('an image says something, blank text does not', () => {
  expect([image, ...text('x', '', ' \n\t')].map(isMeaningful)).toEqual([true, true, false, false]);
});

/** As JSON has them: no program of this version makes them. */
const unknown = [{ type: 'audio', data: 'AA==' }, { type: 'acme/sketch' }] as unknown as readonly ContentPart[];

test('a part of a kind that this version does not know is not read', () => {
  expect(unknown.map(isMeaningful)).toEqual([false, false]);
  expect(messageContent(log.user([...unknown, ...text('hi'), ...unknown], { extendedContent: unknown }))).toEqual(
    text('hi'),
  );
  expect(messageContent(log.user(unknown))).toEqual([]);
});

test('a result of nothing but unknown parts says so, because a call must be answered', () => {
  const action = log.action('run');
  const result = (...content: readonly ContentPart[]) => toolResultContent(log.observation(action, content));
  expect(result(...unknown)).toEqual(text('(The tool answered in a form that cannot be shown here.)'));
  expect(result(...text(' '), ...unknown)).toEqual(result(...unknown));
  expect(result(...text('read'), ...unknown, image)).toEqual([...text('read'), image]);
  expect(result(...text(' '))).toEqual([]);
  expect(result()).toEqual([]);
});

test('thinking with a block of an unknown kind is not sent at all', () => {
  const block = { type: 'thinking', thinking: 't', signature: 's' } as const;
  const others = { reasoningItems: [{ summary: ['s'] }], reasoningContent: 'r' };
  expect(knownThinking(log.agent('a', { thinkingBlocks: [block], ...others }))).toEqual({
    thinkingBlocks: [block],
    ...others,
  });
  const sealed = { type: 'acme/sealed', data: 'x' } as const;
  expect(knownThinking(log.agent('a', { thinkingBlocks: [block, sealed], ...others }))).toEqual({});
  expect(knownThinking(log.agent('a'))).toEqual({});
});

test('only a message of source user, in a role that is sent, is the words of the user', () => {
  const words = { role: 'user', content: text('hi') } as const;
  expect(isUserMessage(log.user('hi'))).toBe(true);
  expect(isUserMessage(log.environment('hi'))).toBe(false);
  expect(isUserMessage(createEvent('message', { source: 'acme/hook', ...words }))).toBe(false);
  expect(isUserMessage(createEvent('message', { source: 'user', ...words, role: 'acme/critic' }))).toBe(false);
  expect(isUserMessage(createEvent('pause', { source: 'user' }))).toBe(false);
});
