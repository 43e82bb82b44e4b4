import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { entriesOf, namesIn, reportOf } from './exported-names.js';
import { apps, publishedPackages, workspaceRoot } from './workspace.js';

const folder = path.join(workspaceRoot, 'tools/checks/exported-names');
const published = [...publishedPackages, ...apps]
  .map((each) => ({ shortName: each.shortName, entries: entriesOf(each) }))
  .filter(({ entries }) => entries.length > 0);

// So that a change of what users can import is seen in the diff. `npm run exported-names` writes the pages anew.
it.each(published)('$shortName exports the names that its page lists', async ({ shortName, entries }) => {
  await expect(reportOf(entries)).toMatchFileSnapshot(path.join(folder, `${shortName}.txt`));
});

it('there is no page of a package that is gone', () => {
  expect(readdirSync(folder).sort()).toEqual(published.map(({ shortName }) => `${shortName}.txt`).sort());
});

it('reads lists and declarations, and tells types', () => {
  const text = [
    "export { b, type C, d as e } from './b.js';",
    "export type { F } from './f.js';",
    'export const a = 1;',
    'export function g(): void {}',
    'export interface H { i: 1 }',
    'const notExported = 1;',
  ].join('\n');

  expect(reportOf([{ specifier: 'x', names: namesIn(text) }])).toBe(
    'x (7)\n  type C\n  type F\n  type H\n  a\n  b\n  e\n  g\n',
  );
  expect(() => namesIn("export * from './b.js';")).toThrow('Name what is exported.');
});
