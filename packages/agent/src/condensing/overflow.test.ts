import { createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import type { ConversationState } from '../state.js';
import { answerToOverflow } from './overflow.js';

test('what only a last attempt makes smaller is made smaller at the first overflow', () => {
  const log = logBuilder();
  log.user('Do it.');
  for (let step = 0; step < 20; step++) log.call('read', { path: `file-${step}` }, 'A short result.');
  // One run of the host, which only a last attempt cuts.
  const view = View.fromEvents(log.events, { properties: [() => 'all'] });
  const made = answerToOverflow({
    overflow: new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input', contextWindow: 300 }),
    sent: view,
    state: { view, condensationsInARow: 0, requestsInARow: 0 } as ConversationState,
    model: 'scripted',
    condenser: undefined,
    contextWindow: undefined,
    maxOutputTokens: 100,
    fixedTokens: 0,
    canRead: false,
    createEvent,
  });
  expect(made === 'request' ? [] : made.forgottenEventIds.length).toBeGreaterThan(30);
});
