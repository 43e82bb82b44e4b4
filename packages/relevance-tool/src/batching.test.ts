import { isToolResult } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { ViewProjection } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directive } from '../test-support/directive-builder.js';
import { condensed } from '../test-support/minimal-loop.js';
import { relevanceCondenser } from './condenser.js';

const text = (tokens: number) => 'x'.repeat(tokens * 4);
const prices = { read: 0.1, write: 1.25 };
const batched = relevanceCondenser({ apply: 'batched', batching: { prices, expectedCalls: 10 } });
const byDefault = relevanceCondenser({ apply: 'batched' });

async function redactedIn(log: LogBuilder, context: Partial<CondenseContext> = {}, condenser = batched) {
  return redacted((await condensed(condenser, log.events, context)).result);
}

function redacted(view: View): readonly EventId[] {
  return [...view.events].filter((event) => isToolResult(event) && event.redacted === true).map(({ id }) => id);
}

/** An old result, so much after it, and a directive. */
function waiting(tokens: { readonly target: number; readonly after: number }) {
  const log = logBuilder();
  log.user('a task');
  const { result } = log.call('read', {}, text(tokens.target));
  log.call('read', {}, text(tokens.after));
  return { log, result, issued: directive(log, result) };
}

describe('batched directives', () => {
  test('wait while the rewrite costs more than they save', async () => {
    // Saves about 100 a call: 10 now and 10 expected calls are worth 100. 1.15 × 20,000 is more.
    const { log } = waiting({ target: 1_000, after: 20_000 });
    expect(await redactedIn(log)).toEqual([]);
  });

  test('take effect at once when the calls to come pay for the rewrite', async () => {
    // 10 calls × 0.1 × 20,000 = 20,000; 1.15 × 10,000 = 11,500.
    const { log, result } = waiting({ target: 20_000, after: 10_000 });
    expect(await redactedIn(log)).toEqual([result.id]);
    expect(await redactedIn(log, { prices }, byDefault)).toEqual([]);
  });

  test('take effect when what they would have saved since then pays for it, and stay in effect', async () => {
    // 0.1 × 2,000 × (10 + calls) against 1.15 × (3,000 and what the calls add).
    const { log, result } = waiting({ target: 2_000, after: 3_000 });
    const at: (readonly string[])[] = [];
    for (let call = 0; call < 16; call++) {
      at.push(await redactedIn(log));
      log.call('run', {}, 'ok');
    }
    const first = at.findIndex((ids) => ids.length > 0);
    expect(first).toBeGreaterThan(3);
    expect(first).toBeLessThan(12);
    expect(at.slice(first)).toEqual(at.slice(first).map(() => [result.id]));
    log.call('read', {}, text(200_000));
    expect(await redactedIn(log)).toEqual([result.id]);
  });

  test('by default they wait for the rent, at the prices of the host', async () => {
    // 0.1 × 6,000 a call against 1.15 × (3,000 and what the calls add, but for the newest step).
    const effectiveAt = async (context: Partial<CondenseContext>): Promise<number> => {
      const { log } = waiting({ target: 6_000, after: 3_000 });
      for (let call = 0; call < 40; call++) {
        if ((await redactedIn(log, context, byDefault)).length > 0) return call;
        log.call('run', {}, 'ok');
      }
      return 40;
    };
    const dear = await effectiveAt({ prices });
    expect(dear).toBeGreaterThanOrEqual(5);
    expect(dear).toBeLessThan(8);
    expect(await effectiveAt({ prices: { read: 0.05, write: 1.25 } })).toBeGreaterThan(dear);
    expect(await effectiveAt({})).toBe(await effectiveAt({ prices: { read: 0.05, write: 1.25 } }));
    expect(await effectiveAt({ prices: { read: 1, write: 1 } })).toBe(0);
  });

  test('the newest step is written anyway, so it does not count as written again', async () => {
    const log = logBuilder();
    log.user('a task');
    const { result } = log.call('read', {}, text(1_000));
    directive(log, result);
    log.call('read', {}, text(30_000));
    expect(await redactedIn(log, { prices }, byDefault)).toEqual([result.id]);
    log.call('run', {}, 'ok');
    expect(await redactedIn(log, { prices }, byDefault)).toEqual([result.id]);
  });

  test('take effect when the cache is cold, and stay in effect', async () => {
    const cacheLifeMs = 300_000;
    const { log, result } = waiting({ target: 1_000, after: 20_000 });
    expect(await redactedIn(log, { cacheLifeMs }, byDefault)).toEqual([]);
    const later = new Date(Date.parse(log.events.at(-1)?.timestamp ?? '') + 400_000);
    log.user('Still there?', { timestamp: later.toISOString() });
    expect(await redactedIn(log, { cacheLifeMs }, byDefault)).toEqual([result.id]);
    expect(await redactedIn(log, {}, byDefault)).toEqual([]);
    for (let call = 0; call < 3; call++) {
      log.call('run', {}, 'ok', { timestamp: later.toISOString() });
      expect(await redactedIn(log, { cacheLifeMs }, byDefault)).toEqual([result.id]);
    }
  });

  test('take effect together', async () => {
    const log = logBuilder();
    log.user('a task');
    const results = [1, 2, 3, 4].map(() => log.call('read', {}, text(2_000)).result);
    log.call('read', {}, text(5_000));
    const seen: number[] = [];
    for (const result of results) {
      directive(log, result);
      seen.push((await redactedIn(log)).length);
    }
    expect(new Set(seen)).toEqual(new Set([0, 4]));
  });

  test('without a price difference nothing waits', async () => {
    const { log, result } = waiting({ target: 1_000, after: 20_000 });
    const uncached = relevanceCondenser({ apply: 'batched', batching: { prices: { read: 1, write: 1 } } });
    expect(await redactedIn(log, {}, uncached)).toEqual([result.id]);
  });

  test('take effect when the view nears its budget: the window less the answer and what is sent beside it', async () => {
    const { log, result } = waiting({ target: 1_000, after: 20_000 });
    expect(await redactedIn(log, { contextWindow: 29_500 })).toEqual([]);
    expect(await redactedIn(log, { contextWindow: 29_500, maxOutputTokens: 2_000, fixedTokens: 2_000 })).toEqual([
      result.id,
    ]);
    expect(await redactedIn(log, { contextWindow: 25_000 })).toEqual([result.id]);
  });

  test.each<[string, (log: LogBuilder, first: Event) => void]>([
    ['a condensation', (log, first) => log.condensation([first])],
    ['a new system prompt', (log) => log.system('other instructions')],
    ['a condensation that is undone', (log, first) => log.revert(log.condensation([first]))],
  ])('take effect with the rewrite that something else makes: %s', async (_, rewrite) => {
    const log = logBuilder();
    const first = log.user('hello');
    log.user('a task');
    const { result } = log.call('read', {}, text(1_000));
    log.call('read', {}, text(20_000));
    directive(log, result);
    expect(await redactedIn(log)).toEqual([]);
    rewrite(log, first);
    expect(await redactedIn(log)).toEqual([result.id]);
    const later = log.call('read', {}, text(1_000)).result;
    log.call('read', {}, text(20_000));
    directive(log, later);
    expect(await redactedIn(log)).toEqual([result.id]);
  });

  test('take effect with the undoing of a condensation that is older than they are', async () => {
    const log = logBuilder();
    const first = log.user('hello');
    log.user('a task');
    const condensation = log.condensation([first]);
    const { result } = log.call('read', {}, text(1_000));
    log.call('read', {}, text(20_000));
    directive(log, result);
    expect(await redactedIn(log)).toEqual([]);
    log.revert(condensation);
    expect(await redactedIn(log)).toEqual([result.id]);
  });

  test('an empty condensation rewrites nothing', async () => {
    const { log } = waiting({ target: 1_000, after: 20_000 });
    log.condensation([], { metadata: { reason: 'nothing-to-forget' } });
    expect(await redactedIn(log)).toEqual([]);
  });

  test('thinking made since they took effect still verifies at every later step', async () => {
    const thinking = (thought: string) => ({ thinkingBlocks: [{ type: 'thinking' as const, thinking: thought }] });
    const log = logBuilder();
    log.user('a task');
    const { result } = log.call('read', {}, text(20_000));
    log.call('run', {}, 'ok', thinking('older'));
    directive(log, result);
    const before = await condensed(batched, log.events);
    expect(redacted(before.result)).toEqual([result.id]);
    expect(JSON.stringify(before.result.toMessages())).not.toContain('older');
    for (let step = 0; step < 3; step++) {
      log.call('run', {}, 'ok', thinking(`since ${step}`));
      const sent = JSON.stringify((await condensed(batched, log.events)).result.toMessages());
      expect(sent).not.toContain('older');
      for (let made = 0; made <= step; made++) expect(sent).toContain(`since ${made}`);
    }
  });

  test('one that changes nothing does not hold up the others, and counts for nothing', async () => {
    const log = logBuilder();
    log.user('a task');
    log.call('read', {}, text(20_000));
    const { result } = log.call('read', {}, text(20_000));
    log.call('read', {}, text(10_000));
    directive(log, { id: 'nowhere' });
    directive(log, result);
    expect(await redactedIn(log)).toEqual([result.id]);
  });

  test('one without its requesting call takes effect at once', async () => {
    const log = logBuilder();
    log.user('a task');
    const { result } = log.call('read', {}, text(1_000));
    log.call('read', {}, text(20_000));
    directive(log, result, { requestingActionId: 'not in this log' });
    expect(await redactedIn(log)).toEqual([result.id]);
  });
});

