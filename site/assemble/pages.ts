import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { apps, entryPoints, plugins, publishedPackages, workspaceRoot } from '../../tools/checks/src/workspace.js';
import type { Workspace } from '../../tools/checks/src/workspace.js';

/** A file of the repository that is a page of the site. */
export interface Page {
  /** The file, from the root of the repository. */
  readonly source: string;
  /** Its place in the site: `start/sdk.md`. */
  readonly page: string;
}

/** An entry point of a package, which has a page of its API. */
export interface ApiPage extends Page {
  /** The name to import: `@palimpsest/view/testing`. */
  readonly name: string;
  readonly shortName: string;
}

/** The pages of `docs/`, where they stand in the site. Pages for contributors stay in the repository. */
const ownDocs: readonly Page[] = [
  { source: 'docs/ways-in.md', page: 'start/frameworks.md' },
  { source: 'docs/agents.md', page: 'start/agents.md' },
  { source: 'docs/services.md', page: 'services.md' },
  { source: 'docs/glossary.md', page: 'glossary.md' },
  { source: 'docs/versioning.md', page: 'versioning.md' },
  { source: 'docs/runtimes.md', page: 'reference/runtimes.md' },
  { source: 'docs/provider-rules.md', page: 'reference/provider-rules.md' },
  { source: 'apps/test-harness/docs/results.md', page: 'results.md' },
  { source: 'docs/live.md', page: 'reference/live.md' },
];

/** Pages of packages that are looked things up in: they are shown in the reference. */
const lookedUp: readonly string[] = [
  'packages/agent/docs/prompts.md',
  'packages/agent/docs/secrets.md',
  'packages/condensers/docs/condensers.md',
  'packages/events/docs/file-store.md',
  'packages/llm-adapters/docs/guarantees.md',
  'packages/llm-adapters/docs/models.md',
  'packages/postgres/docs/conversations.md',
  'packages/postgres/docs/seeing.md',
];

/** For contributors, or shown elsewhere in the site. */
const leftOut: readonly string[] = ['apps/reference-agent/docs/source.md', ...ownDocs.map(({ source }) => source)];

/** Each plugin has one page. */
const pluginPages: readonly Page[] = plugins.flatMap(({ shortName, manifest }) =>
  manifest.name === '@palimpsest/plugin-kit'
    ? []
    : [{ source: `plugins/${shortName}/README.md`, page: `reference/agents/${shortName}.md` }],
);

/** The packages that users install: libraries, then commands. */
export const installed: readonly Workspace[] = [...publishedPackages, ...apps];

/** The folder of a package in the site: that of its name, without the scope. */
export function siteName({ manifest }: Workspace): string {
  return manifest.name.replace('@palimpsest/', '');
}

/** Returns every page that is made from a Markdown file of the repository. */
export function markdownPages(): readonly Page[] {
  const written = filesIn('site/pages').map((name) => ({ source: `site/pages/${name}`, page: name }));
  const decisions = filesIn('docs/decisions').map((name) => ({
    source: `docs/decisions/${name}`,
    page: `decisions/${name}`,
  }));
  return [...written, ...ownDocs, ...installed.flatMap(pagesOf), ...pluginPages, ...decisions];
}

/** Returns the README of a package, then the pages of its `docs`. */
function pagesOf(each: Workspace): readonly Page[] {
  const folder = path.relative(workspaceRoot, each.directory).split(path.sep).join('/');
  const isCommand = apps.includes(each);
  const docs = filesIn(`${folder}/docs`)
    .map((name) => ({ source: `${folder}/docs/${name}`, name }))
    .filter(({ source }) => !leftOut.includes(source))
    .map(({ source, name }) => {
      const section = isCommand || lookedUp.includes(source) ? 'reference' : 'packages';
      return { source, page: `${section}/${siteName(each)}/${name}` };
    });
  return [{ source: `${folder}/README.md`, page: `packages/${siteName(each)}/index.md` }, ...docs];
}

/** Returns the pages that TypeDoc writes. Their sources are TypeDoc's own file names. */
export function apiPages(): readonly ApiPage[] {
  return publishedPackages.flatMap((each) =>
    entryPoints(each.manifest).map((entry) => {
      const name = entry === '.' ? '' : entry.slice(2);
      return {
        name: path.posix.join(each.manifest.name, name),
        shortName: each.shortName,
        source: name === '' ? `api/${each.shortName}/src.md` : `api/${each.shortName}/src/${name}.md`,
        page: `reference/api/${each.shortName}/${name === '' ? 'index' : name}.md`,
      };
    }),
  );
}

/** Returns whether people read a page from its beginning to its end. The others are looked things up in. */
export function isRead({ page }: Pick<Page, 'page'>): boolean {
  return !page.startsWith('reference/') && !page.startsWith('decisions/');
}

function filesIn(folder: string): readonly string[] {
  const directory = path.join(workspaceRoot, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.split(path.sep).join('/'))
    .sort();
}
