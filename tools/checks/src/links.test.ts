import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workspaceRoot } from './workspace.js';

const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: workspaceRoot, encoding: 'utf8' });
// The sample is a project of its own, and templates are read where they are written to.
const pages = listed.split('\n').filter((page) => page !== '' && !/sample-project|\/template\//.test(page));

it('every link of a page to a file leads to one', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(path.join(workspaceRoot, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    return [...text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].flatMap(([, target = '']) =>
      existsSync(path.join(workspaceRoot, path.dirname(page), target)) ? [] : [`${page}: ${target}`],
    );
  });

  expect(pages.length).toBeGreaterThan(60);
  expect(broken).toEqual([]);
});

/** A page of a package names what is not in its tarball so (published/tarballs.test.ts has its relative links). */
it('every link of a page into this repository on its host leads to a file of it', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(path.join(workspaceRoot, page), 'utf8');
    return [...text.matchAll(/github\.com\/palimpsest-ts\/palimpsest\/(?:blob|tree)\/main\/([^)\s#]+)/g)].flatMap(
      ([, target = '']) => (existsSync(path.join(workspaceRoot, target)) ? [] : [`${page}: ${target}`]),
    );
  });

  expect(broken).toEqual([]);
});
