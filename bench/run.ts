import { condensationBench, foldBench } from './fold.bench.js';
import { messageMemoryBench, messagesBench } from './messages.bench.js';
import { readLogBench } from './read-log.bench.js';
import { requestBodiesBench } from './request-bodies.bench.js';
import { screenBench } from './screen.bench.js';
import { startBench } from './start.bench.js';
import { appendBench, stepsBench } from './store.bench.js';
import { telemetryBench } from './telemetry.bench.js';

const benches: Readonly<Record<string, () => Promise<void> | void>> = {
  fold: foldBench,
  condensation: condensationBench,
  messages: messagesBench,
  'message-memory': messageMemoryBench,
  bodies: requestBodiesBench,
  load: readLogBench,
  append: appendBench,
  steps: stepsBench,
  start: startBench,
  screen: screenBench,
  telemetry: telemetryBench,
};

console.log(`Node ${process.version}. Every ratio is to the first line of its group, measured in the same run.`);
const named = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) {
  if (named.length === 0 || named.includes(name)) await bench();
}
