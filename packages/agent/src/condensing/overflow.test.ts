import { logBuilder } from '@palimpsest/events/testing';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { Agent } from '../agent.js';
import { ConversationStateProjection } from '../state.js';
import { roomForView } from './overflow.js';

test('what only a last attempt makes smaller is made smaller at the first overflow', async () => {
  const log = logBuilder();
  log.user('Do it.');
  for (let step = 0; step < 20; step++) log.call('read', { path: `file-${step}` }, 'A short result.');
  // One run of the host, which only a last attempt cuts.
  const state = ConversationStateProjection.fromEvents(log.events, { view: { properties: [() => 'all'] } });
  const overflow = new ContextWindowExceededError('too long', {
    provider: 'scripted',
    kind: 'input',
    contextWindow: 300,
  });
  const agent = new Agent({ llm: scriptedLLM({ script: [overflow] }), maxOutputTokens: 100 });
  const outcome = await agent.step(state, { onEvents: () => undefined });
  expect(outcome.type === 'condensation' ? outcome.condensation.forgottenEventIds.length : 0).toBeGreaterThan(30);
});

const log = logBuilder();
log.user('Go.');
const view = View.fromEvents(log.events, { estimateTokens: () => 1_000 });

test.each([
  ['as the view estimates, if the provider did not count', { contextWindow: 900 }, 700],
  ['smaller, as more tokens were counted than estimated', { contextWindow: 900, inputTokens: 2_200 }, 300],
  ['smaller by a factor of eight at most', { contextWindow: 900, inputTokens: 1_000_000 }, 1],
  ['larger by a factor of four at most', { contextWindow: 900, inputTokens: 1 }, 3_100],
  ['not known without a window', { inputTokens: 2_200 }, undefined],
])('after an overflow the room for the view is %s', (_, figures, room) => {
  const overflow = new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input', ...figures });
  const sizes = { contextWindow: undefined, maxOutputTokens: 100, fixedTokens: 100 };
  expect(roomForView({ overflow, view, ...sizes })).toBe(room);
});

test.each([
  ['4,096 tokens', 200_000, 195_804],
  ['an eighth of a small window', 8_000, 6_900],
])(
  'without a limit of the answer, %s are kept for it, however long the model could answer',
  (_, contextWindow, room) => {
    const overflow = new ContextWindowExceededError('too long', { provider: 'scripted', kind: 'input', contextWindow });
    const sizes = { contextWindow, maxOutputTokens: undefined, fixedTokens: 100 };
    expect(roomForView({ overflow, view, ...sizes })).toBe(room);
  },
);
