import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { packages } from './workspace.js';

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

/** `tsc -b` builds what a project refers to; a missing reference shows itself only in a clean checkout. */
it.each(packages.map((each) => [each.manifest.name, each] as const))(
  '%s refers to the TypeScript projects of the siblings that it depends on',
  (_, { directory, manifest }) => {
    const project = JSON.parse(readFileSync(path.join(directory, 'tsconfig.lib.json'), 'utf8')) as Project;
    const siblings = Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@palimpsest/'));

    expect(project.references?.map((reference) => reference.path).sort()).toEqual(
      siblings.map((name) => `../../packages/${path.basename(name)}/tsconfig.lib.json`).sort(),
    );
  },
);
