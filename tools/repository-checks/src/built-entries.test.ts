import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { externalImports, isNodeBuiltin, packageOf } from './imports.js';
import { entryPoints, packages } from './workspace.js';

const modelClients = ['openai', '@anthropic-ai/sdk'];

function targets(exported: unknown): readonly string[] {
  if (typeof exported === 'string') return [exported];
  return Object.entries(exported as Record<string, unknown>)
    .filter(([condition]) => condition !== '@palimpsest/source')
    .flatMap(([, target]) => targets(target));
}

describe.each(packages.map((each) => [each.manifest.name, each] as const))('%s', (_, { directory, manifest }) => {
  const built = (entry: string) => targets(manifest.exports[entry]).map((target) => path.join(directory, target));

  it('has every file that its exports name', () => {
    const missing = Object.keys(manifest.exports)
      .flatMap(built)
      .filter((file) => !existsSync(file));

    expect(missing).toEqual([]);
  });

  it('reaches neither Node, nor a model client, nor a subpath of a sibling from its root entry', () => {
    const reached = built('.').flatMap((file) => [...externalImports(file)]);
    const forbidden = reached.filter(
      (name) => isNodeBuiltin(name) || modelClients.includes(packageOf(name)) || /^@palimpsest\/[^/]+\//.test(name),
    );

    expect(forbidden).toEqual([]);
  });

  it('imports what it declares, and declares what it imports', () => {
    const imported = entryPoints(manifest)
      .flatMap(built)
      .flatMap((file) => [...externalImports(file)])
      .filter((name) => !isNodeBuiltin(name))
      .map(packageOf);
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

    expect([...new Set(imported)].sort()).toEqual(declared.sort());
  });
});
