import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { compactMs, localEnvironment, model, recallCall, toolNamed } from '../host.js';
import type { Host, HostRun } from '../host.js';
import { run } from '../program.js';
import type { Command } from '../program.js';

/** The environment of the engine's own compaction, which with its window of 100,000 begins at some 65,000 tokens. */
const compaction = {
  none: { DISABLE_AUTO_COMPACT: '1' },
  own: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' },
  plugin: {},
};

/** Claude Code, of one of the versions in the lock. */
export function claudeCode(version: string): Host {
  const command = ({ place, url, way, plugin }: HostRun, args: readonly string[]): Command => ({
    program: path.join(agentsFolder, `claude-code-${version}`, 'claude'),
    args: [
      ...['-p', '--model', model, '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
      ...(plugin === undefined ? [] : ['--plugin-dir', plugin]),
      ...args,
    ],
    env: {
      ...localEnvironment(place.home),
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      ...compaction[way],
    },
    cwd: place.project,
  });
  return {
    name: 'claude-code',
    version,
    pluginFolder: 'claude-code',
    pluginPath: (folder) => path.join(folder, 'dist/plugin'),
    savesWithoutPlugin: false,
    survivesLoops: true,
    hasSubAgents: true,
    prepare: async ({ place }) => {
      await mkdir(path.join(place.home, '.claude'), { recursive: true });
      // By price from some 65,000 tokens on, where the other agents' plugins decide by themselves.
      const settings = { pluginConfigs: { palimpsest: { options: { early: true } } } };
      await writeFile(path.join(place.home, '.claude/settings.json'), JSON.stringify(settings));
      await writeFile(path.join(place.home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }), {
        flag: 'wx',
      }).catch(() => undefined);
    },
    start: (hostRun, prompt, continues) => command(hostRun, [...(continues ? ['--continue'] : []), prompt]),
    compact: (hostRun) => run(command(hostRun, ['--continue', '/compact']), compactMs),
    callOf: (act, { project }, tools) => {
      switch (act.act) {
        case 'read':
          return { name: 'Read', input: { file_path: path.join(project, act.file) } };
        case 'delegate': {
          const name = toolNamed('Agent', tools) ?? toolNamed('Task', tools);
          const input = { description: 'Read four files', prompt: act.errand, subagent_type: 'general-purpose' };
          return name === undefined ? undefined : { name, input };
        }
        case 'recall':
          return recallCall(act.file, tools);
      }
    },
    // A compaction is part of the session.
    saved: () => Promise.resolve(undefined),
  };
}
