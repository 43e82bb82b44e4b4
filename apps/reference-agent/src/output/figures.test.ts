import { fileURLToPath } from 'node:url';
import { createEvent, EventLog, userMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { costOf, pricesAt } from '@palimpsest/llm-adapters';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { SessionFigures } from './figures.js';

const directory = fileURLToPath(new URL('../../../../corpus/', import.meta.url));
const logOf = async (name: string): Promise<readonly Event[]> => [
  ...(await EventLog.open(name, { store: fileEventStore({ directory }) })),
];

test.each(['demo-default', 'first-task-overflow', 'parallel-calls'])(
  'the figures of %s follow from its events, one by one',
  async (name) => {
    const log = await logOf(name);
    const figures = new SessionFigures();
    for (const [index, event] of log.entries()) {
      figures.append(event);
      // Read in between or at the end, it is the same.
      if (index % 100 === 0) expect(figures.comparison).toEqual(new SessionFigures(log.slice(0, index + 1)).comparison);
    }
    const usages = log.flatMap((event) =>
      event.type === 'llm-usage' && event.purpose === 'agent' ? [event.usage] : [],
    );
    const sum = (read: (usage: (typeof usages)[number]) => number) =>
      usages.reduce((all, usage) => all + read(usage), 0);
    const input = sum((usage) => usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens);
    const { cachedShare, steps, condensations } = figures;
    expect(steps).toBe(usages.length);
    expect(condensations).toBe(log.filter(({ type }) => type === 'condensation').length);
    expect(cachedShare).toBeCloseTo(sum(({ cacheReadTokens }) => cacheReadTokens) / input, 10);
    // Each condensation that was followed by a call has the cache written anew, and nothing else has.
    const causes = figures.cacheBreaks.map(({ cause }) => cause?.type);
    expect(new Set(causes)).toEqual(new Set(['condensation']));
    expect(figures.cacheBreaks.every(({ rewrittenTokens }) => rewrittenTokens > 0)).toBe(true);
  },
);

const usage = { uncachedInputTokens: 100, cacheReadTokens: 300, cacheWriteTokens: 0, outputTokens: 50 };
const call = (fields: object) =>
  createEvent('llm-usage', { responseId: 'r', model: 'big', purpose: 'agent', usage, ...fields });

test('what was sent is estimated where the log does not say it', async () => {
  const log = await logOf('demo-default');
  const foreign = log.map((event): Event => {
    if (event.type !== 'llm-usage') return event;
    const { estimatedInputTokens: _, ...rest } = event;
    return rest;
  });
  const [own, other] = [new SessionFigures(log).comparison, new SessionFigures(foreign).comparison];
  expect(other.tokensSent / own.tokensSent).toBeCloseTo(1, 1);
  expect(other.peakSent / own.peakSent).toBeCloseTo(1, 1);
});

test('what it cost is told by model and purpose; an unknown cost makes the sum unknown', () => {
  const figures = new SessionFigures([
    call({ costUsd: 0.5 }),
    createEvent('condensation', {
      forgottenEventIds: [],
      metadata: { condenser: 'structuredSummary', model: 'small', usage, costUsd: 0.25 },
    }),
    createEvent('condensation-attempt', {
      condenser: 'structuredSummary',
      outcome: 'failed',
      reason: 'it said nothing',
      data: { model: 'small', usage, costUsd: 0.25 },
    }),
    call({ costUsd: 0.5 }),
  ]);
  expect(figures.bills).toMatchObject([
    { model: 'big', purpose: 'agent', calls: 2, costUsd: 1, usage: { cacheReadTokens: 600 } },
    { model: 'small', purpose: 'structuredSummary', calls: 2, costUsd: 0.5 },
  ]);
  // The condenser's own reading does not count as the agent's.
  expect(figures).toMatchObject({ costUsd: 1.5, cachedShare: 0.75, steps: 2, condensations: 1, isEstimated: false });
  expect(figures.usage).toMatchObject({ cacheReadTokens: 1_200, outputTokens: 200 });
  figures.append(call({ usageIsEstimated: true }));
  expect(figures.isEstimated).toBe(true);
  expect(figures.costUsd).toBeUndefined();
  expect(new SessionFigures()).toMatchObject({ costUsd: 0, cachedShare: undefined, steps: 0 });
});

test('each call is priced as its own model, and no model reads from the cache of another', () => {
  const [dear, cheap] = ['claude-opus-4-5', 'claude-haiku-4-5'];
  const words = [userMessage('x'.repeat(40_000)), userMessage('y'.repeat(4_000))] as const;
  const figures = new SessionFigures();
  let whole = 0;
  const cost = (model: string, tokens: { readonly read?: number; readonly write: number }): number => {
    const prices = pricesAt(model, new Date());
    if (prices === undefined) throw new Error(`no prices of ${model}`);
    const sent = { cacheReadTokens: tokens.read ?? 0, cacheWriteTokens: tokens.write };
    return costOf({ uncachedInputTokens: 0, outputTokens: usage.outputTokens, ...sent }, prices);
  };
  const sizeOf = (...events: readonly Event[]) => View.fromEvents(events).tokens();
  figures.append(words[0]);
  figures.append(call({ model: dear }));
  whole += cost(dear, { write: sizeOf(words[0]) });
  expect(figures.comparison).toMatchObject({ pricedAs: [dear] });
  figures.append(words[1]);
  figures.append(call({ model: cheap }));
  // It has read nothing of this before.
  whole += cost(cheap, { write: sizeOf(...words) });
  figures.append(call({ model: dear }));
  whole += cost(dear, { read: sizeOf(words[0]), write: sizeOf(words[1]) });
  const condenser = { condenser: 'structuredSummary', model: cheap, usage };
  figures.append(
    createEvent('condensation-attempt', { condenser: 'x', outcome: 'failed', reason: 'no JSON', data: condenser }),
  );
  figures.append(createEvent('condensation', { forgottenEventIds: [words[0].id], metadata: condenser }));
  const asked = 2 * costOf(usage, pricesAt(cheap, new Date()) ?? expect.fail());
  expect(figures.comparison.costUncondensedUsd).toBeCloseTo(whole, 10);
  expect(figures.comparison.costUsd).toBeCloseTo(whole + asked, 10);
  expect(figures.comparison.pricedAs).toEqual([dear, cheap]);
  // The cache of each model breaks by itself.
  for (const model of [cheap, dear]) figures.append(call({ model }));
  expect(figures.cacheBreaks.map(({ cause }) => cause?.type)).toEqual(['condensation', 'condensation']);
});

test('what is read again after it was hidden counts once a model was sent it, also after it was hidden again', () => {
  const text = (name: string) =>
    Array.from({ length: 20 }, (_, line) => `const ${name}${line} = readPart(${line}, '${name}');`).join('\n');
  const log = logBuilder();
  const ask = () => log.usage({ model: 'claude-haiku-4-5', purpose: 'agent', usage, usageIsEstimated: true });
  log.user('Compare the files.');
  for (const name of ['a', 'b']) {
    ask();
    log.call('read_file', { path: `${name}.ts` }, text(name));
  }
  const hide = (from: number, to?: number): unknown =>
    log.condensation(
      log.events.slice(from, to).flatMap(({ id, type }) => (type === 'llm-usage' ? [] : [id])),
      { summary: 'It was read.', summaryOffset: 1 },
    );
  hide(2, 4);
  ask();
  const { result } = log.call('run_command', { command: 'cat a.ts' }, text('a'));
  const figures = new SessionFigures(log.events);
  expect(figures.reread).toEqual({ calls: 0, tokens: 0, usd: 0, bill: 0 });
  figures.append(ask());
  const { reread } = figures;
  expect(reread).toMatchObject({ calls: 1, tokens: View.fromEvents(log.events).tokensOf(result) });
  expect(reread.bill).toBeCloseTo(reread.usd / figures.comparison.costUsd, 10);
  expect(reread.bill).toBeGreaterThan(0.05);
  expect(reread.bill).toBeLessThan(1);
  hide(-3, -1);
  ask();
  log.call('read_file', { path: 'a.ts' }, text('a'));
  ask();
  const both = new SessionFigures(log.events);
  expect(both.reread).toMatchObject({ calls: 2, tokens: 2 * reread.tokens });
  // Each condensation has its own.
  for (const { id } of View.fromEvents(log.events).condensations)
    expect(both.rereadAfter(id)).toMatchObject({ calls: 1, tokens: reread.tokens });
});