test('what has taken effect at one model call has at every later one, also when words come while the model is thinking', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fc.nat(), fc.boolean()), { maxLength: 60 }), async (moves) => {
      const log = logBuilder();
      log.user('a task');
      let inEffect: readonly EventId[] = [];
      const condensations: Parameters<LogBuilder['revert']>[0][] = [];
      for (const [move, seed, interrupted] of moves) {
        const results = log.events.filter((event) => event.type === 'observation' && event.toolName === 'read');
        const target = results[seed % Math.max(1, results.length)];
        if (move < 7 || target === undefined) {
          const { result } = await condensed(batched, log.events, { contextWindow: 60_000 });
          const now = redacted(result);
          const gone = inEffect.filter((id) => !now.includes(id) && result.indexOf(id) !== undefined);
          expect(gone).toEqual([]);
          inEffect = now;
          // A message that arrives during the model call stands before the response and was not sent.
          if (interrupted) log.user(text(seed % 5_000));
          if (move < 4 || target?.type !== 'observation') log.call('read', {}, text(seed % 4_000));
          else directive(log, target);
        } else if (move === 7) {
          condensations.push(log.condensation([target], { summary: 'what was', summaryOffset: 1 }));
        } else if (move === 8) {
          const [condensation] = condensations.splice(seed % Math.max(1, condensations.length), 1);
          if (condensation !== undefined) log.revert(condensation);
        } else {
          log.condensation([], { redactions: [{ eventId: target.id, text: 'masked' }] });
        }
      }
    }),
  ));

