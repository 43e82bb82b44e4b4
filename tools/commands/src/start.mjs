// `npm start`, after the build: runs the offline agent on a small project, then replays its log with the harness.
import path from 'node:path';
import { replayLines } from './replay-lines.mjs';
import { outputOf, runNode } from './run.mjs';

// Each run gets its own folder, so the replay shows only the log of this run.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const logDirectory = path.join('.palimpsest', 'demo', startedAt);
const harness = 'apps/test-harness/dist/cli.js';
const condensers = [
  ['--config', 'apps/reference-agent/demo.toml'],
  ['-c', 'recentEvents:maxSize=40'],
  ['-c', 'observationMasking:minSavedTokens=3000'],
  ['-c', 'extractiveSummary:maxTokens=12000'],
  ['-c', 'llmSummarizing:maxTokens=12000'],
].flat();

/** @returns {number} the exit code */
function replay() {
  const args = ['replay', logDirectory, ...condensers];
  const { status, stdout } = outputOf(harness, [...args, '--json']);
  if (status !== 0) return status;
  const lines = replayLines(JSON.parse(stdout));
  console.log(`\n${lines.join('\n')}\nAll condensers at their defaults: node ${harness} replay ${logDirectory}`);
  return 0;
}

const demo = runNode('apps/reference-agent/dist/cli.js', ['demo', '--log-dir', logDirectory, ...process.argv.slice(2)]);
process.exitCode = demo === 0 ? replay() : demo;
