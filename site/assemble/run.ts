// Makes `content/`, which VitePress reads: the pages of the repository with links for the site, the API, the configuration, the sidebars.
// With `--pages` only the first, which takes seconds.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { apps, workspaceRoot } from '../../tools/checks/src/workspace.js';
import { apiTexts } from './api.js';
import { siteText } from './links.js';
import { llmsText, sidebars } from './navigation.js';
import { apiPages, installed, markdownPages, siteName } from './pages.js';
import type { ApiPage } from './pages.js';
import { configurationPages } from './schemas.js';

const content = path.join(workspaceRoot, 'site/content');
const skill = 'skills/add-condensation/SKILL.md';
const pages = markdownPages();
const api = apiPages();
const known = [...pages, ...api, { source: 'docs/decisions/index.md', page: 'decisions/index.md' }];
const made: { readonly page: string; readonly source: string; readonly title: string; readonly summary: string }[] = [];

async function write(page: string, text: string): Promise<void> {
  const file = path.join(content, page);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function add(page: string, source: string, text: string): Promise<void> {
  made.push({ page, source, title: titleOf(text), summary: summaryOf(text) });
  await write(page, text);
}

function titleOf(text: string): string {
  return (/^# (.*)$/m.exec(text)?.[1] ?? 'Palimpsest').replaceAll('`', '').replaceAll('\\', '');
}

/** The first sentence of a page, without marks and links. */
function summaryOf(text: string): string {
  const [, paragraph = ''] = /^# .*\n+(?!#|\||```|!)([\s\S]*?)(?:\n\n|$(?![\s\S]))/m.exec(text) ?? [];
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[*`\n]+/g, ' ');
  return (/^.*?[.?](?=\s|$)/.exec(plain.trim())?.[0] ?? plain.trim()).replaceAll(/ {2,}/g, ' ');
}

/** Below the README of a package: the pages of its API. */
function apiList(own: readonly ApiPage[]): string {
  const lines = own.map(({ name, page }) => `- [\`${name}\`](../../${page})`);
  return lines.length === 0 ? '' : `\n## API\n\nEvery export, with its options and errors:\n\n${lines.join('\n')}\n`;
}

function packageList(): string {
  const row = (each: (typeof installed)[number]): string =>
    `| [\`${each.manifest.name}\`](./${siteName(each)}/index.md) | ${each.manifest.description ?? ''} |`;
  const table = (rows: readonly string[]): string =>
    ['| package | what it is for |', '| --- | --- |', ...rows].join('\n');
  const isCommand = (each: (typeof installed)[number]): boolean => apps.includes(each);
  return [
    '# Packages',
    'Each is installed alone. What a package needs beside it, its page says; SDKs of providers are optional.',
    '',
    table(installed.filter((each) => !isCommand(each)).map(row)),
    '',
    '## Commands',
    '',
    table(installed.filter(isCommand).map(row)),
    '',
  ].join('\n');
}

const images = new Set<string>();
function convert(text: string, page: { readonly source: string; readonly page: string }): string {
  const converted = siteText(text, page, known);
  for (const image of converted.images) images.add(image);
  return converted.text;
}

/** The pages that stand in the repository as Markdown, with their pictures. */
async function writePages(): Promise<void> {
  for (const page of pages) {
    const text = await readFile(path.join(workspaceRoot, page.source), 'utf8');
    const name = /^packages\/([^/]+)\/index\.md$/.exec(page.page)?.[1];
    const own = api.filter(({ shortName }) => shortName === name);
    await add(page.page, page.source, `${convert(text, page)}${apiList(own)}`);
  }
  for (const image of images) await cp(path.join(workspaceRoot, image), path.join(content, 'images', image));
}

/** The pages that are made: of the API, of the configuration, and the lists. */
async function writeMadePages(): Promise<void> {
  await add('packages/index.md', '', packageList());
  for (const [page, text] of configurationPages()) await add(page, '', text);
  for (const [page, text] of await apiTexts(api)) await add(page.page, page.source, convert(text, page));
  const decisions = made.filter(({ page }) => page.startsWith('decisions/'));
  const list = decisions.map(({ page, title }) => `- [${title}](./${path.basename(page)})`).join('\n');
  const introduction = 'What was decided, what was measured, and what was rejected.';
  await add('decisions/index.md', '', `# Decisions\n${introduction}\n\n${list}\n`);
}

async function writePublicFiles(): Promise<void> {
  await cp(path.join(workspaceRoot, 'site/public'), path.join(content, 'public'), { recursive: true });
  await mkdir(path.join(content, 'public', path.dirname(skill)), { recursive: true });
  await cp(path.join(workspaceRoot, skill), path.join(content, 'public', skill));
  await write('public/llms.txt', llmsText(made));
}

if (process.argv.includes('--pages')) {
  await writePages();
} else {
  await rm(content, { recursive: true, force: true });
  await writePages();
  await writeMadePages();
  await writePublicFiles();
  await write('navigation.json', JSON.stringify(sidebars(made, api)));
}
console.log(`${made.length} pages in site/content`);
