// `npm start`, after the build: runs the offline agent on a small project, then shows with the harness what condensers save and forget.
import path from 'node:path';
import { runNode } from './run.mjs';

// Each run gets its own folder, so its log and its page replace no other.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const folder = path.join('.palimpsest', 'demo', startedAt);
const harness = 'apps/test-harness/dist/cli.js';

/**
 * Reports on the sample, not on the log of this run. That log is short, so hardly anything is to save in it, and it is another one each
 * time: parallel tools end in any order, and each run has ids of its own. The figures of the sample are the same in every run.
 *
 * @returns {number} the exit code
 */
function report() {
  console.log('\nThe harness, on a sample: a long session that a program made, and a short one of this agent.\n');
  const code = runNode(harness, ['report', 'apps/test-harness/dist/sample', '-o', path.join(folder, 'report.html')]);
  if (code === 0) console.log(`\nOn the sessions of your own agents: node ${harness}`);
  return code;
}

const demo = runNode('apps/reference-agent/dist/cli.js', [
  'demo',
  '--log-dir',
  path.join(folder, 'logs'),
  ...process.argv.slice(2),
]);
process.exitCode = demo === 0 ? report() : demo;
