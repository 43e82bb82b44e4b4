import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ passed: number, failed: number, skipped: number }} TestCounts */
/** @typedef {TestCounts & { problems: string[] }} TestSummary */

const workspaceFolders = ['packages', 'apps', 'plugins', 'tools'];

/**
 * Every folder that holds a package.json, relative to the root.
 *
 * @param {string} root
 */
export function projectFolders(root) {
  return foldersIn(root, workspaceFolders);
}

/**
 * Every folder of `integrations`: frameworks with a lock, and a Node, of their own.
 *
 * @param {string} root
 */
export function integrationFolders(root) {
  // That of the runtimes has a command of its own.
  return foldersIn(root, ['integrations']).filter((folder) => existsSync(path.join(root, folder, 'vitest.config.ts')));
}

/**
 * @param {string} root
 * @param {readonly string[]} parents
 */
function foldersIn(root, parents) {
  return parents
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .sort();
}

/** @param {string} folder */
export const reportOf = (folder) => `${folder}/test-report.json`;

/**
 * Removes the reports of earlier runs. They would be counted again if a project's tests did not start.
 *
 * @param {string} root
 * @param {readonly string[]} reports relative to the root
 */
export function removeReports(root, reports) {
  for (const report of reports) rmSync(path.join(root, report), { force: true });
}

/**
 * Sums the reports of all projects. One that is missing or has no test is a problem, so no project is forgotten.
 *
 * @param {string} root
 * @param {readonly string[]} reports of those that ran, relative to the root
 * @returns {TestSummary}
 */
export function summarize(root, reports) {
  /** @type {TestSummary} */
  const summary = { passed: 0, failed: 0, skipped: 0, problems: [] };
  for (const report of reports) {
    const counts = countsOf(path.join(root, report));
    if (typeof counts === 'string') {
      summary.problems.push(`${report} ${counts}`);
      continue;
    }
    summary.passed += counts.passed;
    summary.failed += counts.failed;
    summary.skipped += counts.skipped;
    if (counts.passed + counts.failed + counts.skipped === 0) summary.problems.push(`${report} has no test`);
  }
  return summary;
}

/** @param {TestCounts} counts */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * @param {string} file
 * @returns {TestCounts | string} the counts, or why there are none
 */
function countsOf(file) {
  if (!existsSync(file)) return 'is missing: its tests did not run';
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return 'is not JSON';
  }
  const failed = report.numFailedTests;
  return {
    passed: report.numPassedTests,
    // A test file that cannot be loaded reports no failed test.
    failed: failed === 0 && !report.success ? Math.max(1, report.numFailedTestSuites) : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
