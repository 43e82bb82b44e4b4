import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentsFolder } from '../agents-folder.js';
import { claudeModels, compactMs, localEnvironment, model, ownLimit, recallCall, toolNamed } from '../host.js';
import type { Host, HostRun } from '../host.js';
import { run } from '../program.js';
import type { Command, Finished } from '../program.js';
import { withoutIds } from '../without-ids.js';

/** The longest answer for which opencode asks. Unit: tokens. */
const output = 32_000;

/** opencode. */
export const opencode: Host = {
  name: 'opencode',
  packageName: 'opencode-linux-x64',
  provider: 'anthropic',
  models: claudeModels,
  plugin: { folder: 'opencode', pathIn: (folder) => path.join(folder, 'dist/index.js') },
  isKnownToGateway: false,
  savesWithoutPlugin: true,
  survivesLoops: false,
  hasSubAgents: true,
  has: [],
  prepare: async ({ place, url, way, plugin }) => {
    const folder = path.join(place.home, '.config/opencode');
    await mkdir(folder, { recursive: true });
    const limit = { context: ownLimit + output, output };
    const config = {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      snapshot: false,
      lsp: false,
      formatter: false,
      ...(way === 'none' ? { compaction: { auto: false, prune: false } } : {}),
      ...(plugin === undefined ? {} : { plugin: [pathToFileURL(plugin).href] }),
      provider: {
        anthropic: {
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          ...(way === 'own' ? { models: { [model]: { limit } } } : {}),
        },
      },
    };
    await writeFile(path.join(folder, 'opencode.json'), JSON.stringify(config));
  },
  start: (hostRun, prompt, continues) =>
    command(hostRun, [
      'run',
      '--format',
      'json',
      '--model',
      `anthropic/${model}`,
      ...(continues ? ['--continue'] : []),
      prompt,
    ]),
  compact: compactOverHttp,
  callOf: (act, { project }, tools) => {
    switch (act.act) {
      case 'read':
        return { name: 'read', input: { filePath: path.join(project, act.file) } };
      case 'delegate': {
        const name = toolNamed('task', tools);
        const input = { description: 'Read four files', prompt: act.errand, subagent_type: 'general' };
        return name === undefined ? undefined : { name, input };
      }
      case 'search-tools':
        return undefined;
      case 'recall':
        return recallCall(act.file, tools);
    }
  },
  saved: async (hostRun) => {
    let saved = '';
    await withServer(hostRun, async (url, sessions) => {
      const lists = sessions.map(async ({ id }) => (await fetch(`${url}/session/${id}/message`)).text());
      saved = withoutIds(await Promise.all(lists), hostRun.place);
    });
    return saved;
  },
};

function command({ place }: HostRun, args: readonly string[]): Command {
  return {
    program: path.join(agentsFolder, 'opencode-linux-x64/bin/opencode'),
    args,
    env: {
      ...localEnvironment(place.home),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    cwd: place.project,
  };
}

/** `/compact` is a command of the terminal, which asks the agent's own server. */
function compactOverHttp(hostRun: HostRun): Promise<Finished> {
  return withServer(hostRun, async (url, [newest]) => {
    const body = JSON.stringify({ providerID: 'anthropic', modelID: model });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/session/${newest?.id}/summarize`, { method: 'POST', headers, body });
  });
}

/** Starts the agent's own server. The sessions are given from the newest to the oldest. */
function withServer(
  hostRun: HostRun,
  ask: (url: string, sessions: readonly { readonly id: string }[]) => Promise<void>,
): Promise<Finished> {
  const address = /http:\/\/127\.0\.0\.1:\d+/;
  return run(command(hostRun, ['serve', '--port', '0']), compactMs, async ({ until }) => {
    const url = address.exec(await until(address))?.[0] ?? '';
    await ask(url, (await (await fetch(`${url}/session`)).json()) as readonly { readonly id: string }[]);
  });
}
