import { createRequire } from 'node:module';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import type { Tree } from '@nx/devkit';
import { condenserPackageFiles } from '@palimpsest/create-condenser';
import { expect, test } from 'vitest';

const generator = createRequire(import.meta.url)('./generator.cjs') as (
  tree: Tree,
  options: { readonly name: string; readonly directory?: string },
) => Promise<void>;

test('it writes what `npm create @palimpsest/condenser` writes', async () => {
  const tree = createTreeWithEmptyWorkspace();
  await generator(tree, { name: '@acme/keep-newest' });

  for (const [file, text] of await condenserPackageFiles('@acme/keep-newest')) {
    expect(tree.read(`packages/keep-newest/${file}`, 'utf8'), file).toBe(text);
  }
});

test('a folder that holds something is left alone', async () => {
  const tree = createTreeWithEmptyWorkspace();
  tree.write('libs/keep-newest/mine.txt', 'mine');

  await expect(generator(tree, { name: 'keep-newest', directory: 'libs' })).rejects.toThrow(/is not empty/);
});
