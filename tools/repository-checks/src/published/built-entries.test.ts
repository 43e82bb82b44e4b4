import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { externalImports, isNodeBuiltin, packageOf } from '../imports.js';
import { apps, entryPoints, publishedPackages, type Workspace } from '../workspace.js';

const modelClients = ['openai', '@anthropic-ai/sdk'];
/** Packages whose subject is Node: their root entries may use it. */
const nodePackages = ['create-condenser', 'dbos', 'mcp', 'provider-servers', 'tools'];
/** Subpaths that need neither Node nor a model client. */
const lightSubpaths = ['@palimpsest/llm-adapters/wire'];

function targets(exported: unknown): readonly string[] {
  if (typeof exported === 'string') return [exported];
  return Object.entries(exported as Record<string, unknown>)
    .filter(([condition]) => condition !== '@palimpsest/source')
    .flatMap(([, target]) => targets(target));
}

function built({ directory, manifest }: Workspace, entry: string): readonly string[] {
  return targets(manifest.exports?.[entry]).map((target) => path.join(directory, target));
}

function packagesReached(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) => [...externalImports(file)]).filter((name) => !isNodeBuiltin(name));
  return [...new Set(names.map(packageOf))].sort();
}

/** Peers that say with which versions a package works; its code imports nothing of them. */
const namedOnly: readonly string[] = ['ai', '@openai/agents'];

describe.each(publishedPackages.map((each) => [each.manifest.name, each] as const))('%s', (_, workspace) => {
  const { manifest } = workspace;

  it('has every file that its exports name', () => {
    const files = Object.keys(manifest.exports ?? {}).flatMap((entry) => built(workspace, entry));

    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  if (!nodePackages.includes(workspace.shortName)) {
    it('reaches neither Node, nor a model client, nor a subpath of a sibling from its root entry', () => {
      const reached = built(workspace, '.').flatMap((file) => [...externalImports(file)]);
      const forbidden = reached.filter(
        (name) =>
          isNodeBuiltin(name) ||
          modelClients.includes(packageOf(name)) ||
          (/^@palimpsest\/[^/]+\//.test(name) && !lightSubpaths.includes(name)),
      );

      expect(forbidden).toEqual([]);
    });
  }

  it('imports what it declares, and declares what it imports', () => {
    const commands = Object.values(manifest.bin ?? {}).map((file) => path.join(workspace.directory, file));
    const imported = packagesReached([
      ...entryPoints(manifest).flatMap((entry) => built(workspace, entry)),
      ...commands,
      ...threadsOf(workspace.directory),
    ]);

    // A subpath imports the root entry of its package by the package's name.
    const others = imported.filter((name) => name !== manifest.name);
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    expect(others).toEqual(declared.filter((name) => !namedOnly.includes(name)).sort());
  });
});

describe.each(apps.map((each) => [each.manifest.name, each] as const))('%s', (_, { directory, manifest }) => {
  it('imports what it declares, and declares what it imports', () => {
    const imported = packagesReached(Object.values(manifest.bin ?? {}).map((file) => path.join(directory, file)));
    // A command brings the clients, so that its user need not: itself or the adapters import them.
    const isOther = (name: string): boolean => !modelClients.includes(name);
    const declared = Object.keys(manifest.dependencies ?? {}).filter(isOther);

    expect(imported.filter(isOther)).toEqual(declared.sort());
  });
});

it('the reference agent, whose program holds all that it imports, declares what its sources import', () => {
  const agent = apps.find(({ shortName }) => shortName === 'reference-agent');
  if (agent === undefined) throw new Error('There is no reference agent.');
  const { inputs } = JSON.parse(readFileSync(path.join(agent.directory, 'dist/metafile-esm.json'), 'utf8')) as Metafile;
  const imports = Object.entries(inputs).flatMap(([file, input]) => (file.startsWith('src/') ? input.imports : []));
  const names = imports.flatMap(({ original }) =>
    original === undefined || /^(\.|node:)/.test(original) ? [] : packageOf(original),
  );
  const declared = Object.keys(agent.manifest.devDependencies ?? {});

  expect(names.length).toBeGreaterThan(50);
  expect([...new Set(names)].filter((name) => !declared.includes(name))).toEqual([]);
});

/** What esbuild says of a build. */
interface Metafile {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly { readonly original?: string }[] }>>;
}

/** What worker threads run: no entry imports it. */
function threadsOf(directory: string): readonly string[] {
  const dist = path.join(directory, 'dist');
  const names = existsSync(dist) ? readdirSync(dist) : [];
  return names.filter((name) => name.endsWith('.mjs')).map((name) => path.join(dist, name));
}
