import { expect, test } from 'vitest';
import {
  isErrorResult,
  isMeaningful,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from './message-from-event.js';
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
