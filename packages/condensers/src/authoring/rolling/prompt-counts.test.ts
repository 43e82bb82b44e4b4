import { logBuilder } from '@palimpsest/events/testing';
import { ViewProjection } from '@palimpsest/view';
import type { AttemptReport } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { calibrationOf, promptCounts } from './calibration.js';
import { requirementOf } from './requirement.js';

/** The provider's tokens for each that we estimate. */
const ratio = 1.3;
const fixedTokens = 2_000;

/** What servers report of a prompt of `sent` tokens, of which the cache holds `cached`. */
const servers = {
  'the whole prompt': () => (sent: number) => sent,
  'what the cache did not hold': () => (sent: number, cached: number) => sent - cached,
  'the sum of all calls': () => {
    let sum = 0;
    return (sent: number) => (sum += sent);
  },
  nothing: () => () => 0,
} as const;

/** A session of 200 calls that is condensed at 25,000 tokens, and the calibration at each call from the second on. */
function session(server: keyof typeof servers) {
  const reported = servers[server]();
  const log = logBuilder();
  const projection = new ViewProjection({ estimateTokens: () => 500 });
  const calibrations: number[] = [];
  const reports: AttemptReport[] = [];
  let read = 0;
  let cached = 0;
  const view = () => {
    for (; read < log.events.length; read++) projection.append(log.events[read] as never);
    return projection.view;
  };
  for (let call = 0; call < 200; call++) {
    log.agent(`step ${call}`);
    const tokens = view().tokens();
    const sent = Math.round((tokens + fixedTokens) * ratio);
    if (call > 12) {
      log.usage({
        usage: {
          uncachedInputTokens: reported(sent, cached),
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 1,
        },
        estimatedInputTokens: tokens,
      });
      cached = sent;
      calibrations.push(calibrationOf(view(), fixedTokens));
      const report = (attempt: AttemptReport) => {
        reports.push(attempt);
        log.attempt(attempt);
      };
      requirementOf(view(), { report, fixedTokens }, { maxSize: Infinity });
    }
    if (tokens > 25_000) {
      log.condensation([...view().events].slice(0, 30).map(({ id }) => id));
      // The instructions and the tools stay in the cache.
      cached = Math.round(fixedTokens * ratio);
    }
  }
  return { calibrations, reports, counts: promptCounts(view(), fixedTokens) };
}

test('whole prompts are believed, and nothing is said', () => {
  const { calibrations, reports, counts } = session('the whole prompt');
  expect(Math.min(...calibrations)).toBeGreaterThan(ratio);
  expect(counts.believed.length).toBe(187);
  expect(reports).toEqual([]);
});

test.each(['what the cache did not hold', 'the sum of all calls', 'nothing'] as const)(
  'a server that reports %s does not make estimates smaller or larger than they are, and it is said once',
  (server) => {
    const { calibrations, reports } = session(server);
    expect(Math.min(...calibrations)).toBeGreaterThanOrEqual(server === 'nothing' ? 1 : ratio);
    expect(Math.max(...calibrations)).toBeLessThan(1.6);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['usage-ignored']);
  },
);
