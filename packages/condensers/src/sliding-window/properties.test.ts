import type { Condensation } from '@palimpsest/events';
import { parseEvent } from '@palimpsest/events';
import { isCondensation, NoCondensationAvailableError, protectedEventIds, ViewProjection } from '@palimpsest/view';
import type { ThinkingMode, View } from '@palimpsest/view';
import { messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readingSummarizer } from '../../test-support/window-session.js';
import { fewer } from '../../test-support/fewer.js';
import { slidingWindowCondenser } from './sliding-window.js';
import { timelineOf } from './timeline.js';

const sizes = fc.record({
  pairs: fc.constantFrom('invocations', 'tokens', 'both'),
  interval: fc.integer({ min: 1, max: 4 }),
  overlap: fc.nat(5),
  threshold: fc.integer({ min: 1, max: 1_500 }),
  retention: fc.nat(30),
  maxSummaries: fc.integer({ min: 1, max: 4 }),
});

const logs = fc.record({ seed: fc.integer(), length: fc.integer({ min: 0, max: 160 }), dirty: fc.boolean() });

function subject({ pairs, interval, overlap, threshold, retention, maxSummaries }: Parameters<typeof optionsOf>[0]) {
  const reader = readingSummarizer(() => ({ text: 'S' }));
  const condenser = slidingWindowCondenser({
    ...optionsOf({ pairs, interval, overlap, threshold, retention, maxSummaries }),
    maxSummaries,
    summarizer: reader.summarizer,
  });
  return { condenser, inputs: reader.inputs };
}

function optionsOf({
  pairs,
  interval,
  overlap,
  threshold,
  retention,
}: {
  readonly pairs: string;
  readonly interval: number;
  readonly overlap: number;
  readonly threshold: number;
  readonly retention: number;
  readonly maxSummaries: number;
}) {
  return {
    ...(pairs === 'tokens' ? {} : { compactionInterval: interval, overlapSize: overlap }),
    ...(pairs === 'invocations' ? {} : { tokenThreshold: threshold, eventRetentionSize: retention }),
  };
}

/** A summary of the live invocation's first part is rolled up with an older one. */
const rolledUpInTheLiveOne = [
  { pairs: 'invocations', interval: 1, overlap: 0, threshold: 1, retention: 0, maxSummaries: 1 },
  { seed: -788698750, length: 137, dirty: true },
  false,
  'prefix-bound',
] as const;

const modes: readonly ThinkingMode[] = ['prefix-bound', 'latest-turn'];

test('on any log: refused by no provider, never larger, settled soon, and nothing forgotten that was not read', async () => {
  const reasons = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      sizes,
      logs,
      fc.boolean(),
      fc.constantFrom(...modes),
      async (options, logOptions, request, thinking) => {
        const { events: log } = randomLog(logOptions);
        const { condenser, inputs } = subject(options);
        const history = new ViewProjection({ thinking });
        // A host asks before each model call; every eighth event is often enough to meet all states of a log.
        for (const [index, event] of log.entries()) {
          history.append(event);
          if (index % 8 !== 7 && index !== log.length - 1) continue;
          if (request && index === log.length - 1) history.append(requestEvent);
          for (let round = 0; ; round++) {
            const { view } = history;
            const result = await ask(condenser, view);
            if (result === undefined) break;
            expect(round).toBeLessThan(3);
            check(view, result, inputs.at(-1)?.events.map(({ id }) => id) ?? []);
            const reason = String(result.metadata?.['reason']);
            reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
            history.append(parseEvent(JSON.parse(JSON.stringify(result))));
            checkAfter(view, history.view, result);
            if (reason === 'interval') checkLive(view, result);
          }
        }
      },
    ),
    { seed: 20_261_121, numRuns: fewer(100), examples: [[...rolledUpInTheLiveOne]] },
  );
  expect(Object.fromEntries(reasons)).toEqual({
    interval: expect.any(Number),
    tokens: expect.any(Number),
    request: expect.any(Number),
  });
  for (const count of reasons.values()) expect(count).toBeGreaterThanOrEqual(fewer(20));
});

const requestEvent = parseEvent({ type: 'condensation-request', id: 'request', timestamp: 't', source: 'user' });

async function ask(
  condenser: ReturnType<typeof slidingWindowCondenser>,
  view: View,
): Promise<Condensation | undefined> {
  try {
    const result = await condenser.condense(view, { report: () => {} });
    return isCondensation(result) ? result : undefined;
  } catch (error) {
    expect(NoCondensationAvailableError.isInstance(error) && view.unhandledCondensationRequest).toBe(true);
    return undefined;
  }
}

/** What was read is what the record says, and all that goes was read, or is a summary that was rolled up or subsumed. */
function check(view: View, { forgottenEventIds, metadata }: Condensation, read: readonly string[]): void {
  const covered = metadata?.['coveredEventIds'] as readonly string[];
  expect(new Set(covered).size).toBe(covered.length);
  expect(covered).toEqual(read);
  const unread = forgottenEventIds.filter((id) => !covered.includes(id));
  for (const id of unread) {
    const event = view.events.at(view.indexOf(id) ?? view.events.length);
    // One that is not in force is never sent.
    if (event?.type === 'system-prompt') continue;
    expect(event?.type).toBe('condensation-summary');
    expect(view.original(id)).toBeUndefined();
  }
  for (const id of covered) expect(view.original(id) ?? view.indexOf(id)).toBeDefined();
}

function checkAfter(view: View, after: View, { metadata }: Condensation): void {
  expect(after.tokens()).toBeLessThan(view.tokens());
  expect(metadata).toMatchObject({ tokensBefore: view.tokens(), tokensAfter: after.tokens() });
  expect(after.notes.length).toBe(view.notes.length);
  expect(messageViolations(after.toMessages())).toEqual([]);
  for (const id of protectedEventIds(view)) expect(after.indexOf(id)).toBeDefined();
}

/** Nothing of the live invocation goes but summaries of what a request has condensed of it already: they are rolled up. */
function checkLive(view: View, { forgottenEventIds }: Condensation): void {
  const { live } = timelineOf(view, ['finish']);
  const inLive = forgottenEventIds.filter((id) => (view.indexOf(id) ?? -1) >= (live?.index ?? 0));
  for (const id of inLive) expect(view.events.at(view.indexOf(id) ?? -1)?.type).toBe('condensation-summary');
}
