// `npm start`, after the build: runs the offline agent on a small project, then replays its log with the harness.
import path from 'node:path';
import { runNode, workspaceRoot } from './run.mjs';

// Each run gets its own folder, so the replay shows only the log of this run.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const logDirectory = path.join(workspaceRoot, '.palimpsest', 'demo', startedAt);

const demo = runNode('apps/reference-agent/dist/cli.js', ['demo', '--log-dir', logDirectory, ...process.argv.slice(2)]);
if (demo === 0) {
  console.log(
    '\nThe harness replays that log through every condenser. Its condensers have their default sizes, larger than those',
  );
  console.log(
    'of this small demo, and it counts with a vocabulary where the agent estimates, so its numbers are others.\n',
  );
}
const replay = demo === 0 ? runNode('apps/test-harness/dist/cli.js', ['replay', logDirectory]) : 0;
process.exitCode = demo || replay;
