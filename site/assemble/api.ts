import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publishedPackages, workspaceRoot } from '../../tools/checks/src/workspace.js';
import type { ApiPage } from './pages.js';

const site = path.join(workspaceRoot, 'site');

/** Returns the text of each page of the API, as TypeDoc writes it from the sources, with the name that is imported as its title. */
export async function apiTexts(pages: readonly ApiPage[]): Promise<ReadonlyMap<ApiPage, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-api-'));
  const options = path.join(folder, 'typedoc.json');
  await writeFile(options, JSON.stringify(typedocOptions(path.join(folder, 'api'))));
  await promisify(execFile)(
    process.execPath,
    [path.join(site, 'node_modules/typedoc/bin/typedoc'), '--options', options],
    {
      cwd: site,
    },
  );
  const texts = new Map<ApiPage, string>();
  for (const page of pages) {
    const text = await readFile(path.join(folder, page.source), 'utf8');
    // TypeDoc has this name for an argument that is taken apart.
    texts.set(page, text.replace(/^# .*$/m, `# ${page.name}`).replaceAll('__namedParameters', 'options'));
  }
  await rm(folder, { recursive: true });
  return texts;
}

function typedocOptions(out: string): object {
  return {
    out,
    entryPoints: publishedPackages.flatMap(sourcesOf),
    tsconfig: path.join(site, 'tsconfig.api.json'),
    plugin: ['typedoc-plugin-markdown'],
    router: 'module',
    readme: 'none',
    logLevel: 'Error',
    // `npm run typecheck` finds errors.
    skipErrorChecking: true,
    excludeInternal: true,
    excludeExternals: true,
    disableSources: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    groupOrder: ['Functions', 'Variables', 'Interfaces', 'Type Aliases', '*'],
    expandParameters: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    enumMembersFormat: 'table',
    tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true, hideSources: true },
  };
}

function sourcesOf({ directory, manifest }: (typeof publishedPackages)[number]): readonly string[] {
  return Object.values(manifest.exports ?? {}).flatMap((entry) => {
    const source = (entry as Readonly<Record<string, unknown>>)['@palimpsest/source'];
    return typeof source === 'string' ? [path.join(directory, source)] : [];
  });
}
