import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { externalImports, isNodeBuiltin, packageOf } from '../imports.js';
import { apps, plugins, publishedPackages, type Workspace } from '../workspace.js';

const modelClients = ['openai', '@anthropic-ai/sdk'];
/** Packages whose subject is Node: their root entries may use it. */
const nodePackages = ['create-condenser', 'dbos', 'mcp', 'provider-servers', 'tools'];
/** Subpaths that need neither Node nor a model client. */
const lightSubpaths = ['@palimpsest/llm-adapters/wire', '@palimpsest/messages/tools'];

/** The files of the root entry, with the chunks that the bundler has put between the entries. */
function rootFiles({ directory, manifest }: Workspace): readonly string[] {
  const targets = (exported: unknown): readonly string[] =>
    typeof exported === 'string'
      ? [exported]
      : Object.entries(exported as Record<string, unknown>).flatMap(([condition, target]) =>
          condition === '@palimpsest/source' ? [] : targets(target),
        );
  return targets(manifest.exports?.['.']).map((target) => path.join(directory, target));
}

// Lint looks at the sources. A chunk that two entries share shows itself only in what was built.
describe.each(publishedPackages.filter(({ shortName }) => !nodePackages.includes(shortName)))(
  '$manifest.name',
  (workspace) => {
    it('reaches neither Node, nor a model client, nor a subpath of a sibling from its root entry', () => {
      const reached = rootFiles(workspace).flatMap((file) => [...externalImports(file)]);
      const forbidden = reached.filter(
        (name) =>
          isNodeBuiltin(name) ||
          modelClients.includes(packageOf(name)) ||
          (/^@palimpsest\/[^/]+\//.test(name) && !lightSubpaths.includes(name)),
      );

      expect(forbidden).toEqual([]);
    });
  },
);

// knip compares imports and manifests, and takes a devDependency for a dependency.
it.each(apps.map((each) => [each.manifest.name, each] as const))('%s imports what npm installs with it', (_, app) => {
  const files = Object.values(app.manifest.bin ?? {}).map((file) => path.join(app.directory, file));
  const imported = files.flatMap((file) => [...externalImports(file)]).filter((name) => !isNodeBuiltin(name));
  const declared = Object.keys(app.manifest.dependencies ?? {});

  expect(imported.map(packageOf).filter((name) => !declared.includes(name))).toEqual([]);
});

/** The terminal of opencode gives its plugins what it is drawn with. */
const givenByHost = ['@opentui/solid', 'solid-js'];

it.each(
  plugins
    .filter(({ manifest }) => manifest.scripts?.['build'] !== undefined)
    .map((each) => [each.manifest.name, each] as const),
)('%s holds all that it needs', (_, { directory }) => {
  const dist = path.join(directory, 'dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const imported = files.flatMap((file) => [...externalImports(path.join(dist, file))]);

  expect(files.length).toBeGreaterThan(0);
  expect(imported.filter((name) => !isNodeBuiltin(name) && !givenByHost.includes(name))).toEqual([]);
});
