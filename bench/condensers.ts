import { actingBench, idleBench, steadyBench } from './condensers.bench.js';

console.log(`Node ${process.version}. What matters are the ratios and the shape; times are those of this machine.`);
if (process.argv[2] !== 'acting') await idleBench();
await steadyBench();
await actingBench();
