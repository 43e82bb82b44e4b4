import { createEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { maskedEvents, secretMask } from '../secrets/mask.js';
import { ensureInitialUserMessage, ensureSystemPrompt } from './opening.js';

const system = (systemPrompt: string) => createEvent('system-prompt', { systemPrompt });
const answer = createEvent('message', {
  source: 'agent',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello' }],
});

describe('the system prompt', () => {
  const ensured = (events: readonly Event[]) => ensureSystemPrompt(events, { systemPrompt: 'Be good.' });

  test('is added to a new log, and not twice', () => {
    const added = ensured([]);
    expect(added).toMatchObject([{ type: 'system-prompt', systemPrompt: 'Be good.', source: 'agent' }]);
    expect(added[0]).not.toHaveProperty('tools');
    expect(ensured(added)).toEqual([]);
  });

  test('is added to a log from elsewhere, which reads with it in front; the log is not changed', () => {
    const log = Object.freeze([userMessage('Hi'), answer]);
    const messages = View.fromEvents([...log, ...ensured(log)]).toMessages();
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(log).toHaveLength(2);
  });

  test('is added where another one is in force, though the same stood earlier', () => {
    expect(ensured([system('Be good.'), system('Be bad.')])).toHaveLength(1);
    expect(ensured([system('Be bad.'), system('Be good.'), answer])).toEqual([]);
  });

  test('is another one when the tools or the dynamic context are', () => {
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
    const options = { systemPrompt: 'Be good.', tools, dynamicContext: 'Today.' };
    const added = ensureSystemPrompt([system('Be good.')], options);
    expect(added).toMatchObject([{ tools: [{ name: 'look' }], dynamicContext: 'Today.' }]);
    expect(ensureSystemPrompt(added, options)).toEqual([]);
    expect(ensureSystemPrompt(added, { ...options, dynamicContext: 'Tomorrow.' })).toHaveLength(1);
    expect(ensureSystemPrompt(added, { ...options, tools: [] })).toHaveLength(1);
  });

  test('that a mask has changed is in force as it stands in the log', () => {
    const masked = maskedEvents(secretMask({ TOKEN: 'hunter2-hunter2' }));
    const options = {
      systemPrompt: 'Send hunter2-hunter2.',
      tools: [{ name: 'look', description: 'Needs hunter2-hunter2.', inputSchema: { type: 'object' } }],
      createEvent: masked,
    };
    const added = ensureSystemPrompt([], options);
    expect(JSON.stringify(added)).not.toContain('hunter2');
    expect(ensureSystemPrompt(added, options)).toEqual([]);
  });

  test('nothing to say adds nothing', () => {
    expect(ensureSystemPrompt([], { systemPrompt: ' ' })).toEqual([]);
  });
});

describe('the first user message', () => {
  const ensured = (events: Iterable<Event>) => ensureInitialUserMessage(events, { content: 'Build it.' });

  test('is added to a log in which the user has said nothing', () => {
    const note = createEvent('message', {
      source: 'environment',
      role: 'user',
      content: [{ type: 'text', text: 'Note' }],
    });
    expect(ensured([system('Be good.'), note, answer])).toMatchObject([
      { type: 'message', source: 'user', role: 'user', content: [{ type: 'text', text: 'Build it.' }] },
    ]);
    expect(ensured([])).toHaveLength(1);
    expect(ensured([userMessage(' ')])).toHaveLength(1);
  });

  test('quirk: one that stands anywhere is enough, so the task is never there twice', () => {
    expect(ensured([system('Be good.'), answer, userMessage('Something else')])).toEqual([]);
  });

  test('one that a condensation hides is still in the log', () => {
    const first = userMessage('Build it.');
    const log = [first, createEvent('condensation', { forgottenEventIds: [first.id], summary: 'S', summaryOffset: 0 })];
    expect(ensured(log)).toEqual([]);
  });
});
