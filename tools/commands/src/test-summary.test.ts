import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  integrationFolders,
  projectFolders,
  removeReports,
  reportOf,
  summarize,
  summaryLine,
} from './test-summary.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'test-summary-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function project(folder: string, report?: Record<string, unknown> | string): void {
  mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, folder, 'package.json'), '{}');
  if (report === undefined) return;
  const text = typeof report === 'string' ? report : JSON.stringify({ ...empty, ...report });
  writeFileSync(path.join(root, folder, 'test-report.json'), text);
}

const reports = (): readonly string[] => projectFolders(root).map(reportOf);

const empty = {
  success: true,
  numPassedTests: 0,
  numFailedTests: 0,
  numFailedTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
};

describe('summarize', () => {
  it('sums the reports of packages, apps and tools', () => {
    project('packages/a', { numPassedTests: 3, numPendingTests: 1 });
    project('apps/b', { numPassedTests: 2, numTodoTests: 1 });
    project('tools/c', { success: false, numFailedTests: 1, numFailedTestSuites: 1 });

    const summary = summarize(root, reports());

    expect(summaryLine(summary)).toBe('5 passed, 1 failed, 2 skipped');
    expect(summary.problems).toEqual([]);
  });

  it('names a project without a report, with an unreadable one and without tests', () => {
    project('packages/none');
    project('packages/torn', '{"numPassed');
    project('packages/empty', {});

    expect(summarize(root, reports()).problems).toEqual([
      'packages/empty/test-report.json has no test',
      'packages/none/test-report.json is missing: its tests did not run',
      'packages/torn/test-report.json is not JSON',
    ]);
  });

  it('asks no report of a project that was left out', () => {
    project('packages/a', { numPassedTests: 3 });
    project('tools/checks');

    expect(summarize(root, ['packages/a/test-report.json'])).toMatchObject({ passed: 3, problems: [] });
  });

  it('sums the reports of integrations where they are asked for', () => {
    project('packages/a', { numPassedTests: 3 });
    project('integrations/b', { numPassedTests: 2 });
    writeFileSync(path.join(root, 'integrations/b/vitest.config.ts'), '');
    // It has no tests of vitest.
    project('integrations/runtimes');

    expect(summarize(root, reports()).passed).toBe(3);
    expect(integrationFolders(root)).toEqual(['integrations/b']);
    expect(summarize(root, [...reports(), ...integrationFolders(root).map(reportOf)]).passed).toBe(5);
  });

  it('counts a test file that could not be loaded as a failure', () => {
    project('packages/a', { success: false, numPassedTests: 4, numFailedTestSuites: 2 });

    expect(summaryLine(summarize(root, reports()))).toBe('4 passed, 2 failed, 0 skipped');
  });
});

it('removeReports leaves no count of an earlier run', () => {
  project('packages/a', { numPassedTests: 3 });

  removeReports(root, reports());

  expect(summarize(root, reports()).problems).toEqual([
    'packages/a/test-report.json is missing: its tests did not run',
  ]);
});
