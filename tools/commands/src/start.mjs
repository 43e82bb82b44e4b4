// `npm start`, after the build: the offline agent works on a small project, then the harness replays the log that it wrote.
import path from 'node:path';
import { runNode, workspaceRoot } from './run.mjs';

// A folder of its own for each run, so that the replay shows the log of this one.
const startedAt = new Date().toISOString().replaceAll(':', '-');
const logDirectory = path.join(workspaceRoot, '.palimpsest', 'demo', startedAt);

const demo = runNode('apps/reference-agent/dist/cli.js', ['demo', '--log-dir', logDirectory, ...process.argv.slice(2)]);
const replay = demo === 0 ? runNode('apps/test-harness/dist/cli.js', ['replay', logDirectory]) : 0;
process.exitCode = demo || replay;
