import { killWriters } from '../packages/events/test-support/crash/kill-writers.js';

/** How many writing processes are killed. Takes about a quarter of an hour on two cores. */
const rounds = Number(process.argv[2] ?? 10_000);

const start = performance.now();
const { killed, acknowledged, unacknowledged, repairs, staleLocks } = await killWriters({ rounds, atATime: 4 });
console.log(`${killed} writers killed in ${((performance.now() - start) / 1000).toFixed(0)} s`);
console.log(
  `${acknowledged} acknowledged events, all there; ${unacknowledged} whole events that were not acknowledged`,
);
console.log(`${repairs} torn ends repaired, ${staleLocks} locks of the dead removed`);
