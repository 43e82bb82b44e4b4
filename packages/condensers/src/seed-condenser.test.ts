import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { llmSummarizingCondenser, noOpCondenser, pipelineCondenser, recentEventsCondenser } from './index.js';

// The flows and figures of the seed "Condenser" of OpenHands, with its names.

const long = 'word '.repeat(40);

/** The head of a conversation, and messages of the agent up to so many events: each can be forgotten, and nothing else. */
function eventsOf(count: number): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Fix the parser.');
  for (let index = 2; index < count; index++) log.agent(`${index} ${long}`);
  return log.events;
}

const summarizing = (options: { readonly max_size?: number; readonly keep_first?: number } = {}) => {
  const llm = scriptedLLM({ script: () => 'SUMMARY TEXT', model: 'cheaper' });
  const { max_size: maxSize, keep_first: keepFirst } = options;
  return { llm, condenser: llmSummarizingCondenser({ llm, maxSize, keepFirst }) };
};

async function condensationOf(condenser: Condenser, events: readonly Event[]) {
  const result = await condenser.condense(View.fromEvents(events), {});
  if (!isCondensation(result)) throw new Error('a view was returned');
  return result;
}

test('NoOpCondenser: View → NoOpCondenser → Same View', async () => {
  const view = View.fromEvents(eventsOf(200));
  expect(await noOpCondenser().condense(view, {})).toBe(view);
});

describe('LLMSummarizingCondenser', () => {
  test('1. Check Threshold: max_size 120 and keep_first 4 are the defaults, and only more than that condenses', async () => {
    const { llm, condenser } = summarizing();
    const view = View.fromEvents(eventsOf(120));
    expect(await condenser.condense(view, {})).toBe(view);
    expect(llm.requests).toHaveLength(0);
    expect(isCondensation(await condenser.condense(View.fromEvents(eventsOf(121)), {}))).toBe(true);
  });

  test('2.–4. Select Events, LLM Call, Create Event: keep the first 4 and the last 55, and forget the middle', async () => {
    const { llm, condenser } = summarizing();
    const events = eventsOf(121);
    const condensation = await condensationOf(condenser, events);
    const ids = events.map(({ id }) => id);
    // target_size - keep_first - 1, of a target of max_size // 2.
    const tail = 60 - 4 - 1;
    expect(condensation.forgottenEventIds).toEqual(ids.slice(4, 121 - tail));
    expect(condensation.summary).toContain('SUMMARY TEXT');
    expect(condensation.summaryOffset).toBe(4);
    expect(llm.requests).toHaveLength(1);
    const asked = JSON.stringify(llm.requests[0]?.messages);
    for (const index of [4, 121 - tail - 1]) expect(asked).toContain(`${index} word`);
  });

  test('5.–7. Add to History, Next Step: View.from_events() filters the forgotten events and inserts the summary', async () => {
    const { llm, condenser } = summarizing();
    const events = eventsOf(121);
    const condensation = await condensationOf(condenser, events);
    const view = View.fromEvents([...events, condensation]);
    expect(view.events.length).toBe(60);
    expect(view.events.at(4)).toMatchObject({ type: 'condensation-summary', summary: condensation.summary });
    expect([...view.events].filter(({ id }) => condensation.forgottenEventIds.includes(id))).toEqual([]);
    expect(await condenser.condense(view, {})).toBe(view);
    expect(llm.requests).toHaveLength(1);
  });

  test('Configuration: max_size and keep_first', async () => {
    const { condenser } = summarizing({ max_size: 20, keep_first: 2 });
    const condensation = await condensationOf(condenser, eventsOf(21));
    expect(condensation.summaryOffset).toBe(2);
    expect(View.fromEvents([...eventsOf(21), condensation]).events.length).toBe(10);
  });
});

test('PipelineCondenser: chains stages, and a Condensation ends the chain', async () => {
  const seen: number[] = [];
  const counting = (name: string): Condenser => ({
    name,
    condense: (view) => {
      seen.push(view.events.length);
      return view;
    },
  });
  const { condenser } = summarizing();
  const view = View.fromEvents(eventsOf(60));
  const trimming = recentEventsCondenser({ maxSize: 20, keepFirst: 2 });
  const final = await pipelineCondenser([counting('1'), trimming, counting('3')]).condense(view, {});
  if (isCondensation(final)) throw new Error('a view was asked for');
  expect(seen).toEqual([60, final.events.length]);
  expect(final.events.length).toBe(20);

  seen.length = 0;
  const result = await pipelineCondenser([condenser, counting('2')]).condense(View.fromEvents(eventsOf(121)), {});
  expect([isCondensation(result), seen]).toEqual([true, []]);
});

test('Manual Trigger: condense() detects a CondensationRequest, and the Condensation handles it', async () => {
  const { condenser } = summarizing();
  const log = logBuilder({ idPrefix: 'request-' });
  log.add(...eventsOf(30));
  log.request('the context window was exceeded');
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  expect(projection.view.unhandledCondensationRequest).toBe(true);
  expect(condenser.handlesCondensationRequests).toBe(true);
  const condensation = await condensationOf(condenser, log.events);
  projection.append(condensation);
  expect(projection.view.unhandledCondensationRequest).toBe(false);
  expect(projection.view.condensations).toEqual([condensation]);
  expect(projection.view.toMessages().length).toBeLessThan(30);
});
