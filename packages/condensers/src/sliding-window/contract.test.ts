import { condenserContract } from '@palimpsest/view/testing';
import { describe, test } from 'vitest';
import { readingSummarizer, Session } from '../../test-support/window-session.js';
import { slidingWindowCondenser } from './sliding-window.js';
import type { SlidingWindowOptions } from './sliding-window.js';

/** Ten requests, each with a call and an answer, and the eleventh, which is going on. */
async function conversation() {
  const session = new Session();
  await session.run(10);
  await session.request();
  await session.step();
  return session.log.events;
}

const actsOn = await conversation();

function declare(options: SlidingWindowOptions, seeds: readonly number[]) {
  condenserContract({
    test,
    actsOn,
    seeds,
    create: () => slidingWindowCondenser({ ...options, summarizer: readingSummarizer().summarizer }),
    createHanging: () =>
      slidingWindowCondenser({ ...options, summarizer: { summarize: () => new Promise(() => undefined) } }),
  });
}

describe('slidingWindow', () => {
  declare({ compactionInterval: 3, overlapSize: 1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

describe('slidingWindow by tokens', () => {
  declare({ tokenThreshold: 400, eventRetentionSize: 5 }, [2, 3, 5]);
});

describe('slidingWindow with both, and one summary', () => {
  declare(
    { compactionInterval: 1, overlapSize: 2, tokenThreshold: 2_000, eventRetentionSize: 0, maxSummaries: 1 },
    [4, 6, 7],
  );
});
