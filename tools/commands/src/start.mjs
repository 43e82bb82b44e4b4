// `npm start`, after the build: runs the offline agent on a small project, then replays its log with the harness.
import path from 'node:path';
import { runNode, workspaceRoot } from './run.mjs';

// Each run gets its own folder, so the replay shows only the log of this run.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const logDirectory = path.join(workspaceRoot, '.palimpsest', 'demo', startedAt);

const demo = runNode('apps/reference-agent/dist/cli.js', ['demo', '--log-dir', logDirectory, ...process.argv.slice(2)]);
if (demo === 0) {
  console.log(
    `
The harness replays that log: doing nothing, the demo's own condenser (priced), and others with sizes as small as the session.
Read the first table: saved of the bill, at four prices of a cached token (r), against doing nothing. Fewer tokens are not
a smaller bill: recentEvents sends few, and rewrites at each step what the provider has cached. The harness counts with a
vocabulary where the agent estimates, so its numbers are others.
`,
  );
}
const condensers = [
  ['--config', 'apps/reference-agent/demo.toml'],
  ['-c', 'recentEvents:maxSize=40'],
  ['-c', 'observationMasking:minSavedTokens=3000'],
  ['-c', 'extractiveSummary:maxTokens=12000'],
  ['-c', 'llmSummarizing:maxTokens=12000'],
].flat();
const replay = demo === 0 ? runNode('apps/test-harness/dist/cli.js', ['replay', logDirectory, ...condensers]) : 0;
process.exitCode = demo || replay;
