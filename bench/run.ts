import { condensationBench, foldBench } from './fold.bench.js';
import { readLogBench } from './read-log.bench.js';

console.log(`Node ${process.version}. Every ratio is to the first line of its group, measured in the same run.`);
await foldBench();
await condensationBench();
await readLogBench();
