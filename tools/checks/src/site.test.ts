import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { siteText } from '../../../site/assemble/links.js';
import { guide } from '../../../site/assemble/navigation.js';
import { apiPages, isRead, markdownPages } from '../../../site/assemble/pages.js';
import { apps, publishedPackages, workspaceRoot } from './workspace.js';

const pages = markdownPages();

it('every page of the guide exists, and every page that was written for the site is in it', () => {
  const inGuide = guide.flatMap((section) => section.pages);
  const written = pages.filter(({ source }) => source.startsWith('site/pages/')).map(({ page }) => page);
  const places = new Set(pages.map(({ page }) => page));
  expect(inGuide.filter((page) => !places.has(page))).toEqual([]);
  expect(written.filter((page) => page !== 'index.md' && !inGuide.includes(page))).toEqual([]);
});

it('every package that is published has its page, and each entry its API', () => {
  const places = new Set([...pages, ...apiPages()].map(({ page }) => page));
  for (const { manifest, shortName } of publishedPackages) {
    expect(places).toContain(`packages/${shortName}/index.md`);
    expect(places).toContain(`reference/api/${shortName}/index.md`);
    expect(manifest.name).toBe(`@palimpsest/${shortName}`);
  }
  for (const { manifest } of apps) expect(places).toContain(`packages/${manifest.name}/index.md`);
});

it('no two pages have one place', () => {
  const places = [...pages, ...apiPages()].map(({ page }) => page);
  expect(places.length).toBe(new Set(places).size);
});

// Nobody reads more. Reference and decisions are looked things up in.
it('there are at most 60 pages to read', () => {
  expect(pages.filter(isRead).length).toBeLessThanOrEqual(60);
});

it('the skill has the name of its folder and a description that an agent can choose it by', () => {
  const text = readFileSync(path.join(workspaceRoot, 'skills/add-condensation/SKILL.md'), 'utf8');
  const [, name, description = ''] = /^---\nname: (\S+)\ndescription: (.+)\n/.exec(text) ?? [];
  expect(name).toBe('add-condensation');
  expect(description).not.toContain(': ');
  expect(description.length).toBeLessThanOrEqual(1024);
});

it('every drawing is used, and has no style of its own but what a page takes out', () => {
  const shown = pages.flatMap(({ source }) => {
    const text = readFileSync(path.join(workspaceRoot, source), 'utf8');
    return [...text.matchAll(/drawings\/([\w-]+\.svg)/g)].map(([, name = '']) => name);
  });
  expect(new Set(shown).size).toBe(6);
  for (const name of shown) expect(existsSync(path.join(workspaceRoot, 'site/pages/drawings', name))).toBe(true);
});

const page = { source: 'packages/view/README.md', page: 'packages/view/index.md' };
const text = (markdown: string): string => siteText(markdown, page, pages).text;

it('a link leads to the page that a file has become, or to the file in the repository', () => {
  expect(text('[a](docs/view.md#what-a-view-costs)')).toBe('[a](./view.md#what-a-view-costs)');
  expect(text('[a](../events#readme)')).toBe('[a](../events/index.md)');
  expect(text('[a](../../docs/decisions)')).toBe('[a](../../decisions/index.md)');
  expect(text('[a](https://github.com/palimpsest-ts/palimpsest/blob/main/docs/glossary.md)')).toBe(
    '[a](../../glossary.md)',
  );
  expect(text('[a](src/view.ts)')).toBe(
    '[a](https://github.com/palimpsest-ts/palimpsest/blob/main/packages/view/src/view.ts)',
  );
  expect(text('[a](../../examples)')).toBe('[a](https://github.com/palimpsest-ts/palimpsest/tree/main/examples)');
  expect(text('[a](#errors), [b](https://example.com/x)')).toBe('[a](#errors), [b](https://example.com/x)');
});

it('a picture is copied, and code stays as it is', () => {
  const picture = '![a](../../apps/test-harness/docs/report-light.png)';
  const { text: shown, images } = siteText(picture, page, pages);
  expect(shown).toBe('![a](../../images/apps/test-harness/docs/report-light.png)');
  expect(images).toEqual(['apps/test-harness/docs/report-light.png']);
  expect(text('```text\n[a](src/view.ts)\n```')).toBe('```text\n[a](src/view.ts)\n```');
});
