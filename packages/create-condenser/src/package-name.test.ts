import { expect, test } from 'vitest';
import { condenserNames } from './package-name.js';

test.each([
  ['keep-newest', 'keep-newest', 'keepNewest'],
  ['condenser-keep-newest', 'condenser-keep-newest', 'keepNewest'],
  ['@acme/condenser-x', 'condenser-x', 'x'],
  ['@acme/keep.the_newest-2', 'keep.the_newest-2', 'keepTheNewest2'],
  ['condenser', 'condenser', 'condenser'],
])('%s lies in %s and names its condenser %s', (packageName, folder, condenserName) => {
  expect(condenserNames(packageName)).toEqual({ packageName, folder, condenserName });
});

test.each(['', 'Keep', '../x', 'a/b', '@a/b/c', '.hidden', 'x y', 'a'.repeat(215), '$(touch x)'])(
  '%j is refused',
  (name) => {
    expect(() => condenserNames(name)).toThrow(/no name of an npm package/);
  },
);

test.each(['2-late', '---'])('%j gives no identifier', (name) => {
  expect(() => condenserNames(name)).toThrow(/no name for the condenser/);
});
