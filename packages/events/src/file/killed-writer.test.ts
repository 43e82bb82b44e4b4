import { expect, test } from 'vitest';
import { killWriters } from '../../test-support/crash/kill-writers.js';

// Waits for what the writers tell, and never for a time: a slow machine takes longer, and that is all.
test('writers killed at any moment: every acknowledged event is there, once and in order, every append whole', async () => {
  const killed = await killWriters({ rounds: 60, atATime: 4 });
  console.log('killed writers:', JSON.stringify(killed));
  expect(killed.killed).toBe(60);
}, 1_200_000);
