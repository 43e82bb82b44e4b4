import { fileURLToPath } from 'node:url';
import {
  conversationWindowCondenser,
  extractiveSummaryCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
} from '@palimpsest/condensers';
import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSessions } from './import/index.js';
import type { Session } from './import/index.js';
import { avoidableCost, cacheUse, noUse, sumOf } from '../test-support/cache-cost.js';
import type { CacheUseOptions } from '../test-support/cache-cost.js';

/** On the second engine of `.ci/run`. */
const isBriefRun = process.env['PALIMPSEST_BRIEF_RUNS'] === 'true';

/** What better marks could save, at the most, of what requests cost. */
const mostAvoidable = 0.01;

/** At the defaults, and at sizes at which they act often. */
const condensers: Readonly<Record<string, () => Condenser>> = {
  observationMasking: () => observationMaskingCondenser(),
  extractiveSummary: () => extractiveSummaryCondenser(),
  "the reference agent's pipeline": () =>
    pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
  "the reference agent's demo": () =>
    pipelineCondenser([
      observationMaskingCondenser({ attentionWindow: 16, minSavedTokens: 3_000 }),
      extractiveSummaryCondenser({ maxSize: 90, maxSummaryTokens: 1_200 }),
    ]),
};

async function sumOver(logs: readonly (readonly Event[])[], create: () => Condenser, options: CacheUseOptions = {}) {
  let [condensations, asSent, atBest] = [0, noUse, noUse];
  for (const events of logs) {
    const use = await cacheUse(events, create(), options);
    condensations += use.condensations;
    [asSent, atBest] = [sumOf(asSent, use.asSent), sumOf(atBest, use.atBest)];
  }
  return { condensations, asSent, atBest };
}

/** A log of a coding agent: batches of one to three calls, results between a line and some pages, now and then a word of the user. */
function generatedLog(seed: number, steps: number): readonly Event[] {
  let state = seed;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  let count = 0;
  const createEvent = eventFactory({ newId: () => `${++count}`, now: () => new Date(count * 1_000) });
  const said = (text: string) =>
    createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text }] });
  const log: Event[] = [said('The task. '.repeat(100))];
  for (let step = 0; step < steps; step++) {
    const thought = [{ type: 'text' as const, text: `Step ${step}. `.repeat(1 + below(20)) }];
    const actions = Array.from({ length: 1 + below(3) }, (_, call) =>
      createEvent('action', {
        thought: call === 0 ? thought : [],
        toolCall: {
          id: `call-${step}-${call}`,
          name: 'read',
          arguments: JSON.stringify({ path: `src/${below(50)}.ts` }),
        },
        llmResponseId: `response-${step}`,
        ...(call === 0
          ? { thinkingBlocks: [{ type: 'thinking' as const, thinking: 'Hm. '.repeat(50), signature: 's' }] }
          : {}),
      }),
    );
    log.push(...actions);
    for (const action of actions) {
      const text = `line ${step} ${below(1_000_000)}\n`.repeat(1 + below(below(10) === 0 ? 1_000 : 60));
      log.push(
        createEvent('observation', {
          toolName: 'read',
          toolCallId: action.toolCall.id,
          actionId: action.id,
          content: [{ type: 'text', text }],
        }),
      );
    }
    if (below(30) === 0) log.push(said(`And ${step}?`));
  }
  return log;
}

describe.each(['anthropic', 'openai'] as const)('marks of the prompt cache, at %s', (provider) => {
  const logs = (isBriefRun ? [1] : [1, 2]).map((seed) => generatedLog(seed, 120));

  test.each(Object.keys(condensers))('generated logs, %s', { timeout: 120_000 }, async (name) => {
    const create = condensers[name] as () => Condenser;
    const sum = await sumOver(logs, create, { provider });
    expect(sum.condensations).toBeGreaterThan(3);
    expect(avoidableCost(sum)).toBeLessThan(mostAvoidable);
    // Marks at the ends alone, as if the history only grew.
    const growing = await sumOver(logs.slice(0, 1), create, { provider, hints: () => ({}) });
    expect(avoidableCost(growing)).toBeGreaterThan(avoidableCost(sum) + 0.01);
  });

  test('our own corpus', { timeout: 120_000 }, async () => {
    const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
    const sessions: Session[] = [];
    for await (const session of readSessions(corpus)) sessions.push(session);
    const create = condensers["the reference agent's demo"] as () => Condenser;
    const recorded = sessions.map(({ events }) => events);
    const sum = await sumOver(recorded, create, { provider });
    expect(sum.condensations).toBeGreaterThan(3);
    expect(avoidableCost(sum)).toBeLessThan(mostAvoidable);
  });
});

test('a condenser that forgets the beginning leaves the instructions and the tools', async () => {
  const create = () => conversationWindowCondenser();
  const sum = await sumOver([generatedLog(4, 200)], create);
  expect(avoidableCost(sum)).toBeLessThan(mostAvoidable);
});

const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
/** All of them take minutes: `npm run test:long`. Otherwise one condenser, on the longest session of each folder. */
const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] !== undefined;
const measured = isLongRun ? Object.keys(condensers) : ["the reference agent's pipeline"];

describe.skipIf(recorded === undefined)('the long real sessions that PALIMPSEST_TRAJECTORIES names', () => {
  const sessions: Session[] = [];
  beforeAll(async () => {
    for (const folder of isBriefRun ? ['codex-entire'] : ['claude-code-entire', 'codex-entire', 'pi-mono']) {
      const all: Session[] = [];
      for await (const session of readSessions(`${recorded}/${folder}`)) all.push(session);
      all.sort((a, b) => b.events.length - a.events.length);
      sessions.push(...(isLongRun ? all : all.slice(0, 1)));
    }
  }, 60_000);

  test.each(measured)('%s', { timeout: 1_200_000 }, async (name) => {
    const create = condensers[name] as () => Condenser;
    const long = sessions.map(({ events }) => events).filter((events) => events.length > 100);
    expect(long.length).toBeGreaterThan(0);
    const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
    const rows: string[] = [];
    for (const expires of [false, true]) {
      const sum = await sumOver(long, create, { expires });
      for (const readPrice of [0.1, 0.05]) {
        const share = avoidableCost(sum, readPrice);
        rows.push(`${expires ? 'recorded time' : 'no time'}, reads at ${readPrice}: ${percent(share)}`);
        expect(share, rows.at(-1)).toBeLessThan(mostAvoidable);
      }
    }
    // Printed, and asserted nowhere.
    if (isLongRun) {
      const before = await sumOver(long, create, { hints: () => ({}) });
      rows.push(`marks at the ends alone: ${percent(avoidableCost(before))}`);
    }
    console.log(`${name}, ${long.length} sessions: ${rows.join(' · ')}`);
  });
});
