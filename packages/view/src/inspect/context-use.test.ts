import { addressOf } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condensation, View } from '../index.js';
import { contextUse, sentThinking } from './index.js';
import type { ContextKind } from './index.js';
import { randomLog } from '../testing/index.js';

const seed = 20_261_123;

test('the parts add up to the size of the view, for any log and any estimate', () => {
  const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 1, max: 60 }), dirty: fc.boolean() });
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 1_000 }), (options, factor) => {
      const { events } = randomLog(options);
      for (const view of [
        View.fromEvents(events),
        View.fromEvents(events, { estimateTokens: (event) => (JSON.stringify(event).length * factor) % 1_013 }),
      ]) {
        const use = contextUse(view, { largest: Infinity });
        expect(use.tokens).toBe(view.tokens());
        expect(use.parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(view.tokens());
        const notSent = use.parts.find(({ kind }) => kind === 'not-sent')?.tokens ?? 0;
        expect(use.sentTokens).toBe(view.tokens() - notSent);
        expect(use.largest.reduce((sum, item) => sum + item.tokens, 0)).toBe(view.tokens());
        expect(use.parts.every(({ tokens }) => tokens >= 0)).toBe(true);
        expect(use.largest.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
          [...view.events].map((_, at) => at),
        );
      }
    }),
    { seed, numRuns: 100 },
  );
});

/** Returns what a test reads of the parts. */
function byKind(view: View, options = {}): Readonly<Record<string, number>> {
  const { parts } = contextUse(view, options);
  return Object.fromEntries(parts.map(({ kind, toolName, tokens }) => [toolName ?? kind, tokens]));
}

test('each kind is told, results by their tool', () => {
  const log = logBuilder();
  log.add(
    log.create('system-prompt', {
      systemPrompt: 'rule '.repeat(100),
      tools: [{ name: 'read', description: 'Reads a file. '.repeat(20), inputSchema: { type: 'object' } }],
    }),
  );
  log.user('Please look at the files.');
  log.add(
    log.create('message', {
      source: 'environment',
      role: 'user',
      content: [],
      extendedContent: [{ type: 'text', text: 'skill '.repeat(200) }],
      activatedSkills: ['deploy'],
    }),
  );
  log.add(
    log.create('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: 'day '.repeat(50) }],
    }),
  );
  const { action } = log.call('read', { path: 'a.ts' }, 'line '.repeat(900));
  const { result } = log.call('run', { command: 'ls' }, 'name '.repeat(400));
  log.add(
    log.create('message', {
      source: 'agent',
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
      reasoningContent: 'hm '.repeat(150),
    }),
  );
  const view = View.fromEvents(log.events);
  const kinds = byKind(view);
  expect(Object.keys(kinds).sort()).toEqual(
    ['calls', 'context', 'instructions', 'model', 'read', 'run', 'skills', 'thinking', 'tools', 'user'].sort(),
  );
  expect(kinds['read']).toBeGreaterThan(kinds['run'] ?? 0);
  const [first, second] = contextUse(view, { largest: 2 }).largest;
  expect(first).toMatchObject({ kind: 'results', toolName: 'read', index: 5 });
  expect(second).toMatchObject({ eventId: result.id, address: addressOf(result.id), toolName: 'run' });

  // A masked result is a note, a masked call too, and what was forgotten is a summary.
  const mask = condensation({
    view,
    redactions: [
      { eventId: result.id, text: 'Output omitted.' },
      { eventId: action.id, arguments: '{"path":"…"}' },
    ],
  });
  const masked = byKind(View.fromEvents([...log.events, mask]));
  expect(masked).not.toHaveProperty('run');
  expect(masked['notes']).toBeGreaterThan(0);
  const forgetting = condensation({ view, start: 4, end: 6, summary: 'It read a.ts.' });
  expect(byKind(View.fromEvents([...log.events, forgetting]))).toMatchObject({
    summaries: expect.any(Number) as number,
  });
});

test('what is stored but not sent is not called a result or a call', () => {
  const log = logBuilder();
  log.user('Go.');
  log.add(
    log.create('action', { thought: [], llmResponseId: 'r1', toolCall: { id: 'c1', name: 'read', arguments: '{}' } }),
  );
  const kinds = byKind(View.fromEvents(log.events));
  expect(Object.keys(kinds).sort()).toEqual(['not-sent', 'user']);
});

test('a host can say what its own messages are, and how much room there is', () => {
  const log = logBuilder();
  const { result } = log.call('load_skill', { name: 'deploy' }, 'text '.repeat(100));
  const view = View.fromEvents(log.events);
  const kindOf = ({ id }: { readonly id: string }): ContextKind | undefined =>
    id === result.id ? 'skills' : undefined;
  expect(byKind(view, { kindOf })).toHaveProperty('skills');
  const size = view.tokens();
  expect(contextUse(view, { besideTokens: 50, contextWindow: 1_000, threshold: 100 })).toMatchObject({
    besideTokens: 50,
    untilWindow: 950 - size,
    untilThreshold: 50 - size,
  });
  expect(contextUse(view)).not.toHaveProperty('untilWindow');
});

test('thinking that is stale, or that the model is not sent, counts as not sent', () => {
  const log = logBuilder();
  const think = (words: string, signature?: string) => {
    const block = { type: 'thinking', thinking: `${words} `.repeat(200) } as const;
    const thinkingBlocks = [signature === undefined ? block : { ...block, signature }];
    const content = [{ type: 'text', text: words }] as const;
    const message = log.create('message', { source: 'agent', role: 'assistant', content, thinkingBlocks });
    log.add(message);
    return message;
  };
  log.user('Go.');
  const first = log.events.length;
  log.call('read', { path: 'a.ts' }, 'line '.repeat(50));
  log.user('And?');
  const signed = think('hm', 's');
  log.user('So?');
  const unsigned = think('well');
  const view = View.fromEvents(log.events);
  expect(byKind(view)).not.toHaveProperty('not-sent');
  expect([...sentThinking(view).keys()]).toEqual([signed.id, unsigned.id]);
  expect(byKind(view, { thinking: sentThinking(view, { thinking: 'none' }) })).not.toHaveProperty('thinking');
  expect([...sentThinking(view, { signed: false }).keys()]).toEqual([unsigned.id]);
  expect([...sentThinking(view, { plain: 'with-calls' }).keys()]).toEqual([signed.id]);

  const cut = condensation({ view, start: first, end: first + 2, summary: 'It read a.ts.' });
  const after = View.fromEvents([...log.events, cut]);
  const use = contextUse(after, { contextWindow: 10_000, threshold: 10_000 });
  const rendered = JSON.stringify(after.toMessages());
  expect(rendered).not.toContain('hm hm');
  expect([...sentThinking(after).values()].flat().every((text) => rendered.includes(text))).toBe(true);
  const notSent = use.parts.find(({ kind }) => kind === 'not-sent')?.tokens ?? 0;
  expect(notSent).toBeGreaterThan(150);
  expect(use).toMatchObject({
    sentTokens: after.tokens() - notSent,
    untilWindow: 10_000 - use.sentTokens,
    untilThreshold: 10_000 - after.tokens(),
  });
});
