import { actingBench, idleBench, steadyBench } from './condensers.bench.js';

console.log(`Node ${process.version}. What matters are the ratios and the shape; times are those of this machine.`);
const [part, only] = process.argv.slice(2);
if (part === undefined || part === 'idle') await idleBench();
if (part === undefined || part === 'steady') await steadyBench();
if (part === undefined || part === 'acting') await actingBench(only);
