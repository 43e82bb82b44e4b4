import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, View } from '@palimpsest/view';
import { condenserContract, messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { conversationWindowCondenser, selectConversationWindow } from './conversation-window.js';
import { contractSeeds } from '../../test-support/contract-seeds.js';

const report = () => {};

/** What is selected to be forgotten, as the original numbers it: from 1. */
function selected(log: LogBuilder): readonly number[] {
  const view = View.fromEvents(log.events);
  const { essential, start } = selectConversationWindow(view);
  return [...view.events].flatMap((_, index) => (index < start && !essential.has(index) ? [index + 1] : []));
}

async function forgotten(events: readonly Event[]): Promise<readonly number[]> {
  const log = logBuilder({ idPrefix: 'request-' });
  const view = View.fromEvents([...events, log.request()]);
  const result = await conversationWindowCondenser().condense(view, { report });
  if (!isCondensation(result)) throw new Error('a view in answer to a request');
  return result.forgottenEventIds.map((id) => (view.indexOf(id) ?? NaN) + 1);
}

function log(start: readonly ('system' | 'user' | 'framework')[], calls: number): LogBuilder {
  const made = logBuilder();
  for (const word of start) {
    if (word === 'system') made.system();
    else if (word === 'user') made.user('Do it.');
    else made.environment('This is known of the workspace.');
  }
  for (let call = 0; call < calls; call++) made.call('bash', { command: `${call}` });
  return made;
}

describe('the table of the original, in which the framework’s words are a recall and its result', () => {
  test.each([
    { start: ['system', 'user', 'framework', 'framework'], calls: 3, forgets: [5, 6, 7, 8] },
    { start: ['user', 'framework', 'framework'], calls: 3, forgets: [4, 5, 6, 7] },
    { start: ['system', 'user', 'framework'], calls: 3, forgets: [4, 5, 6, 7] },
    { start: ['system', 'user', 'framework', 'framework'], calls: 1, forgets: [5, 6] },
    { start: ['system', 'user', 'framework', 'framework'], calls: 0, forgets: [] },
    { start: ['system', 'user'], calls: 10, forgets: Array.from({ length: 10 }, (_, index) => index + 3) },
    { start: ['system', 'user'], calls: 9, forgets: Array.from({ length: 10 }, (_, index) => index + 3) },
  ] as const)('$start and $calls calls: $forgets', ({ start, calls, forgets }) => {
    expect(selected(log(start, calls))).toEqual(forgets);
  });

  test('a second task of the user is not essential', () => {
    const made = log(['system', 'user', 'framework', 'framework'], 1);
    made.user('And now that.');
    made.call('bash');
    made.call('bash');
    // 11 events, 4 of them essential: the last 3 are wanted, and they begin with a result.
    expect(selected(made)).toEqual([5, 6, 7, 8, 9]);
  });

  test('an empty history selects nothing', () => {
    expect(selected(logBuilder())).toEqual([]);
  });
});

describe('what comes after the selection', () => {
  test('the window is what is forgotten where nothing else protects', async () => {
    expect(await forgotten(log(['system', 'user', 'framework', 'framework'], 3).events)).toEqual([5, 6, 7, 8]);
  });

  test('known fault of the original: the latest words of the user stay', async () => {
    const made = log(['system', 'user', 'framework', 'framework'], 1);
    made.user('And now that.');
    made.call('bash');
    made.call('bash');
    expect(await forgotten(made.events)).toEqual([5, 6, 8, 9]);
  });

  test('known fault of the original: parallel batches are not split', async () => {
    const made = log(['system', 'user'], 2);
    const call = (name: string) => ({ name, result: 'ok' });
    made.batch([call('a'), call('b'), call('c')]);
    const view = View.fromEvents(made.events);
    // Of 12 events 10 are not essential; the newer 5 begin inside the batch, which is the newest step.
    expect(selectConversationWindow(view).start).toBe(12);
    expect(await forgotten(made.events)).toEqual([3, 4, 5, 6]);
  });

  test('known fault of the original: the newest step stays, also when it is all there is', async () => {
    const made = log(['system', 'user', 'framework', 'framework'], 1);
    await expect(forgotten(made.events)).rejects.toThrow(NoCondensationAvailableError);
  });

  test('known fault of the original: without a user it still makes room', async () => {
    expect(await forgotten(log([], 4).events)).toEqual([1, 2, 3, 4]);
  });

  test('older summaries stay, and no new one is written', async () => {
    const made = log(['system', 'user'], 8);
    made.condensation(View.fromEvents(made.events).events.slice(2, 6), { summary: 'What was.', summaryOffset: 2 });
    made.request();
    const view = View.fromEvents(made.events);
    const result = await conversationWindowCondenser().condense(view, { report });
    if (!isCondensation(result)) throw new Error('nothing was forgotten');
    made.add(result);
    const after = View.fromEvents(made.events);
    expect(result.summary).toBeUndefined();
    expect([...after.events].filter(({ type }) => type === 'condensation-summary')).toHaveLength(1);
    expect(result.metadata).toMatchObject({
      condenser: 'conversationWindow',
      reason: 'request',
      tokensBefore: view.tokens(),
      tokensAfter: after.tokens(),
    });
  });
});

test('size alone never makes it act', async () => {
  const view = View.fromEvents(log(['user'], 500).events);
  expect(await conversationWindowCondenser().condense(view, { report, contextWindow: 100 })).toBe(view);
});

test('request after request it makes room, until the newest step and what is essential are left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, dirty) => {
      const { events } = randomLog({ seed, length: 90, dirty });
      const history: Event[] = [...events];
      const requests = logBuilder({ idPrefix: 'request-' });
      for (let round = 0; ; round++) {
        expect(round).toBeLessThan(90);
        history.push(requests.request());
        const view = View.fromEvents(history);
        const result = await Promise.resolve(conversationWindowCondenser().condense(view, { report })).catch(
          (error: unknown) => {
            expect(NoCondensationAvailableError.isInstance(error)).toBe(true);
          },
        );
        if (result === undefined) return;
        if (!isCondensation(result)) throw new Error('a view in answer to a request');
        history.push(result);
        const after = View.fromEvents(history);
        expect(after.events.length).toBeLessThan(view.events.length);
        expect(messageViolations(after.toMessages())).toEqual([]);
      }
    }),
    { seed: 20_261_121, numRuns: fewer(60) },
  );
});

describe('contract', () => {
  const made = log(['system', 'user'], 40);
  made.request();
  condenserContract({ test, seeds: contractSeeds, create: () => conversationWindowCondenser(), actsOn: made.events });
});
