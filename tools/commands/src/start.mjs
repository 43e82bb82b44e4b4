// `npm start`, after the build: runs the offline agent on a small project, then shows with the harness what condensing saved and forgot.
import path from 'node:path';
import { runNode } from './run.mjs';

// Each run gets its own folder, so the report is of the log of this run alone.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const folder = path.join('.palimpsest', 'demo', startedAt);
// The demo's own condenser, and others with sizes as small as its session is.
const condensers = [
  ['--config', 'apps/reference-agent/demo.toml'],
  ['-c', 'recentEvents:maxSize=40'],
  ['-c', 'observationMasking:minSavedTokens=3000'],
  ['-c', 'extractiveSummary:maxTokens=12000'],
  ['-c', 'llmSummarizing:maxTokens=12000'],
].flat();

/** @returns {number} the exit code */
function report() {
  console.log('');
  const page = path.join(folder, 'report.html');
  return runNode('apps/test-harness/dist/cli.js', ['report', path.join(folder, 'logs'), ...condensers, '-o', page]);
}

const demo = runNode('apps/reference-agent/dist/cli.js', [
  'demo',
  '--log-dir',
  path.join(folder, 'logs'),
  ...process.argv.slice(2),
]);
process.exitCode = demo === 0 ? report() : demo;
