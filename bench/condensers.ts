import { actingBench, idleBench, steadyBench } from './condensers.bench.js';

console.log(`Node ${process.version}. What matters are the ratios and the shape; times are those of this machine.`);
const [part, only] = process.argv.slice(2);
if (part !== 'acting') {
  await idleBench();
  await steadyBench();
}
await actingBench(only);
