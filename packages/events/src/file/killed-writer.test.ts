import { expect, test } from 'vitest';
import { killWriters } from '../../test-support/crash/kill-writers.js';

// Each of four logs meets every kind of writer; `npm run bench:crash` kills many more.
const rounds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 48 : 16;

// Waits for what the writers tell, and never for a time: a slow machine takes longer, and that is all.
test('writers killed at any moment: every acknowledged event is there, once and in order, every append whole', async () => {
  const killed = await killWriters({ rounds, atATime: 4 });
  console.log('killed writers:', JSON.stringify(killed));
  expect(killed.killed).toBe(rounds);
});
