import { localPostgres } from '@palimpsest/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { killTest } from '../test-support/kill-test.js';

/** More of everything: `npm run soak`. */
const times = Number(process.env.PALIMPSEST_SOAK ?? 1);
/** Fewer but where CI tests thoroughly. */
const isThorough = times > 1 || process.env.PALIMPSEST_THOROUGH === 'true';
const conversations = (isThorough ? 40 : 8) * times;
const kills = (isThorough ? 11 : 2) * times;

// A server of its own: it is restarted.
const server = await localPostgres();
afterAll(() => server?.close());

test.skipIf(server === undefined)(
  'workers are killed and frozen, the server is restarted: every conversation ends, nothing is lost, and nothing unsafe is repeated',
  { timeout: 180_000 * times },
  async () => {
    if (server === undefined) return;
    const report = await killTest({ server, conversations, steps: 10, kills, leaseMs: 2_000 });
    expect(report).toMatchObject({
      kills,
      finished: conversations,
      unsafeRepeats: 0,
      withoutEffect: 0,
      eventsLost: 0,
      wrongCounts: [],
      zombie: { effects: 1, result: 'agent-error', wasTakenOver: true },
    });
    expect(report.condensations).toBeGreaterThan(conversations);
    if (server.restart !== undefined) expect(report.restarts).toBe(1);
  },
);
