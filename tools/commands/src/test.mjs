// `npm test`: all checks that a change must pass, cached by Nx. The last line counts the tests of all projects.
// `npm run test:projects`: only the tests of packages and applications, and the builds that they need. The tools (packed files,
// documentation, installation, commands, generators) do not depend on the version of Node.
// `npm run test:integrations`: only the tests of `integrations`, on the built packages and on the Node that their lock names. With
// `--integrations` they run and count beside the others.
import { runIntegrations, runTargets, workspaceRoot } from './run.mjs';
import { integrationFolders, projectFolders, removeReports, summarize, summaryLine } from './test-summary.mjs';

const has = (/** @type {string} */ option) => process.argv.includes(option);
const projects = projectFolders(workspaceRoot).filter((folder) => !has('--only-tests') || !folder.startsWith('tools/'));
const integrations = has('--only-integrations') || has('--integrations') ? integrationFolders(workspaceRoot) : [];
const folders = [...(has('--only-integrations') ? [] : projects), ...integrations];

removeReports(workspaceRoot, folders);
const nx = has('--only-integrations')
  ? 0
  : has('--only-tests')
    ? runTargets(['test'], ['--exclude', 'tag:type:tool'])
    : runTargets(['lint-workspace', 'typecheck-workspace', 'build', 'test']);
const failed = nx !== 0 || runIntegrations(integrations) !== 0;
const summary = summarize(workspaceRoot, folders);

for (const problem of summary.problems) console.error(problem);
if (failed) console.error('Not all tasks passed: see above.');
console.log(summaryLine(summary));
process.exitCode = failed || summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
