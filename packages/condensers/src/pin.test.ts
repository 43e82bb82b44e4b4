import { parseEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, pin, unpin, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations } from '@palimpsest/view/testing';
import { describe, expect, test } from 'vitest';
import { amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
import { extractiveSummaryCondenser } from './digest/extractive-summary.js';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { recentEventsCondenser } from './recent-events/recent-events.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';
import { standInLLM } from '../test-support/stand-in-llm.js';

const words = 'word '.repeat(40);

/** A session whose fifth step read the requirements. */
function session(text = words) {
  const log = logBuilder();
  log.system();
  log.user('Build it.');
  const steps = Array.from({ length: 20 }, (_, index) =>
    log.batch([
      { name: 'read', input: { path: `file-${index}` }, result: `${index} ${text}` },
      { name: 'list', result: text },
    ]),
  );
  const [read, list] = steps[4]?.results ?? [];
  if (read === undefined || list === undefined) throw new Error('no fifth step');
  return { log, read, unit: [...(steps[4]?.actions ?? []), read, list] };
}

describe.each([
  llmSummarizingCondenser({ llm: scriptedLLM({ script: () => 'S' }), maxSize: 20 }),
  extractiveSummaryCondenser({ maxSize: 20 }),
])('$name', (condenser) => {
  const forgotten = async (log: ReturnType<typeof logBuilder>) => {
    const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
    if (!isCondensation(result)) throw new Error('it returned a view');
    return { result, after: View.fromEvents([...log.events, result]) };
  };

  test('keeps a pinned result with its call and the rest of its batch', async () => {
    const { log, read, unit } = session();
    log.add(pin(read.id));
    const { after } = await forgotten(log);
    for (const { id } of unit) expect(after.indexOf(id)).toBeDefined();
    expect(after.leftOut.size).toBe(0);
    expect(messageViolations(after.toMessages())).toEqual([]);
    expect(JSON.stringify(after.toMessages())).toContain(`4 ${words.trim()}`);
  });

  test('forgets it when it is not pinned, and when it is no more', async () => {
    const { log, read } = session();
    expect((await forgotten(log)).result.forgottenEventIds).toContain(read.id);
    log.add(pin(read.id), unpin(read.id));
    expect((await forgotten(log)).result.forgottenEventIds).toContain(read.id);
  });
});

const llm = standInLLM();
/** Each with a bound that is below what is pinned. */
const small: Readonly<Record<string, () => Condenser>> = {
  llmSummarizing: () => llmSummarizingCondenser({ llm, maxSize: 20 }),
  'llmSummarizing in the background': () => llmSummarizingCondenser({ llm, maxSize: 20, background: true }),
  structuredSummary: () => structuredSummaryCondenser({ llm, maxSize: 20 }),
  llmAttention: () => llmAttentionCondenser({ llm, maxSize: 20 }),
  extractiveSummary: () => extractiveSummaryCondenser({ maxSize: 20 }),
  amortizedForgetting: () => amortizedForgettingCondenser({ maxSize: 20 }),
  'llmSummarizing by tokens': () => llmSummarizingCondenser({ llm, maxSize: 1_000, maxTokens: 1_500 }),
  'llmAttention by tokens': () => llmAttentionCondenser({ llm, maxSize: 1_000, maxTokens: 1_500 }),
  'extractiveSummary by tokens': () => extractiveSummaryCondenser({ maxSize: 1_000, maxTokens: 1_500 }),
  'amortizedForgetting by tokens': () => amortizedForgettingCondenser({ maxSize: 1_000, maxTokens: 1_500 }),
};

test.each(Object.keys(small))(
  'where more is pinned than the bound holds, the rest is still condensed in batches: %s',
  async (name) => {
    const condenser = small[name]?.() as Condenser;
    const log = logBuilder();
    const projection = new ViewProjection();
    const step = (path: string) => {
      const { action, result } = log.call('read', { path }, `${path}: ${words}`);
      projection.append(action);
      projection.append(result);
      return result;
    };
    for (const event of [log.system(), log.user('Build it.')]) projection.append(event);
    const pinned = Array.from({ length: 30 }, (_, index) => step(`pinned-${index}`));
    projection.append(pin(pinned.map(({ id }) => id)));
    let condensations = 0;
    for (let index = 0; index < 60; index++) {
      step(`file-${index}`);
      // What is written in the background is there by then.
      await new Promise((resolve) => setImmediate(resolve));
      for (;;) {
        const result = await condenser.condense(projection.view, { report: () => {} });
        if (!isCondensation(result)) break;
        condensations++;
        projection.append(result);
      }
    }
    const { view } = projection;
    for (const { id } of pinned) expect(view.indexOf(id)).toBeDefined();
    expect(messageViolations(view.toMessages())).toEqual([]);
    expect(view.events.length).toBeLessThan(60 + 2 + 30);
    // Not at each of the 60 steps, which would pay for a summary and rewrite what is cached each time.
    expect(condensations).toBeGreaterThan(4);
    expect(condensations).toBeLessThan(20);
  },
);

test.each(Object.keys(small))(
  'where everything is pinned, no model is asked, and a request says why: %s',
  async (name) => {
    const condenser = small[name]?.() as Condenser;
    const { log } = session();
    log.add(pin(log.events.map(({ id }) => id)));
    expect(isCondensation(await condenser.condense(View.fromEvents(log.events), { report: () => {} }))).toBe(false);
    log.request();
    const asked = Promise.resolve(condenser.condense(View.fromEvents(log.events), { report: () => {} }));
    await expect(asked).rejects.toThrow(/No condensation is available: .*(protected|may be forgotten)/);
  },
);

test.each([llmSummarizingCondenser({ llm, maxTokens: 1_000 }), extractiveSummaryCondenser({ maxTokens: 1_000 })])(
  'where what is pinned is too large alone, the newest result stays until it has been read: $name',
  async (condenser) => {
    const { log } = session();
    log.add(pin(log.events.map(({ id }) => id)));
    const { result } = log.call('read', { path: 'new' }, `The new one. ${words.repeat(20)}`);
    const view = View.fromEvents(log.events);
    expect(await condenser.condense(view, { report: () => {} })).toBe(view);
    expect(view.indexOf(result.id)).toBeDefined();
  },
);

test('a pinned call that waits for its result keeps that too, when it comes; what names nothing, or twice, does no harm', async () => {
  const log = logBuilder();
  log.user('Build it.');
  const call = log.action('deploy');
  log.add(pin([call.id, call.id, 'no such event']), pin(call.id));
  const result = log.observation(call, `It went out. ${words}`);
  for (let step = 0; step < 20; step++) log.call('read', { step }, words);
  // A log that was written to a disk and read again.
  const events = log.events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));
  const done = await extractiveSummaryCondenser({ maxSize: 20 }).condense(View.fromEvents(events), {
    report: () => {},
  });
  if (!isCondensation(done)) throw new Error('it returned a view');
  const after = View.fromEvents([...events, done]);
  expect([after.indexOf(call.id), after.indexOf(result.id)]).not.toContain(undefined);
  expect(messageViolations(after.toMessages())).toEqual([]);
});

test('recentEvents shows what is pinned', async () => {
  const { log, read } = session();
  log.add(pin([read.id]));
  const result = await recentEventsCondenser({ maxSize: 10 }).condense(View.fromEvents(log.events), {
    report: () => {},
  });
  expect(isCondensation(result) ? undefined : result.indexOf(read.id)).toBeDefined();
});

test('observationMasking leaves what is pinned as it is', async () => {
  const { log, read } = session(words.repeat(10));
  const masked = async () => {
    const condenser = observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 100 });
    const result = await condenser.condense(View.fromEvents(log.events), { report: () => {} });
    return isCondensation(result) ? (result.redactions ?? []).map(({ eventId }) => eventId) : [];
  };
  expect(await masked()).toContain(read.id);
  log.add(pin(read.id));
  const ids = await masked();
  expect(ids.length).toBeGreaterThan(10);
  expect(ids).not.toContain(read.id);
});
