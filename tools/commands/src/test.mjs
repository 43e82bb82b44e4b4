// `npm test`: lint, what nothing uses, types, and the tests on the sources, cached by Nx. The last line counts the tests of all projects.
// `npm run test:published`: builds, packs and installs all packages, as users get them, and runs the documentation on them.
// `npm run test:projects`: only the tests of packages and applications. The tools do not depend on the version of Node.
// `npm run test:integrations`: only the tests of `integrations`, on the built packages and on the Node that their lock names. With
// `--integrations` they run and count beside the others.
import { runIntegrations, runTargets, workspaceRoot } from './run.mjs';
import {
  integrationFolders,
  projectFolders,
  removeReports,
  reportOf,
  summarize,
  summaryLine,
} from './test-summary.mjs';

const has = (/** @type {string} */ option) => process.argv.includes(option);
const projects = projectFolders(workspaceRoot).filter((folder) => !has('--only-tests') || !folder.startsWith('tools/'));
const integrations = has('--only-integrations') || has('--integrations') ? integrationFolders(workspaceRoot) : [];
const reports = [
  ...(has('--only-integrations') || has('--only-published') ? [] : projects.map(reportOf)),
  ...(has('--only-published') ? ['tools/checks/published-report.json'] : []),
  ...integrations.map(reportOf),
];

/** @returns {number} the exit code of Nx */
function runProjects() {
  if (has('--only-integrations')) return 0;
  if (has('--only-published')) return runTargets(['test:published']);
  if (has('--only-tests')) return runTargets(['test'], ['--exclude', 'tag:type:tool']);
  return runTargets(['lint-workspace', 'unused-workspace', 'typecheck-workspace', 'test'], [], {
    PALIMPSEST_BUILD_FOR_PROGRAMS: 'true',
  });
}

removeReports(workspaceRoot, reports);
const nx = runProjects();
const failed = nx !== 0 || runIntegrations(integrations) !== 0;
const summary = summarize(workspaceRoot, reports);

for (const problem of summary.problems) console.error(problem);
if (failed) console.error('Not all tasks passed: see above.');
console.log(summaryLine(summary));
process.exitCode = failed || summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
