// An Nx plugin: `build`, `test` and `test:published` of a project are what its npm scripts say, run by Nx itself. To run them by npm, as Nx does by
// default, starts two more Nodes for each: 0.45 s of CPU time a task. Such a manifest says `"includedScripts": []` to Nx.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const names = ['build', 'test', 'test:published'];

/** @type {import('@nx/devkit').CreateNodesV2} */
export const createNodesV2 = [
  '{packages,apps,plugins,tools}/*/package.json',
  (files, _, { workspaceRoot }) =>
    files.map((file) => {
      const root = path.dirname(file);
      /** @type {{ scripts?: Readonly<Record<string, string>> }} */
      const { scripts = {} } = JSON.parse(readFileSync(path.join(workspaceRoot, file), 'utf8'));
      const targets = names.flatMap((name) =>
        scripts[name] === undefined
          ? []
          : [[name, { executor: 'nx:run-commands', options: { command: scripts[name], cwd: root } }]],
      );
      return [file, { projects: { [root]: { targets: Object.fromEntries(targets) } } }];
    }),
];
