import { eventFactory, parseEvent } from '@palimpsest/events';
import type { Condensation, Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { estimateTokens, isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import type { CondenseContext } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { extractiveSummaryCondenser } from './extractive-summary.js';
import type { ExtractiveSummaryOptions } from './extractive-summary.js';

type Limits = Omit<CondenseContext, 'report'>;

async function condense(
  options: ExtractiveSummaryOptions,
  events: readonly Event[],
  limits: Limits = {},
): Promise<View | Condensation> {
  return extractiveSummaryCondenser(options).condense(View.fromEvents(events), { report: () => {}, ...limits });
}

async function condensed(options: ExtractiveSummaryOptions, events: readonly Event[], limits: Limits = {}) {
  const result = await condense(options, events, limits);
  if (!isCondensation(result)) throw new Error('nothing was condensed');
  return { result, view: View.fromEvents([...events, result]) };
}

function edit(log: LogBuilder, step: number) {
  log.call(
    'edit',
    { path: `src/${step}.ts`, oldText: 'a'.repeat(200), newText: 'b'.repeat(200) },
    `edited src/${step}.ts`,
  );
}

/** One system prompt, one request, and so many edits: two events each. */
function session(steps: number) {
  const log = logBuilder();
  log.system();
  log.user('Make it faster.');
  for (let step = 1; step <= steps; step++) edit(log, step);
  return log;
}

test('at maxSize nothing happens; one step more leaves half of it', async () => {
  const log = session(59);
  expect(log.events).toHaveLength(120);
  const view = View.fromEvents(log.events);
  const condenser = extractiveSummaryCondenser();
  expect(await condenser.condense(view, { report: () => {} })).toBe(view);
  edit(log, 60);
  const { result, view: after } = await condensed({}, log.events);
  // 122 events; 4 + 1 + 55 would stay, and the cut moves forward by one so that no call is parted from its result.
  expect(after.events.length).toBe(59);
  expect(result.forgottenEventIds).toHaveLength(64);
  expect(after.events.at(4)?.type).toBe('condensation-summary');
  expect(result.metadata).toMatchObject({
    condenser: 'extractiveSummary',
    reason: 'events',
    tokensBefore: View.fromEvents(log.events).tokens(),
    tokensAfter: after.tokens(),
    coveredEvents: 64,
  });
});

test('the summary tells what was done, and is smaller than what it replaces', async () => {
  const log = session(2);
  log.user('Keep the old names, please.');
  log.call('bash', { command: 'npm test -- --run parser' }, 'not ok 3 - parses comments\n\nexit code 1');
  log.call('write', { path: 'notes.md', content: 'x' }, 'created notes.md');
  log.call('bash', { command: 'rm notes.md' }, '');
  log.call('todo_write', {
    todos: [
      { content: 'Fix comments', status: 'in_progress' },
      { content: 'Ship', status: 'done' },
    ],
  });
  log.call('book', { user_id: 'mia_li_3668', seats: 2 }, '{"reservation_id": "HATHAT"}');
  log.agent('Booked.');
  log.user('And run the linter.');
  for (let step = 3; step <= 12; step++) edit(log, step);
  const { result, view } = await condensed({ maxSize: 24, keepFirst: 2 }, log.events);
  const summary = result.summary ?? '';
  for (const told of [
    '- Keep the old names, please.',
    '- [in_progress] Fix comments',
    '- src/1.ts (modified)',
    '- notes.md (created, deleted)',
    '- parses comments',
    'npm test -- --run parser → exit 1',
    '- book(user_id=mia_li_3668, seats=2) → ok',
    'reservation_id: HATHAT',
    'mia_li_3668',
  ]) {
    expect(summary).toContain(told);
  }
  expect(summary).not.toContain('Ship');
  expect(summary).not.toContain('And run the linter.');
  expect(
    [...view.events].some(
      (event) => event.type === 'message' && event.source === 'user' && JSON.stringify(event).includes('linter'),
    ),
  ).toBe(true);
  expect(view.tokens()).toBeLessThan(View.fromEvents(log.events).tokens());
  expect(messageViolations(view.toMessages())).toEqual([]);
});

test('nothing decays: after many generations the first step is told as exactly as the last', async () => {
  const options = { maxSize: 20, maxSummaryTokens: 20_000 };
  const log = session(1);
  log.user('Never touch the lock file.');
  let generations = 0;
  for (let step = 2; step <= 200; step++) {
    edit(log, step);
    const result = await condense(options, log.events);
    if (!isCondensation(result)) continue;
    generations++;
    log.add(parseEvent(JSON.parse(JSON.stringify(result))));
  }
  const view = View.fromEvents(log.events);
  const summaries = [...view.events].filter((event) => event.type === 'condensation-summary');
  expect(generations).toBeGreaterThan(20);
  expect(summaries).toHaveLength(1);
  const [{ summary } = { summary: '' }] = summaries;
  for (let step = 2; step <= 150; step++) expect(summary).toContain(`- src/${step}.ts (modified)`);
  // The latest words of the user are protected, so they stand in the view and not in the summary.
  expect(JSON.stringify([...view.events])).toContain('Never touch the lock file.');
});

test('the metadata of each condensation holds the facts of its own range only', async () => {
  const log = session(1);
  const sizes: number[] = [];
  for (let step = 2; step <= 300; step++) {
    edit(log, step);
    const result = await condense({ maxSize: 20 }, log.events);
    if (!isCondensation(result)) continue;
    sizes.push(JSON.stringify(result.metadata).length);
    log.add(result);
  }
  expect(sizes.length).toBeGreaterThan(30);
  expect(Math.max(...sizes.slice(1))).toBeLessThan(Math.min(...sizes.slice(1)) * 1.5);
});

test('a summary of another condenser is kept as text, and its events are read again', async () => {
  const log = session(6);
  const view = View.fromEvents(log.events);
  log.condensation(view.events.slice(2, 10), { summary: 'The model wrote: half is done.', summaryOffset: 2 });
  for (let step = 7; step <= 20; step++) edit(log, step);
  const { result } = await condensed({ maxSize: 20, keepFirst: 2 }, log.events);
  expect(result.summary).toContain('The model wrote: half is done.');
  expect(result.summary).toContain('- src/1.ts (modified)');
  log.add(result);
  for (let step = 21; step <= 40; step++) edit(log, step);
  const next = (await condensed({ maxSize: 20, keepFirst: 2 }, log.events)).result.summary;
  expect(next).toContain('The model wrote: half is done.');
  expect(next).toContain('- src/1.ts (modified)');
});

test('a reverted condensation counts for nothing', async () => {
  const log = session(12);
  const first = (await condensed({ maxSize: 20, keepFirst: 2 }, log.events)).result;
  log.add(first);
  log.revert(first);
  edit(log, 13);
  const { result } = await condensed({ maxSize: 20, keepFirst: 2 }, log.events);
  expect(result.metadata?.['replaces']).toEqual([]);
  expect(result.summary?.split('- src/1.ts (modified)')).toHaveLength(2);
});

test('masked results are read as they were logged', async () => {
  const log = session(1);
  const { result: run } = log.call('bash', { command: 'npm test' }, 'not ok 1 - the masked test\nexit code 1');
  for (let step = 2; step <= 12; step++) edit(log, step);
  log.condensation([], { redactions: [{ eventId: run.id, text: '[hidden]' }] });
  expect((await condensed({ maxSize: 20, keepFirst: 2 }, log.events)).result.summary).toContain('- the masked test');
});

test('a request condenses a short view too, but never the newest step', async () => {
  const log = session(3);
  log.request();
  const { result, view } = await condensed({}, log.events);
  expect(result.metadata?.['reason']).toBe('request');
  expect(view.events.slice(-2).map(({ type }) => type)).toEqual(['action', 'observation']);
  log.add(result);
  log.request();
  await expect(condense({}, log.events)).rejects.toThrow(NoCondensationAvailableError);
});

test('too many tokens are condensed to half of the budget', async () => {
  const log = session(40);
  const { result, view } = await condensed({ maxTokens: 4_000 }, log.events);
  expect(result.metadata?.['reason']).toBe('tokens');
  expect(view.tokens()).toBeLessThan(4_000 * 0.76);
  const small = await condensed({}, log.events, { contextWindow: 5_000, maxOutputTokens: 1_000 });
  expect(small.view.tokens()).toBeLessThan(3_500 * 0.76);
});

test('when only the newest step is too large it reports that, and returns the view', async () => {
  const log = session(0);
  log.call('read_file', { path: 'huge' }, 'x'.repeat(100_000));
  const attempts: unknown[] = [];
  const view = View.fromEvents(log.events);
  const condenser = extractiveSummaryCondenser({ maxTokens: 1_000 });
  expect(await condenser.condense(view, { report: (attempt) => void attempts.push(attempt) })).toBe(view);
  expect(attempts).toMatchObject([{ outcome: 'unavailable', data: { tokens: view.tokens(), tokenBudget: 1_000 } }]);
});

test('a small window of a few small messages gives no summary that is larger than they are', async () => {
  const log = logBuilder();
  for (let index = 0; index < 30; index++) log.agent(`${index}`);
  expect(isCondensation(await condense({ maxSize: 20 }, log.events))).toBe(false);
});

test('whatever stands in it is text that every provider takes', async () => {
  const log = logBuilder();
  log.user('Half \ud83d a character.');
  for (let step = 0; step < 30; step++) {
    log.call('edit', { path: `src/${step}\ud83d.ts`, newText: 'b'.repeat(200) }, `\ud83d of ${step}`);
    log.user(`And \ud83d ${step}.`);
  }
  const { result } = await condensed({ maxSize: 20 }, log.events);
  expect(result.summary).toContain('src/9\ufffd.ts');
  expect(result.summary?.isWellFormed()).toBe(true);
});

test('arguments that are nested deeper than any tool takes them are no reason to fail', async () => {
  const log = session(12);
  log.call('run', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'done');
  log.call('run', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'done');
  edit(log, 13);
  const { result } = await condensed({ maxSize: 8, keepFirst: 0, maxSummaryTokens: 20_000 }, log.events);
  expect(result.summary).toContain('src/12.ts');
});

test('it counts as the view counts', async () => {
  const { events } = session(70);
  for (const estimate of [
    () => 1,
    () => 100,
    (event: Parameters<typeof estimateTokens>[0]) => 3 * estimateTokens(event),
  ]) {
    const view = View.fromEvents(events, { estimateTokens: estimate });
    const result = (await extractiveSummaryCondenser().condense(view, { report: () => {} })) as Condensation;
    const after = View.fromEvents([...events, result], { estimateTokens: estimate });
    expect(after.tokens()).toBe(result.metadata?.['tokensAfter']);
    expect(after.tokens()).toBeLessThan(view.tokens());
    const summary = [...after.events].findIndex((event) => event.type === 'condensation-summary');
    expect(after.tokens(summary, summary + 1)).toBeLessThanOrEqual(3_000);
  }
});

test('the same view gives the same condensation, with ids and times from the factory', async () => {
  const make = async () => {
    const createEvent = eventFactory({ newId: () => 'c-1', now: () => new Date(0) });
    return (await condensed({ createEvent, maxSize: 20 }, session(20).events)).result;
  };
  expect(await make()).toEqual(await make());
  expect(await make()).toMatchObject({ id: 'c-1', timestamp: '1970-01-01T00:00:00.000Z' });
});

test('a small maxSize lowers the default of keepFirst', async () => {
  for (const maxSize of [4, 5, 6, 10]) {
    const { view } = await condensed({ maxSize }, session(20).events);
    expect(view.events.length).toBeLessThan(42);
  }
});

test('the error names what was set, and what would do', async () => {
  expect(() => extractiveSummaryCondenser({ maxSize: 3 })).toThrow("'maxSize' must be a whole number of at least 4");
  expect(() => extractiveSummaryCondenser({ maxSize: 10, keepFirst: 4 })).toThrow(
    /'keepFirst' may be at most 3 with a 'maxSize' of 10.*at least 12/,
  );
  expect(() => extractiveSummaryCondenser({ maxSize: 12, keepFirst: 4 })).not.toThrow();
});

test.each([
  { maxSize: 0 },
  { keepFirst: -1 },
  { maxSize: 12, keepFirst: 5 },
  { maxSize: 4, keepFirst: 1 },
  { maxTokens: 0 },
  { maxSummaryTokens: 0.5 },
])('%j is refused', (options) => {
  expect(() => extractiveSummaryCondenser(options)).toThrow(InvalidCondenserConfigError);
});

test('what still runs is named with its id, through all summaries, until a later result ends it', async () => {
  const log = session(4);
  log.call('bash', { command: 'npm run dev', mode: 'async' }, '<command started in background with shellId: site>');
  const condenser = extractiveSummaryCondenser({ maxSize: 40 });
  const summaries: string[] = [];
  for (let step = 0; step < 80; step++) {
    edit(log, step);
    if (step === 60) log.call('stop_bash', { shellId: 'site' }, '<command with id: site stopped>');
    const made = await condenser.condense(View.fromEvents(log.events), {});
    if (!isCondensation(made)) continue;
    log.add(made);
    summaries.push(made.summary ?? '');
  }
  const named = summaries.map((summary) => summary.includes('- site (npm run dev)'));
  expect(named.length).toBeGreaterThan(3);
  expect(named).toEqual([...named].sort((a, b) => Number(b) - Number(a)));
  expect([named[0], named[1], named.at(-1)]).toEqual([true, true, false]);
});
