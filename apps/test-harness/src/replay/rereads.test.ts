import { logBuilder } from '@palimpsest/events/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { loopMeter } from '../measure/loop.js';
import { costOf, priceRows } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import type { Need } from '../measure/needs.js';
import { findRefusals } from '../measure/refusals.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { ReplayedCall } from '../measure/replayed-call.js';
import { stubSummarizer } from './stub-summarizer.js';
import { replaySession } from './replay-session.js';

const prices = priceRows[0] as Prices;
const count = (text: string): number => text.length;

// The arguments are `{"file":1}`: a call takes 4 + 15 tokens, its result 4 + 100, the task 4 + 6.
const [task, call, result] = [10, 19, 104];

/** Five calls that read a file each. Every part has the size that stands above. */
function session() {
  const log = logBuilder();
  log.user('a task');
  for (let file = 0; file < 5; file++) log.call('read', { file }, `${file}`.repeat(100));
  return recordedSession(log.events);
}

/** Forgets the first two steps of the view when it has three, `times` times. */
const forgetting = (times = 1): Condenser => ({
  name: 'forgetting',
  condense: (view) =>
    view.events.length === 7 && view.condensations.length < times ? condensation({ view, start: 1, end: 5 }) : view,
});

async function replayed(condenser: Condenser, need?: Need) {
  const calls: ReplayedCall[] = [];
  const listener = { atCall: (each: ReplayedCall) => void calls.push(each), result: () => calls };
  const meters = { loop: loopMeter([prices], count, []), listener };
  const policy = { name: condenser.name, create: () => condenser };
  const { llm } = stubSummarizer(count);
  const options = { count, llm, fixedTokens: 50, ...(need === undefined ? {} : { need }) };
  return { ...(await replaySession(session(), policy, meters, options)), calls };
}

/** The results of the first two calls. */
const [first, second] = [2, 4];

/** Needs the results at these calls. */
const needs =
  (at: readonly number[], ...results: readonly number[]): Need =>
  (modelCall, { isWhole }) =>
    at.includes(modelCall) ? results.filter((each) => !isWhole(each)) : [];

test('what a call needs and does not see is read again by one step before it, and that is paid', async () => {
  const open = await replayed(forgetting());
  const { loop, calls } = await replayed(forgetting(), needs([4], first, second));
  expect(loop).toMatchObject({ steps: 1, results: 2, tokens: 2 * result });
  expect(calls.map(({ index, rereads }) => [index, rereads.length])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 4],
    [4, 0],
  ]);
  // The request of the inserted step is that of the open loop. Then its two calls and results are written.
  const [asked, answered] = calls.slice(4);
  expect(asked?.prompt).toEqual(open.calls[4]?.prompt);
  expect(asked?.prompt.tokens).toBe(50 + task + 2 * (call + result));
  expect(answered?.prompt.cached).toBe(asked?.prompt.tokens);
  const added = 2 * (call + result);
  expect(answered?.prompt.tokens).toBe((asked?.prompt.tokens ?? 0) + added);
  const read = prices.cacheRead * (asked?.prompt.tokens ?? 0);
  expect(loop.costs[0]).toBeCloseTo(
    (open.loop.costs[0] ?? 0) + read + prices.cacheWrite * added + prices.output * 2 * call,
  );
});

test('without a need the loop costs what the requests cost', async () => {
  const { loop, calls } = await replayed(forgetting());
  const costs = calls.map(({ prompt: { tokens, cached } }) =>
    costOf({ cacheRead: cached, cacheWrite: tokens - cached, input: 0, output: 0 }, prices),
  );
  expect(loop.costs[0]).toBeCloseTo(costs.reduce((sum, cost) => sum + cost, 0));
});

test('what was read again is in view until it is forgotten again', async () => {
  const kept = await replayed(forgetting(), needs([3, 4], first));
  expect(kept.loop).toMatchObject({ steps: 1, results: 1 });
  // The view has three steps again: the third, the one that was read again, and the fourth.
  const lost = await replayed(forgetting(2), needs([3, 4], first));
  expect(lost.loop).toMatchObject({ steps: 2, results: 2 });
  expect(lost.calls.map(({ index, condensations, rereads }) => [index, condensations.length, rereads.length])).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 0],
    [3, 1, 2],
    [3, 0, 0],
    [4, 1, 2],
    [4, 0, 0],
  ]);
});

test('what the ledger of the newest condensation has booked stands beside what had been read again by then', async () => {
  const plain = await replayed(forgetting(), needs([3], first));
  expect(plain.loop.booked).toEqual({ tokens: 0, of: 0 });
  const booking: Condenser = {
    name: 'booking',
    condense: (view) =>
      view.events.length === 7 && view.condensations.length < 2
        ? condensation({
            view,
            start: 1,
            end: 5,
            metadata: { ledger: { rereadTokens: 90 * view.condensations.length } },
          })
        : view,
  };
  // The second condensation comes before the fourth call, when one result had been read again.
  const { loop } = await replayed(booking, needs([3, 4], first));
  expect(loop).toMatchObject({ tokens: 2 * result, booked: { tokens: 90, of: result } });
});

test('the inserted step is one response of parallel calls with recorded arguments and results, under new ids', async () => {
  const { calls } = await replayed(forgetting(), needs([4], first, second));
  const { rereads = [] } = calls.find((each) => each.rereads.length > 0) ?? {};
  const recorded = session().events;
  expect(new Set(rereads.flatMap((event) => (event.type === 'action' ? [event.llmResponseId] : []))).size).toBe(1);
  for (const [place, original] of [recorded[1], recorded[3], recorded[2], recorded[4]].entries()) {
    const again = rereads[place];
    expect(again?.id).not.toBe(original?.id);
    if (original?.type === 'action' && again?.type === 'action') {
      expect({ ...again.toolCall, id: '' }).toEqual({ ...original.toolCall, id: '' });
      expect(again.toolCall.id).not.toBe(original.toolCall.id);
    } else expect(again).toMatchObject({ type: 'observation', content: (original as { content: unknown }).content });
  }
  for (const { messages } of calls) expect(findRefusals(messages)).toEqual([]);
});
