import { readdir, readFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Event } from '@palimpsest/events';
import { EventLog, isToolResult } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { View, ViewProjection } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { SessionFigures } from './output/figures.js';

const directory = fileURLToPath(new URL('../../../corpus/', import.meta.url));
const names = (await readdir(directory)).filter((file) => file.endsWith('.jsonl')).map((file) => file.slice(0, -6));

const logOf = async (name: string): Promise<readonly Event[]> => [
  ...(await EventLog.open(name, { store: fileEventStore({ directory }) })),
];

describe.each(names)('corpus/%s', (name) => {
  test('is read, and its view at each model call is the one that was sent', async () => {
    const events = await logOf(name);
    expect(events.length).toBeGreaterThan(0);
    const projection = new ViewProjection();
    let tokensBefore = 0;
    for (const event of events) {
      // A message that the user sent while the model was at work stands before the answer, and was not sent.
      const tokens = [projection.view.tokens(), tokensBefore];
      if (event.type === 'llm-usage') {
        // The addresses in summaries were others when it was recorded, and count by their letters.
        const off = tokens.map((size) => Math.abs(size / (event.estimatedInputTokens ?? 0) - 1));
        expect(Math.min(...off)).toBeLessThan(0.01);
      }
      if (event.type === 'message') tokensBefore = projection.view.tokens();
      projection.append(event);
    }
    expect(projection.view.toMessages()).toEqual(View.fromEvents(events).toMessages());
    expect([...projection.view.notes]).toEqual([]);
  });

  test('names no place of the machine on which it was recorded', async () => {
    const text = await readFile(join(directory, `${name}.jsonl`), 'utf8');
    for (const place of [tmpdir(), homedir(), process.cwd(), 'palimpsest-demo-', 'file://'])
      expect(text).not.toContain(place);
  });
});

test('the corpus is small', async () => {
  const sizes = await Promise.all(names.map(async (name) => (await readFile(join(directory, `${name}.jsonl`))).length));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000);
});

test('it holds what is rare: errors, refusals, open calls, requests, reverts, parallel calls', async () => {
  const events = (await Promise.all(names.map(logOf))).flat();
  const types = new Set(events.map(({ type }) => type));
  for (const type of [
    'agent-error',
    'user-reject-observation',
    'condensation-request',
    'condensation-attempt',
    'condensation-revert',
  ]) {
    expect(types).toContain(type);
  }
  const unfinished = await logOf('unfinished-calls');
  expect(unfinished.filter(({ type }) => type === 'action')).toHaveLength(2);
  expect(unfinished.filter(isToolResult)).toEqual([]);
  expect(new SessionFigures(await logOf('demo-default')).comparison).toMatchObject({ condensations: 2, steps: 74 });
});
