import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { walk } from './walk.js';

test('files are left out as git leaves them out', async () => {
  const workspace = await temporaryWorkspace({
    '.gitignore':
      '*.log\n!keep.log\n/only-here\nbuild/\ndocs/*.tmp\n**/cache/**\n\\#a\n[bc].txt\n*.x?\nspaced\\ \n\r\n# note\n',
    'packages/.gitignore': '!*.log\n/own\ndeep/**/z\n',
    'packages/inner/.gitignore': '*\n!.gitignore\n!kept\n',
    ...Object.fromEntries(
      [
        ...['a.log', 'keep.log', 'only-here', 'sub/only-here', 'build/x', 'sub/build/y', 'buildx/z', 'docs/a.tmp'],
        ...['docs/sub/a.tmp', 'cache/a', 'sub/cache/b/c', '#a', 'b.txt', 'd.txt', 'a.xy', 'a.x', 'spaced ', 'spaced'],
        ...['packages/b.log', 'packages/own', 'packages/sub/own', 'packages/deep/z', 'packages/deep/1/2/z'],
        ...['packages/inner/kept', 'packages/inner/lost', 'packages/inner/lost/kept2', '.hidden/a', 'B.TXT'],
      ]
        .filter((path) => path !== 'packages/inner/lost')
        .map((path) => [path, '']),
    ),
  });
  execFileSync('git', ['init', '--quiet'], { cwd: workspace.root });
  const args = ['-c', 'core.excludesFile=', 'ls-files', '--others', '--exclude-standard', '-z'];
  const git = execFileSync('git', args, { cwd: workspace.root }).toString().split('\0').filter(Boolean);
  const found: string[] = [];
  for await (const { path, kind } of walk(workspace, workspace.root)) {
    if (kind === 'file' && path !== undefined) found.push(path);
  }
  expect(found.sort()).toEqual(git.sort());
  expect(found.length).toBe(15);
});
