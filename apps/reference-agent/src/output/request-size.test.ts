import { logBuilder } from '@palimpsest/events/testing';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import { View } from '@palimpsest/view';
import { CondensationHistory } from '@palimpsest/view/inspect';
import { expect, test } from 'vitest';
import { SessionFigures } from './figures.js';
import { countedDetails, requestTokens, requestUse } from './request-size.js';
import { StreamTranslation } from './stream-translation.js';

/** A session whose provider counts three tokens for four estimated ones, and a condensation. */
function session() {
  const log = logBuilder();
  log.user('Read the files.');
  for (const path of ['a', 'b', 'c', 'd']) {
    const estimatedInputTokens = View.fromEvents(log.events).tokens();
    const cacheReadTokens = (3 * estimatedInputTokens) / 4;
    const usage = { uncachedInputTokens: 0, cacheReadTokens, cacheWriteTokens: 0, outputTokens: 10 };
    log.usage({ model: 'claude-haiku-4-5', purpose: 'agent', usage, estimatedInputTokens });
    log.call('read_file', { path }, 'A line of a file. '.repeat(1_000));
  }
  return log;
}

test('all sizes of a history are what the provider would count', () => {
  const log = session();
  const view = View.fromEvents(log.events);
  const counted = Math.round((3 * view.tokens()) / 4);
  expect(requestTokens(view)).toBe(counted);
  const use = requestUse(view, { contextWindow: 100_000, threshold: 50_000 });
  expect(Math.abs(use.sentTokens - counted)).toBeLessThan(use.parts.length);
  expect(use.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(use.tokens);
  expect(use.untilWindow).toBe(100_000 - use.sentTokens);
  expect(use.untilThreshold).toBeCloseTo(50_000 - counted, -1);
  const translation = new StreamTranslation(log.events);
  const first = log.events.find(({ type }) => type === 'action');
  const condensation = log.condensation([
    first?.id ?? '',
    log.events[log.events.indexOf(first as never) + 1]?.id ?? '',
  ]);
  const history = new CondensationHistory(log.events);
  const details = countedDetails(history.details(condensation.id) ?? expect.fail(), history.view);
  const { tokensBefore, tokensAfter } = details;
  expect(tokensBefore).toBe(counted);
  expect(translation.follow(condensation)).toMatchObject([{ tokensBefore, tokensAfter }]);
  expect(details.forgotten.reduce((sum, { tokens }) => sum + tokens, 0)).toBeCloseTo(details.savedTokens, -1);
});

test('without a count of the provider sizes are estimates', () => {
  const log = logBuilder();
  log.user('Read the files.');
  const view = View.fromEvents(log.events);
  expect(requestTokens(view)).toBe(view.tokens());
  expect(requestUse(view, {}).sentTokens).toBe(view.tokens());
});

test('what a session has sent is what the provider counted', () => {
  const { comparison, bills } = new SessionFigures(session().events);
  const counted = bills.reduce((sum, { usage }) => sum + totalInputTokens(usage), 0);
  expect(comparison.tokensSent).toBeCloseTo(counted);
  expect(comparison.tokensUncondensed).toBeCloseTo(counted);
});
