import { createEvent, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import {
  isCondensation,
  newestStep,
  NoCondensationAvailableError,
  pin,
  protectedEventIds,
  View,
} from '@palimpsest/view';
import type { AttemptReport } from '@palimpsest/view';
import { addFeatureCounts, messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';

const limits = fc
  .record({
    keepFirst: fc.nat(6),
    room: fc.integer({ min: 2, max: 16 }),
    maxTokens: fc.option(fc.integer({ min: 50, max: 4_000 })),
  })
  .map(({ keepFirst, room, maxTokens }) => ({
    keepFirst,
    maxSize: 2 * (keepFirst + room),
    ...(maxTokens === null ? {} : { maxTokens }),
  }));

const log = fc
  .record({ seed: fc.integer(), length: fc.integer({ min: 0, max: 160 }), dirty: fc.boolean() })
  .map(randomLog);

/** What a model answers, again and again. */
const answers: fc.Arbitrary<readonly ScriptedAnswer[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<ScriptedAnswer>('S', 'S', `A summary. ${'word '.repeat(20)}`) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<ScriptedAnswer>(
        new Error('down'),
        '',
        'too long '.repeat(20_000),
        { text: 'cut', finishReason: 'length' },
        { toolCalls: [{ name: 'run' }] },
      ),
    },
  ),
  { minLength: 1, maxLength: 6 },
);

const subject = { limits, log, answers, request: fc.boolean(), pinned: fc.nat(3), latestTurn: fc.boolean() };

test('over clean and dirty logs and models of every mood: it shrinks or nothing happens, and soon there is an end', async () => {
  const seen = { condensations: 0, failures: 0, pins: 0 };
  const features: Parameters<typeof addFeatureCounts>[0][number][] = [];
  await fc.assert(
    fc.asyncProperty(fc.record(subject), async ({ limits, log, answers, request, pinned, latestTurn }) => {
      features.push(log.counts);
      const history: Event[] = [...log.events];
      const options = { thinking: latestTurn ? 'latest-turn' : 'prefix-bound' } as const;
      const pins = [...View.fromEvents(history).events].filter((_, index) => index % 7 === 3).slice(0, pinned);
      if (pins.length > 0) history.push(pin(pins.map(({ id }) => id)));
      if (request) history.push(createEvent('condensation-request', {}));
      const llm = scriptedLLM({ script: (_request, index) => answers[index % answers.length] ?? 'S' });
      const condenser = llmSummarizingCondenser({ llm, ...limits });
      for (let round = 0; round <= 5; round++) {
        const view = View.fromEvents(history, options);
        const attempts: AttemptReport[] = [];
        const before = llm.requests.length;
        const result = await Promise.resolve(
          condenser.condense(view, { report: (attempt) => void attempts.push(attempt) }),
        ).catch((error: unknown) => {
          expect(NoCondensationAvailableError.isInstance(error) && view.unhandledCondensationRequest).toBe(true);
        });
        expect(llm.requests.length - before).toBeLessThanOrEqual(6);
        seen.failures += attempts.filter(({ outcome }) => outcome === 'failed').length;
        if (result === undefined) return;
        if (!isCondensation(result)) {
          expect(result).toBe(view);
          return;
        }
        expect(round, 'condensations in a row').toBeLessThan(5);
        seen.condensations++;
        const read = parseEvent(JSON.parse(JSON.stringify(result)));
        expect(read).toEqual(result);
        const after = View.fromEvents([...history, read], options);
        expect(after.tokens()).toBeLessThan(view.tokens());
        expect(after.events.length).toBeLessThanOrEqual(view.events.length);
        expect(result.metadata).toMatchObject({ tokensBefore: view.tokens(), tokensAfter: after.tokens() });
        expect(after.notes.slice(view.notes.length)).toEqual([]);
        expect(messageViolations(after.toMessages({ thinking: options.thinking }))).toEqual([]);
        for (const id of protectedEventIds(view)) expect(after.indexOf(id)).toBeDefined();
        for (const { id } of pins) {
          if (view.indexOf(id) === undefined) continue;
          seen.pins++;
          expect(after.indexOf(id)).toBeDefined();
          if (!view.leftOut.has(id)) expect(after.leftOut.get(id)).toBeUndefined();
        }
        if (result.metadata?.['reason'] === 'events')
          for (const { id } of view.events.slice(newestStep(view).start)) expect(after.indexOf(id)).toBeDefined();
        for (const attempt of attempts)
          history.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
        history.push(read);
      }
    }),
    { seed: 20_261_121, numRuns: fewer(180) },
  );
  console.log(`seen: ${JSON.stringify(seen)}; in the logs: ${JSON.stringify(addFeatureCounts(features))}`);
  expect(seen.condensations).toBeGreaterThan(fewer(50));
  expect(seen.failures).toBeGreaterThan(fewer(10));
  expect(seen.pins).toBeGreaterThan(fewer(20));
});
