import type { Event } from '@palimpsest/events';
import { parseEvent } from '@palimpsest/events';
import { isCondensation, NoCondensationAvailableError, protectedEventIds, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { extractiveSummaryCondenser } from './digest/extractive-summary.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { pipelineCondenser } from './pipeline/pipeline.js';

const condenser: fc.Arbitrary<Condenser> = fc.oneof(
  fc
    .record({
      keepFirst: fc.nat(6),
      room: fc.integer({ min: 2, max: 20 }),
      maxSummaryTokens: fc.integer({ min: 1, max: 3_000 }),
    })
    .map(({ keepFirst, room, maxSummaryTokens }) =>
      extractiveSummaryCondenser({ keepFirst, maxSize: 2 * (keepFirst + room), maxSummaryTokens }),
    ),
  fc.integer({ min: 20, max: 4_000 }).map((maxTokens) => extractiveSummaryCondenser({ maxTokens })),
  fc
    .record({
      attentionWindow: fc.nat(30),
      minSavedTokens: fc.integer({ min: 1, max: 500 }),
      maskArguments: fc.boolean(),
    })
    .map(observationMaskingCondenser),
  fc.constant(
    pipelineCondenser([
      observationMaskingCondenser({ minSavedTokens: 50 }),
      extractiveSummaryCondenser({ maxSize: 16 }),
    ]),
  ),
);

const log = fc
  .record({ seed: fc.integer(), length: fc.integer({ min: 0, max: 160 }), dirty: fc.boolean() })
  .map(randomLog);

test('a condensation never grows the view, keeps what is protected and whole, survives JSON, and soon there is none', async () => {
  let condensations = 0;
  await fc.assert(
    fc.asyncProperty(condenser, log, fc.boolean(), async (subject, { events }, request) => {
      const history: Event[] = [...events];
      if (request)
        history.push(parseEvent({ type: 'condensation-request', id: 'request', timestamp: 't', source: 'user' }));
      for (let round = 0; ; round++) {
        const view = View.fromEvents(history);
        const result = await Promise.resolve()
          .then(() => subject.condense(view, { report: () => {} }))
          .catch((error: unknown) => {
            expect(NoCondensationAvailableError.isInstance(error) && view.unhandledCondensationRequest).toBe(true);
          });
        if (result === undefined || !isCondensation(result)) return;
        expect(round).toBeLessThan(4);
        condensations++;
        const read = parseEvent(JSON.parse(JSON.stringify(result)));
        expect(read).toEqual(result);
        const after = View.fromEvents([...history, read]);
        expect(after.tokens()).toBeLessThan(view.tokens());
        expect(after.events.length).toBeLessThanOrEqual(view.events.length);
        expect(result.metadata).toMatchObject({ tokensBefore: view.tokens(), tokensAfter: after.tokens() });
        for (const id of protectedEventIds(view)) expect(after.indexOf(id)).toBeDefined();
        expect(messageViolations(after.toMessages())).toEqual([]);
        history.push(read);
      }
    }),
    { seed: 20_261_121, numRuns: fewer(120) },
  );
  expect(condensations).toBeGreaterThan(fewer(50));
});
