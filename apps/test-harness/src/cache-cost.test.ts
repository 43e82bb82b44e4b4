import { fileURLToPath } from 'node:url';
import {
  amortizedForgettingCondenser,
  extractiveSummaryCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
} from '@palimpsest/condensers';
import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { beforeAll, describe, expect, test } from 'vitest';
import { avoidableCost, cacheUse } from '../test-support/cache-cost.js';
import type { CacheUse, CacheUseOfSessions, Provider } from '../test-support/cache-cost.js';
import { readSessions } from './import/index.js';

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
  const answered = (step: number) => {
    const content = [{ type: 'text' as const, text: `Step ${step} is done.` }];
    return createEvent('message', { source: 'agent', role: 'assistant', content, llmResponseId: `answer-${step}` });
  };
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
    if (below(30) === 0) log.push(answered(step), said(`And ${step}?`));
  }
  return log;
}

const providers = ['anthropic', 'openai'] as const;
/** All of it takes minutes: `npm run test:long`. */
const isLongRun = process.env['PALIMPSEST_LONG_RUNS'] !== undefined;

describe.each(Object.keys(condensers))('marks of the prompt cache, generated logs, %s', (name) => {
  let replayed: CacheUseOfSessions;
  beforeAll(async () => {
    const logs = (isLongRun ? [1, 2] : [1]).map((seed) => generatedLog(seed, 120));
    replayed = await cacheUse(logs, condensers[name] as () => Condenser, { of: providers, marksAtEnds: true });
  });

  test.each(providers)('at %s', (provider) => {
    const { asSent, atBest, markedAtEnds } = useAt(replayed, provider);
    expect(replayed.condensations).toBeGreaterThan(3);
    expect(avoidableCost(asSent, atBest)).toBeLessThan(mostAvoidable);
    // As if the history only grew.
    expect(avoidableCost(markedAtEnds, atBest)).toBeGreaterThan(avoidableCost(asSent, atBest) + 0.01);
  });
});

describe('marks of the prompt cache, our own corpus', () => {
  let replayed: CacheUseOfSessions;
  beforeAll(async () => {
    const sessions = await sessionsIn(fileURLToPath(new URL('../../../corpus', import.meta.url)));
    const create = condensers["the reference agent's demo"] as () => Condenser;
    replayed = await cacheUse(sessions, create, { of: providers });
  });

  test.each(providers)('at %s', (provider) => {
    const { asSent, atBest } = useAt(replayed, provider);
    expect(replayed.condensations).toBeGreaterThan(3);
    expect(avoidableCost(asSent, atBest)).toBeLessThan(mostAvoidable);
  });
});

test('a condenser that forgets the beginning leaves the instructions and the tools', async () => {
  const create = () => amortizedForgettingCondenser({ keepFirst: 0, maxSize: 100 });
  const replayed = await cacheUse([generatedLog(4, 120)], create);
  const { asSent, atBest } = useAt(replayed, 'anthropic');
  expect(replayed.condensations).toBeGreaterThan(0);
  expect(avoidableCost(asSent, atBest)).toBeLessThan(mostAvoidable);
});

const recorded = process.env['PALIMPSEST_TRAJECTORIES'];
/** In a long run all condensers on all sessions. Otherwise one condenser, on the beginning of the longest session of each folder. */
const measured = isLongRun ? Object.keys(condensers) : ["the reference agent's pipeline"];

/** A replay costs the square of a session's length. */
const mostEvents = 800;

describe.skipIf(recorded === undefined)('the long real sessions that PALIMPSEST_TRAJECTORIES names', () => {
  const long: (readonly Event[])[] = [];
  beforeAll(async () => {
    for (const folder of ['claude-code-entire', 'codex-entire', 'pi-mono']) {
      const all = (await sessionsIn(`${recorded}/${folder}`)).toSorted((a, b) => b.length - a.length);
      const some = isLongRun ? all : all.slice(0, 1).map((events) => events.slice(0, mostEvents));
      long.push(...some.filter((events) => events.length > 100));
    }
  });

  test.each(measured)('%s', { timeout: 1_200_000 }, async (name) => {
    expect(long.length).toBeGreaterThan(0);
    const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
    const rows: string[] = [];
    const create = condensers[name] as () => Condenser;
    const { uses, condensations } = await cacheUse(long, create, { expires: [false, true], marksAtEnds: isLongRun });
    expect(uses).toHaveLength(2);
    expect(condensations).toBeGreaterThan(3);
    for (const { expires, asSent, atBest } of uses) {
      for (const readPrice of [0.1, 0.05]) {
        const share = avoidableCost(asSent, atBest, readPrice);
        rows.push(`${expires ? 'recorded time' : 'no time'}, reads at ${readPrice}: ${percent(share)}`);
        expect(share, rows.at(-1)).toBeLessThan(mostAvoidable);
      }
    }
    // Printed, and asserted nowhere.
    const [{ markedAtEnds, atBest }] = uses as [CacheUse];
    if (isLongRun) rows.push(`marks at the ends alone: ${percent(avoidableCost(markedAtEnds, atBest))}`);
    console.log(`${name}, ${long.length} sessions, ${condensations} condensations: ${rows.join(' · ')}`);
  });
});

function useAt({ uses }: CacheUseOfSessions, provider: Provider): CacheUse {
  const use = uses.find((each) => each.provider === provider);
  if (use === undefined) throw new Error(`nothing was sent to ${provider}`);
  return use;
}

async function sessionsIn(folder: string): Promise<readonly (readonly Event[])[]> {
  const sessions: (readonly Event[])[] = [];
  for await (const { events } of readSessions(folder)) sessions.push(events);
  return sessions;
}
