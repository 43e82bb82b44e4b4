import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { requirementOf, roomInWindow } from './requirement.js';

const report = () => {};

/** `count` events of `size` tokens each. */
function view(count: number, { size = 10, request = false } = {}) {
  const log = logBuilder();
  for (let index = 0; index < count; index++) log.agent(`message ${index}`);
  if (request) log.request();
  return View.fromEvents(log.events, { estimateTokens: () => size });
}

test('the number of events is a soft reason, and only past the limit', () => {
  const limits = { maxSize: 10, maxTokens: undefined };
  expect(requirementOf(view(10), { report }, limits)).toMatchObject({ level: 'none', reasons: [] });
  expect(requirementOf(view(11), { report }, limits)).toMatchObject({ level: 'soft', reasons: ['events'] });
});

test('tokens past maxTokens, and a request, are hard reasons', () => {
  const limits = { maxSize: 100, maxTokens: 100 };
  expect(requirementOf(view(10), { report }, limits).level).toBe('none');
  expect(requirementOf(view(11), { report }, limits)).toMatchObject({
    level: 'hard',
    reasons: ['tokens'],
    tokenBudget: 100,
  });
  expect(requirementOf(view(1, { request: true }), { report }, limits)).toMatchObject({
    level: 'hard',
    reasons: ['request'],
  });
});

test('of the window, the answer and what is fixed are taken off; its last tenth is soft', () => {
  const context = { report, contextWindow: 1_000, maxOutputTokens: 200, fixedTokens: 100 };
  const limits = { maxSize: 1_000, maxTokens: undefined };
  expect(roomInWindow(context)).toBe(700);
  expect(requirementOf(view(60), context, limits)).toMatchObject({ level: 'none', tokenBudget: 600 });
  expect(requirementOf(view(61), context, limits)).toMatchObject({ level: 'soft', reasons: ['tokens'] });
  expect(requirementOf(view(71), context, limits)).toMatchObject({ level: 'hard', reasons: ['tokens'] });
});

test('the stricter of two limits counts, and every reason is named', () => {
  const context = { report, contextWindow: 1_000 };
  expect(requirementOf(view(30), context, { maxSize: 5, maxTokens: 200 })).toEqual({
    level: 'hard',
    reasons: ['tokens', 'events'],
    tokenBudget: 200,
  });
});
