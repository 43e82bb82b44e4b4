import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chatServer, says } from '../test-support/chat-server.js';
import { startCli } from '../test-support/cli-process.js';
import { headlessRig } from '../test-support/headless-rig.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Each place of the built program that imports a module late, with the names that it takes; undefined: all that there are. */
function lateImports(): readonly { readonly module: string; readonly names: readonly string[] | undefined }[] {
  const form = /(?:\{([^{}]*)\}=await |\(await )?\bloadModule\("([^"]+)"\)(?:\)\.(\w+))?/g;
  return readdirSync(dist)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [...readFileSync(join(dist, file), 'utf8').matchAll(form)])
    .map(([, taken, module = '', member]) => {
      const names = member === undefined ? taken?.split(',').map((each) => each.split(':')[0] ?? '') : [member];
      return { module, names };
    });
}

/** The names of what modules of the built program export, loaded in the way in which it loads them. */
function exportsOf(modules: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const program = `
    import { loadModule } from './load-module.js';
    const loaded = [];
    for (const name of ${JSON.stringify(modules)}) loaded.push([name, Object.keys(await loadModule(name))]);
    console.log(JSON.stringify(loaded));`;
  const args = ['--input-type=module', '--eval', program];
  return new Map(JSON.parse(execFileSync(process.execPath, args, { cwd: dist, encoding: 'utf8' })) as []);
}

test('every module that the built program imports late has what is taken from it', () => {
  const places = lateImports();
  const modules = [...new Set(places.map(({ module }) => module))];
  expect(modules.length).toBeGreaterThan(30);
  const exported = exportsOf(modules);
  const missing = places.flatMap(({ module, names }) => {
    const there = (exported.get(module) ?? []).filter((name) => name !== '__esModule');
    // What was CommonJS has nothing but a default in a bundle.
    const isTaken = names === undefined ? there.join() !== 'default' : names.every((name) => there.includes(name));
    return isTaken ? [] : [{ module, names, there }];
  });
  expect(missing).toEqual([]);
});

test('the built command reads a skill with front matter', async () => {
  const skill = '---\nname: shipping\ndescription: How to ship, with care.\n---\nUse make ship.\n';
  const rig = await headlessRig({ '.agents/skills/shipping/SKILL.md': skill, '.gitignore': 'dist\n' });
  const server = await chatServer({ reply: () => says('Done.') });
  const args = ['-p', 'Go.', '--model', 'local', '--base-url', server.baseURL];
  const cli = startCli(args, { cwd: rig.workspace, env: rig.env });
  expect(await cli.ended).toBe(0);
  expect(cli.stderr()).not.toContain('SKILL.md');
  expect(JSON.stringify(server.requests[0]?.body)).toContain('How to ship, with care.');
});
