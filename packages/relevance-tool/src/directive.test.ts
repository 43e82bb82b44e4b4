import { addressOf, createEvent, defineTool, eventBaseSchema, parseEvent, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { directive } from '../test-support/directive-builder.js';
import { condensed, logOf, runLoop } from '../test-support/minimal-loop.js';
import { relevanceCondenser } from './condenser.js';
import { isRelevanceDirective, relevanceDirectives } from './directive.js';
import { relevanceTool } from './tool.js';

test('a directive survives JSON, and what is read is equal', () => {
  const log = logBuilder();
  const issued = directive(log, log.call('read').result, { agentStepIndex: 2 });
  const read = parseEvent(JSON.parse(JSON.stringify(issued)));
  expect(read).toEqual(issued);
  expect(isRelevanceDirective(read)).toBe(true);
  expect(eventBaseSchema.safeParse(read).success).toBe(true);
});

test.each([
  ['no target', { targetEventId: undefined }],
  ['no text', { text: '' }],
  ['a user as its source', { source: 'user' }],
  ['a step that is no number', { agentStepIndex: 'three' }],
  ['another type', { type: 'relevance/other' }],
])('%s: not a directive', (_, change) => {
  const log = logBuilder();
  const issued = directive(log, log.call('read').result);
  const changed = { ...issued, ...change };
  expect(isRelevanceDirective(changed as unknown as Event)).toBe(false);
});

test('directives are listed in the order of issue, never among what the model reads, with or without a target', () => {
  const log = logBuilder();
  log.user('a task');
  const first = directive(log, log.call('read').result);
  const second = directive(log, { id: 'nowhere' });
  log.custom('acme/note');
  log.custom('relevance/directive', { broken: true });
  const view = View.fromEvents(log.events);
  expect(relevanceDirectives(view)).toEqual([first, second]);
  expect(relevanceDirectives(view.without(new Set([log.events[1]?.id ?? ''])))).toEqual([first, second]);
  expect([...view.events].some(({ id }) => id === first.id || id === second.id)).toBe(false);
  expect(JSON.stringify(view.toMessages())).not.toContain(first.summary);
});

const steps = 60;

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `${path}: `.padEnd(800, '.'),
});

/** Reads a file at each step, and marks the one that was read two steps before. */
async function session(condenser: Condenser) {
  const log = await logOf([userMessage('Read all files.')]);
  const results = () => [...log].filter((event) => event.type === 'observation' && event.toolName === 'read');
  const run = await runLoop({
    log,
    tools: [read, relevanceTool()],
    condenser,
    respond: (_, call) => {
      if (call === steps) return { text: 'All read.' };
      const stale = results().at(-2);
      const mark = stale === undefined ? [] : [{ event_id: addressOf(stale.id), summary_text: 'nothing in it' }];
      return {
        calls: [
          { name: 'read', input: { path: `${call}.ts` } },
          ...mark.map((input) => ({ name: 'relevance_condenser', input })),
        ],
      };
    },
  });
  return { log, run };
}

test('60 steps of relevance and a summary: only what is still shown is in force, and nothing is reported missing', async () => {
  const relevance = relevanceCondenser();
  let summary: string | undefined;
  const { log, run } = await session({
    name: 'relevance, then one summary',
    condense: (view, context) => {
      const shown = relevance.condense(view, context);
      if (summary !== undefined || view.events.length < 4 * steps - 12) return shown;
      summary = 'All files were read.';
      return condensation({ view: shown, start: 1, end: view.events.length - 8, summary });
    },
  });
  const { length } = [...log].filter(({ type }) => type === 'relevance/directive');
  expect(length).toBe(steps - 2);
  const view = View.fromEvents(log);
  expect(view.condensations).toHaveLength(1);
  const inForce = relevanceDirectives(view);
  expect(inForce.length).toBeGreaterThan(0);
  expect(inForce.length).toBeLessThan(8);
  for (const { targetEventId } of inForce) expect(view.indexOf(targetEventId)).toBeDefined();
  expect(run.reports.filter(({ outcome }) => outcome === 'relevance-missing')).toEqual([]);

  const [only] = view.condensations;
  await log.append(createEvent('condensation-revert', { condensationId: only?.id ?? '' }));
  const back = await condensed(relevance, log);
  expect(relevanceDirectives(back.view)).toHaveLength(length);
  expect([...back.result.events].filter((event) => 'redacted' in event && event.redacted)).toHaveLength(length);
  expect(back.reports.filter(({ outcome }) => outcome === 'relevance-missing')).toEqual([]);
});
