import { actingBench, idleBench, restartBench, steadyBench } from './condensers.bench.js';

console.log(`Node ${process.version}. What matters are the ratios and the shape; times are those of this machine.`);
const [part, only] = process.argv.slice(2);
if (part === undefined || part === 'idle') await idleBench(only);
if (part === undefined || part === 'restart') await restartBench();
if (part === undefined || part === 'steady') await steadyBench(only);
if (part === undefined || part === 'acting') await actingBench(only);
