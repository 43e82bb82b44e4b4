import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const built = path.join(root, 'plugins/claude-code/dist');

describe.each(['2.1.330', '2.1.332'])('Claude Code %s', (version) => {
  const binary = path.join(root, '.ci/agents/node_modules', `claude-code-${version}`, 'claude');
  const canRun = existsSync(binary) && existsSync(path.join(built, 'plugin/hooks/register.js'));
  let home = '';
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'palimpsest-claude-'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const claude = (...args: readonly string[]) =>
    execFileSync(binary, args, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    });

  // Offline, without a key. The agents are those of .ci/agents, the plugin is what `npm run build` makes.
  it.skipIf(!canRun)('takes the plugin as it is built', { timeout: 120_000 }, () => {
    expect(claude('plugin', 'validate', path.join(built, 'plugin'), '--profile', 'directory')).toContain(
      'Validation passed',
    );
    expect(claude('plugin', 'test', path.join(built, 'plugin'))).toContain('0 fail');
  });

  it.skipIf(!canRun)('installs the plugin from its marketplace', { timeout: 120_000 }, () => {
    claude('plugin', 'marketplace', 'add', built);
    claude('plugin', 'install', 'palimpsest@palimpsest-ts');
    expect(claude('plugin', 'list')).toContain('palimpsest@palimpsest-ts');
  });
});
