import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { led } from '../gateway.js';
import { claudeModels, compactMs, localEnvironment, recallCall, toolNamed } from '../host.js';
import type { Host, HostRun } from '../host.js';
import type { Again } from '../model.js';
import { run } from '../program.js';
import type { Command } from '../program.js';

/** The environment of the engine's own compaction, which with its window of 100,000 begins at some 65,000 tokens. */
const compaction = {
  none: { DISABLE_AUTO_COMPACT: '1' },
  own: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' },
  plugin: {},
  gateway: {},
};

/** Claude Code, of one of the versions in the lock. */
export function claudeCode(version: string): Host {
  const command = (hostRun: HostRun, args: readonly string[]): Command => {
    const { place, url, way, plugin, model, key, hasUrlInSettings, hasKeyHelper } = hostRun;
    return led(hostRun, {
      program: path.join(agentsFolder, `claude-code-${version}`, 'claude'),
      args: [
        ...['-p', '--model', model, '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
        ...(plugin === undefined ? [] : ['--plugin-dir', plugin]),
        ...args,
      ],
      env: {
        ...localEnvironment(place.home),
        ...hostRun.env,
        ANTHROPIC_API_KEY: hasKeyHelper ? '' : key,
        CLAUDE_CODE_API_KEY_HELPER_TTL_MS: '1000',
        ANTHROPIC_BASE_URL: hasUrlInSettings ? 'http://127.0.0.1:9' : url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // Behind a base URL of the user's it defers no tools by itself.
        ...(way === 'gateway' ? { ENABLE_TOOL_SEARCH: 'true' } : {}),
        IS_SANDBOX: '1',
        ...compaction[way],
      },
      cwd: place.project,
    });
  };
  return {
    name: 'claude-code',
    packageName: `claude-code-${version}`,
    provider: 'anthropic',
    models: claudeModels,
    plugin: { folder: 'claude-code', pathIn: (folder) => path.join(folder, 'dist/plugin') },
    isKnownToGateway: true,
    savesWithoutPlugin: false,
    survivesLoops: true,
    hasSubAgents: true,
    has: ['tool search', 'documents', 'key helper'],
    prepare: async ({ place, url, hasUrlInSettings, hasKeyHelper }) => {
      await mkdir(path.join(place.home, '.claude'), { recursive: true });
      // By price from some 65,000 tokens on, where the other agents' plugins decide by themselves.
      const settings = {
        pluginConfigs: { palimpsest: { options: { early: true } } },
        ...(hasKeyHelper ? { apiKeyHelper: 'date +key-%s' } : {}),
        ...(hasUrlInSettings ? { env: { ANTHROPIC_BASE_URL: url } } : {}),
      };
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
          return { name: 'Read', input: { file_path: path.join(project, act.file), ...variation(act.again) } };
        case 'delegate': {
          const name = toolNamed('Agent', tools) ?? toolNamed('Task', tools);
          const input = { description: 'Read four files', prompt: act.errand, subagent_type: 'general-purpose' };
          return name === undefined ? undefined : { name, input };
        }
        case 'search-tools': {
          const name = toolNamed('ToolSearch', tools);
          return name === undefined
            ? undefined
            : { name, input: { query: 'select:WebFetch,NotebookEdit', max_results: 5 } };
        }
        case 'recall':
          return recallCall(act.file, tools);
      }
    },
  };
}

/** Another way to read the same, or the part that is needed. */
function variation(again: Again | undefined): object {
  if (again === undefined) return {};
  const { count, line } = again;
  return count % 2 === 0 ? { limit: 1_000 + count } : { offset: Math.max(1, line - 20), limit: 40 + count };
}
