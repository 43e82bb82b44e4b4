import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { standInLLM } from '../test-support/stand-in-llm.js';
import { amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
import { browserOutputCondenser } from './browser-output/browser-output.js';
import { condenserNames } from './config/own-condensers.js';
import { conversationWindowCondenser } from './conversation-window/conversation-window.js';
import { digestCondenser } from './digest/digest.js';
import { extractiveSummaryCondenser } from './digest/extractive-summary.js';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
import { noOpCondenser } from './no-op/no-op.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { pipelineCondenser } from './pipeline/pipeline.js';
import { pricedCondenser } from './priced/priced.js';
import { recentEventsCondenser } from './recent-events/recent-events.js';
import { slidingWindowCondenser } from './sliding-window/sliding-window.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';

/** A run has its bound reached dozens of times. `npm run test:long` sets 10,000. */
const steps = Number(
  process.env['PALIMPSEST_LONG_RUN_STEPS'] ?? (process.env['PALIMPSEST_THOROUGH'] === 'true' ? 600 : 300),
);
const llm = standInLLM();

/** What a whole run sent at most, and did. */
interface Sent {
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
  readonly condensations: number;
  readonly inARow: number;
  /** What the log holds at the end. */
  readonly logged: { readonly events: number; readonly tokens: number };
}

interface Run {
  readonly create: () => Condenser;
  readonly check: (sent: Sent) => void;
  /** Somebody asks for a condensation when the view has more events than this. @defaultValue nobody asks */
  readonly requestsAbove?: number;
}

const runs: Readonly<Record<string, Run>> = {
  noOp: {
    create: noOpCondenser,
    check: ({ events, condensations, logged }) => {
      expect(condensations).toBe(0);
      expect(events).toBe(logged.events);
    },
  },
  recentEvents: {
    create: () => recentEventsCondenser({ maxSize: 100 }),
    check: ({ events, condensations, logged }) => {
      expect(events).toBeLessThanOrEqual(100 + 3);
      expect(condensations).toBe(0);
      expect(logged.events).toBeGreaterThan(4 * steps);
    },
  },
  priced: {
    create: () => pricedCondenser({ preset: 'cheapest' }),
    check: ({ tokens, condensations, logged }) => {
      expect(tokens).toBeLessThan(100_000);
      expect(condensations).toBeGreaterThan(5);
      expect(logged.tokens).toBeGreaterThan(2 * tokens);
    },
  },
  // Masks have no bound on events; what was read goes, what was called stays.
  observationMasking: { create: () => observationMaskingCondenser(), check: masksOnly(0.5) },
  browserOutput: { create: () => browserOutputCondenser({ attentionWindow: 2 }), check: masksOnly(0.95) },
  amortizedForgetting: { create: () => amortizedForgettingCondenser(), check: heldBy(120) },
  conversationWindow: {
    create: () => conversationWindowCondenser(),
    requestsAbove: 300,
    // It acts on requests alone: a step may come on top, and each request halves.
    check: heldBy(300),
  },
  digest: { create: () => digestCondenser(), check: heldBy(120) },
  extractiveSummary: { create: () => extractiveSummaryCondenser(), check: heldBy(120) },
  'extractiveSummary by tokens': {
    create: () => extractiveSummaryCondenser({ maxSize: 100_000, maxTokens: 20_000 }),
    check: ({ tokens, inARow }) => {
      expect(tokens).toBeLessThanOrEqual(20_000);
      expect(inARow).toBe(1);
    },
  },
  llmSummarizing: { create: () => llmSummarizingCondenser({ llm }), check: heldBy(120) },
  'llmSummarizing by tokens, in the background': {
    create: () => llmSummarizingCondenser({ llm, maxSize: 100_000, maxTokens: 20_000, background: true }),
    check: ({ tokens, inARow }) => {
      expect(tokens).toBeLessThanOrEqual(20_000);
      expect(inARow).toBe(1);
    },
  },
  // While a summary is written the view grows: here by one step of at most eight events.
  'llmSummarizing in the background': {
    create: () => llmSummarizingCondenser({ llm, background: true }),
    check: heldBy(120 + 8),
  },
  structuredSummary: { create: () => structuredSummaryCondenser({ llm }), check: heldBy(120) },
  llmAttention: { create: () => llmAttentionCondenser({ llm }), check: heldBy(120) },
  'llmAttention in the background': {
    create: () => llmAttentionCondenser({ llm, background: true }),
    check: heldBy(120 + 8),
  },
  // Ten summaries, three invocations of at most 202 events that are complete, and the live one.
  slidingWindow: {
    create: () => slidingWindowCondenser({ llm, compactionInterval: 3, overlapSize: 1 }),
    check: ({ events, condensations }) => {
      expect(events).toBeLessThanOrEqual(10 + 4 * 210);
      expect(condensations).toBeGreaterThan(steps / 50 / 3 - 2);
    },
  },
  'slidingWindow by tokens': {
    create: () => slidingWindowCondenser({ llm, tokenThreshold: 20_000, eventRetentionSize: 20 }),
    check: ({ tokens, inARow }) => {
      expect(tokens).toBeLessThanOrEqual(20_000);
      expect(inARow).toBe(1);
    },
  },
  pipeline: {
    create: () => pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
    check: heldBy(120, 2),
  },
};

function heldBy(bound: number, inARowAtMost = 1) {
  return ({ events, condensations, inARow }: Sent): void => {
    expect(events).toBeLessThanOrEqual(bound);
    expect(inARow).toBeLessThanOrEqual(inARowAtMost);
    // The room below the bound is used: about half of it at a time.
    expect(condensations).toBeGreaterThan(0);
    expect(condensations).toBeLessThan((4.2 * steps * inARowAtMost) / (bound / 2 - 8));
  };
}

function masksOnly(share: number) {
  return ({ events, tokens, condensations, logged }: Sent): void => {
    expect(events).toBe(logged.events);
    expect(tokens).toBeLessThan(logged.tokens * share);
    expect(condensations).toBeGreaterThan(0);
  };
}

/** A session in steps: batches of one to three calls, and words of the user after each fiftieth step, when the agent is done. */
function sessionInSteps(): readonly (readonly Event[])[] {
  const log = logBuilder();
  const session: (readonly Event[])[] = [[log.system(), log.user('Work through the list.')]];
  for (let step = 1; step <= steps; step++) {
    const isPage = step % 5 === 0;
    const calls = Array.from({ length: 1 + (step % 3) }, (_, index) => ({
      name: index > 0 ? 'bash' : isPage ? 'browser_open' : 'read_file',
      input:
        index > 0
          ? { command: `npm test -- ${step}` }
          : isPage
            ? { url: `http://host/${step}` }
            : { path: `src/${step}.ts` },
      result: `line of step ${step}\n`.repeat(10 + ((step * 7) % 50)),
    }));
    const { actions, results } = log.batch(calls);
    const words = step % 50 === 0 ? [log.agent(`Part ${step} is done.`), log.user(`Now part ${step}.`)] : [];
    session.push([...actions, ...results, ...words]);
  }
  return session;
}

/** The same for every condenser: events are immutable, and most of a run was to make them. */
const session = sessionInSteps();
let logged: Sent['logged'];

beforeAll(() => {
  const view = View.fromEvents(session.flat());
  logged = { events: view.events.length, tokens: view.tokens() };
});

/** Runs the session, and appends what the condenser decides. */
async function run({ create, requestsAbove }: Run): Promise<Sent> {
  const condenser = create();
  const createEvent = logBuilder({ idPrefix: 'request-' }).create;
  const projection = new ViewProjection();
  let [events, tokens, condensations, mostInARow] = [0, 0, 0, 0];
  for (const [step, added] of session.entries()) {
    for (const event of added) projection.append(event);
    if (step === 0) continue;
    if (projection.view.events.length > (requestsAbove ?? Infinity)) {
      projection.append(createEvent('condensation-request', {}));
    }
    // A model call takes longer than this: what is written in the background is then there.
    await new Promise((resolve) => setImmediate(resolve));
    for (let inARow = 0; ; inARow++) {
      const result = await condenser.condense(projection.view, {
        report: ({ outcome }) => expect(outcome).not.toBe('discarded'),
      });
      mostInARow = Math.max(mostInARow, inARow);
      if (isCondensation(result)) {
        condensations++;
        projection.append(result);
        continue;
      }
      events = Math.max(events, result.events.length);
      tokens = Math.max(tokens, result.tokens());
      if (step % 100 === 0) expect(messageViolations(result.toMessages())).toEqual([]);
      break;
    }
  }
  return { events, tokens, condensations, inARow: mostInARow, logged };
}

describe(`${steps.toLocaleString('en-GB')} steps`, () => {
  test('are run for every condenser that there is', () => {
    for (const name of condenserNames) expect(Object.keys(runs)).toContain(name);
  });

  test.each(Object.keys(runs))('%s stays within what it declares, and acts once at a time', async (name) => {
    const subject = runs[name] as Run;
    subject.check(await run(subject));
  });
});