describe('what a session costs', () => {
  /** Sums what each call's prompt costs, in uncached input tokens, with a cache that holds the last prompt. */
  function costOf(apply: 'immediate' | 'batched' | 'never', steps: number, seed: number): number {
    const condenser = relevanceCondenser(apply === 'never' ? {} : { apply });
    const log = logBuilder();
    log.user('a task');
    const projection = new ViewProjection();
    let folded = 0;
    let before: readonly string[] = [];
    let cost = 0;
    let state = seed;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const open: { readonly due: number; readonly result: Parameters<typeof directive>[1] }[] = [];
    for (let step = 0; step < steps; step++) {
      const { events } = log;
      for (; folded < events.length; folded++) projection.append(events[folded] as Event);
      const view = condenser.condense(projection.view, { prices, report: () => undefined });
      const now = [...view.events].map((event) => `${event.id} ${isToolResult(event) && event.redacted === true}`);
      let same = 0;
      while (same < before.length && before[same] === now[same]) same++;
      cost += 0.1 * view.tokens(0, same) + 1.25 * view.tokens(same);
      before = now;
      const { result } = log.call('read', {}, text(Math.floor(100 + 3_000 * random() ** 3)));
      if (random() < 0.6) open.push({ due: step + 2 + Math.floor(10 * random()), result });
      const due = open.findIndex((entry) => entry.due <= step);
      if (apply !== 'never' && due >= 0) for (const entry of open.splice(due, 1)) directive(log, entry.result);
    }
    return cost;
  }

  /** The cost of each way as a share of a session without the tool, over several sessions. */
  function shares(steps: number) {
    const total = { never: 0, immediate: 0, batched: 0 };
    for (const apply of ['never', 'immediate', 'batched'] as const) {
      for (const seed of [7_919, 15_838]) total[apply] += costOf(apply, steps, seed);
    }
    return { immediate: total.immediate / total.never, batched: total.batched / total.never };
  }

  test('30 steps: batched directives cost about a tenth more than none; immediate ones at least 40 % more', () => {
    const { immediate, batched } = shares(30);
    expect(batched).toBeLessThan(1.15);
    expect(immediate).toBeGreaterThan(1.4);
  });

  test('150 steps: batched directives save a quarter and more; immediate ones hardly pay', () => {
    const { immediate, batched } = shares(150);
    expect(batched).toBeLessThan(0.75);
    expect(immediate).toBeGreaterThan(0.9);
  });
});
