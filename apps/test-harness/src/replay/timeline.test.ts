import { condenserByName } from '@palimpsest/condensers/config';
import { expect, test } from 'vitest';
import { codingSession } from '../../test-support/demo-sessions.js';
import { recordedSession } from '../measure/recorded-session.js';
import { textCounter } from '../measure/tokens.js';
import { stepsOf } from '../page/browser/item-list.js';
import { redactedTimeline } from '../page/page.js';
import { stubSummarizer } from './stub-summarizer.js';
import { none } from './named-policy.js';
import type { Policy } from './named-policy.js';
import { condensedCalls } from './replay-session.js';
import { sessionReplayer } from './session-replayer.js';
import type { SessionReplay } from './task.js';
import { itemRuns, itemText } from './timeline.js';

const names = ['recentEvents', 'observationMasking', 'extractiveSummary', 'llmSummarizing'];
const policies: readonly Policy[] = [
  none,
  ...names.map((name) => ({ name, create: (llm: Parameters<Policy['create']>[0]) => condenserByName(name, { llm }) })),
];
const events = codingSession(160, 7);
const recorded = recordedSession(events);
const replayer = sessionReplayer(events, { prices: [], withTimeline: true });
const replays: SessionReplay[] = [];
for (const policy of policies) replays.push(await replayer.replay(policy));
const timeline = replayer.timeline();

test('each text stands once, and each item that the log holds has one', () => {
  expect(new Set(timeline.texts).size).toBe(timeline.texts.length);
  const used = new Set(timeline.items.map(({ text }) => text));
  expect(used.size).toBe(timeline.texts.length);
  expect(timeline.logged).toBe(recorded.kinds.filter((kind) => kind !== 'internal').length);
});

test.each(names)('the views of %s are those of the replay, as ids', async (name) => {
  const policy = timeline.policies.find((each) => each.policy === name);
  if (policy === undefined) throw new Error(`no timeline of ${name}`);
  const steps = stepsOf(timeline, policy);
  const condenser = await policies.find((each) => each.name === name)?.create(stubSummarizer(textCounter()).llm);
  if (condenser === undefined) throw new Error(name);
  let stubsAndSummaries = 0;
  for await (const { index: modelCall, view } of condensedCalls(recorded, condenser)) {
    const expected = [...view.events].filter(({ id }) => !view.leftOut.has(id)).map(itemText);
    const items = steps.viewAt(modelCall);
    expect(items.map((item) => timeline.texts[timeline.items[item]?.text ?? -1])).toEqual(expected);
    stubsAndSummaries += items.filter((item) => item >= timeline.logged).length;
    const inView = new Set(items);
    const states = steps.statesAt(modelCall);
    expect(states).toHaveLength(timeline.calls[modelCall] ?? -1);
    expect(states.map(({ shown }) => shown === 'whole')).toEqual(states.map((_, item) => inView.has(item)));
  }
  expect(stubsAndSummaries > 0).toBe(name !== 'recentEvents');
});

test('a summary has its size', () => {
  const summaries = timeline.items.filter(({ kind }) => kind === 'summary');
  expect(summaries.length).toBeGreaterThan(0);
  expect(summaries.filter(({ tokens }) => tokens === 0)).toEqual([]);
});

test.each(policies.map(({ name }) => name))(
  'tokens, condensations and misses of %s are those of the report',
  (name) => {
    const own = timeline.policies.find(({ policy }) => policy === name);
    const replay = replays.find(({ condenser }) => condenser === name);
    if (own === undefined || replay === undefined) throw new Error(name);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    expect(sum(own.tokens)).toBe(replay.tokensSent);
    expect(sum(own.cached)).toBe(replay.use.cacheRead);
    expect(Math.max(...own.tokens)).toBe(replay.peakTokens);
    expect(own.condensations).toHaveLength(replay.condensations);
    expect(own.faults).toHaveLength(replay.faults);
  },
);

test('a condensation says who made it and why', () => {
  for (const name of ['observationMasking', 'extractiveSummary', 'llmSummarizing']) {
    const made = timeline.policies.find(({ policy }) => policy === name)?.condensations ?? [];
    expect(made.length).toBeGreaterThan(0);
    for (const { condenser, reason, forgotten, masked } of made) {
      expect(condenser).toBe(name);
      expect(reason).toMatch(/\w/);
      expect(forgotten + masked).toBeGreaterThan(0);
    }
  }
});

test('a redacted timeline has no text, and keeps sizes, kinds and tools', () => {
  const redacted = redactedTimeline(timeline);
  expect(redacted.texts).toEqual([]);
  expect(redacted.items.map(({ kind, tokens, tool }) => [kind, tokens, tool])).toEqual(
    timeline.items.map(({ kind, tokens, tool }) => [kind, tokens, tool]),
  );
  const json = JSON.stringify(redacted);
  for (const text of timeline.texts)
    for (const word of text.match(/[\w/-]{12,}/g) ?? []) if (!names.includes(word)) expect(json).not.toContain(word);
});

test('neighbouring ids are runs', () => {
  expect(itemRuns([])).toEqual([]);
  expect(itemRuns([1, 2, 3, 7, 9, 10, 4])).toEqual([[1, 3], 7, [9, 10], 4]);
});
