// `npm test`: all checks that a change must pass, cached by Nx. The last line counts the tests of all projects.
// `npm run test:projects`: only the tests of packages and applications, and the builds that they need. The repository checks
// (packed files, documentation, installation) do not depend on the version of Node.
import { runTargets, workspaceRoot } from './run.mjs';
import { removeReports, summarize, summaryLine } from './test-summary.mjs';

removeReports(workspaceRoot);
const onlyTests = process.argv.includes('--only-tests');
const nx = onlyTests
  ? runTargets(['test'], ['--exclude', '@palimpsest/repository-checks'])
  : runTargets(['lint-workspace', 'typecheck-workspace', 'build', 'test']);
const summary = summarize(workspaceRoot, onlyTests ? ['tools/repository-checks'] : []);

for (const problem of summary.problems) console.error(problem);
if (nx !== 0) console.error('Not all tasks passed: see above.');
console.log(summaryLine(summary));
process.exitCode = nx !== 0 || summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
