import { condenserContract } from '@palimpsest/view/testing';
import { describe, test } from 'vitest';
import { contractSeeds } from '../../test-support/contract-seeds.js';
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

function declare(options: SlidingWindowOptions) {
  condenserContract({
    test,
    actsOn,
    seeds: contractSeeds,
    create: () => slidingWindowCondenser({ ...options, summarizer: readingSummarizer().summarizer }),
    createHanging: () =>
      slidingWindowCondenser({ ...options, summarizer: { summarize: () => new Promise(() => undefined) } }),
  });
}

describe('slidingWindow', () => {
  declare({ compactionInterval: 3, overlapSize: 1 });
});

describe('slidingWindow by tokens', () => {
  declare({ tokenThreshold: 400, eventRetentionSize: 5 });
});

describe('slidingWindow with both, and one summary', () => {
  declare({ compactionInterval: 1, overlapSize: 2, tokenThreshold: 2_000, eventRetentionSize: 0, maxSummaries: 1 });
});
