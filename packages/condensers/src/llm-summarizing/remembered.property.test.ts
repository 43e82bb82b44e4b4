import { createEvent, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { llmSummarizingCondenser } from './llm-summarizing.js';

/** The log as another process reads it: nothing is remembered of its events. */
const readAgain = (events: readonly Event[]): readonly Event[] =>
  events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));

/** A request that cannot be met throws. */
async function attempt<Result>(decide: () => Promise<Result>): Promise<Result | NoCondensationAvailableError> {
  try {
    return await decide();
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return error;
    throw error;
  }
}

/** What the model is asked at the end of a log, and what comes of it. */
async function decisionOn(view: View, isDown: boolean) {
  const asked: unknown[] = [];
  const llm = scriptedLLM({
    script: ({ messages }) => {
      asked.push(messages);
      return isDown ? new Error('down') : 'A summary.';
    },
  });
  const condenser = llmSummarizingCondenser({ llm, maxSize: 16, keepFirst: 2, maxUserWordTokens: 200 });
  const result = await attempt(async () => condenser.condense(view, { report: () => {} }));
  if (result instanceof Error || !isCondensation(result))
    return { asked, failure: result instanceof Error ? result.message : undefined };
  const { id: _, timestamp: __, ...made } = result;
  return { asked, made, result };
}

/** Calls whose facts depend on the calls before them, so that what stays before a range matters. */
const calls = ['write a.ts', 'write b.ts', 'read a.ts', 'edit b.ts', 'remove a.ts', 'test'] as const;

function callEvents(pick: number, step: number): readonly Event[] {
  const [name = '', path] = (calls[pick] ?? 'test').split(' ');
  const input = path === undefined ? { command: 'npm test' } : { path, content: 'x' };
  const text =
    path === undefined ? `${step % 2 === 0 ? 'not ok' : 'ok'} 1 - adds\nexit code: ${(step + 1) % 2}` : 'done';
  const action = createEvent('action', {
    thought: [],
    toolCall: { id: `step-${step}`, name: path === undefined ? 'bash' : name, arguments: JSON.stringify(input) },
    llmResponseId: `step-response-${step}`,
  });
  const content = [{ type: 'text', text }] as const;
  const { id: toolCallId, name: toolName } = action.toolCall;
  return [action, createEvent('observation', { toolName, toolCallId, actionId: action.id, content })];
}

const runs = fc.record({
  log: fc.record({ seed: fc.integer(), length: fc.integer({ min: 0, max: 60 }), dirty: fc.boolean() }),
  picks: fc.array(fc.nat(calls.length - 1), { minLength: 10, maxLength: 40 }),
  reverts: fc.nat(5),
  failures: fc.nat(4),
});

test('what is remembered changes no prompt and no summary: after failures, reverts and restarts, over dirty logs', async () => {
  let [summaries, later] = [0, 0];
  await fc.assert(
    fc.asyncProperty(runs, async ({ log, picks, reverts, failures }) => {
      const steps = picks.map(callEvents);
      const random = randomLog(log).events.map((event) => [event]);
      const events: Event[] = [];
      const projection = new ViewProjection();
      let made = 0;
      const add = (event: Event): void => {
        events.push(event);
        projection.append(event);
      };
      for (const [index, step] of [...steps.slice(0, 4), ...random, ...steps.slice(4)].entries()) {
        step.forEach(add);
        const isDown = failures > 0 && index % (failures + 1) === 0;
        const { result, ...decision } = await decisionOn(projection.view, isDown);
        if (decision.asked.length > 0) {
          const { result: _, ...again } = await decisionOn(View.fromEvents(readAgain(events)), isDown);
          expect(decision).toEqual(again);
        }
        if (result === undefined) continue;
        made++;
        add(result);
        if (reverts > 0 && made % (reverts + 1) === 0)
          add(createEvent('condensation-revert', { condensationId: result.id }));
      }
      summaries += made;
      later += made > 2 ? 1 : 0;
    }),
    { seed: 20_261_123, numRuns: fewer(16) },
  );
  expect(summaries).toBeGreaterThan(fewer(40));
  expect(later).toBeGreaterThan(fewer(6));
});
