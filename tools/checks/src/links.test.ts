import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { apps, packages, workspaceRoot } from './workspace.js';

const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: workspaceRoot, encoding: 'utf8' });
// The sample is a project of its own, and templates are read where they are written to.
const pages = listed.split('\n').filter((page) => page !== '' && !/sample-project|\/template\//.test(page));

// A page of a package shows its README: relative links are resolved against `repository.directory`, which is the folder of the page.
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

/** A reader of an installed package follows the links of its README there. */
it.each([...packages, ...apps].map(({ manifest, directory }) => [manifest.name, manifest, directory] as const))(
  'what the README of %s links to is packed with it',
  (_, { files = [] }, directory) => {
    const readme = readFileSync(path.join(directory, 'README.md'), 'utf8');
    const targets = [...readme.matchAll(/\]\((?!https?:|#|\.\.)([^)\s#]+)/g)].map(([, target = '']) => target);
    const isPacked = (target: string): boolean => files.includes(target.split('/')[0] ?? '') || isPicture(target);
    expect(targets.filter((target) => !isPacked(target))).toEqual([]);
  },
);

/** The page of a package loads pictures from the repository. */
function isPicture(target: string): boolean {
  return /\.(?:png|svg)$/.test(target);
}
