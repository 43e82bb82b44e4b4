// `npm test`: everything that a change must pass, cached by Nx; the last line counts the tests of all projects.
// `npm run test:projects`: the tests alone, and the builds that they need.
import { runTargets, workspaceRoot } from './run.mjs';
import { removeReports, summarize, summaryLine } from './test-summary.mjs';

removeReports(workspaceRoot);
const onlyTests = process.argv.includes('--only-tests');
const nx = runTargets(onlyTests ? ['test'] : ['build', 'lint', 'typecheck', 'test']);
const summary = summarize(workspaceRoot);

for (const problem of summary.problems) console.error(problem);
if (nx !== 0) console.error('Not all tasks passed: see above.');
console.log(summaryLine(summary));
process.exitCode = nx !== 0 || summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
