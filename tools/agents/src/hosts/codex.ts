import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentsFolder } from '../agents-folder.js';
import { led } from '../gateway.js';
import { localEnvironment, toolNamed } from '../host.js';
import type { Host, HostRun } from '../host.js';
import type { Again } from '../model.js';
import type { Command } from '../program.js';

/** Codex, over Responses. */
export const codex: Host = {
  name: 'codex',
  packageName: 'codex-linux-x64',
  provider: 'openai',
  models: ['gpt-5.5', 'gpt-5.4'],
  isKnownToGateway: true,
  savesWithoutPlugin: false,
  survivesLoops: false,
  hasSubAgents: false,
  has: ['tool search'],
  prepare: async ({ place, url, hasUrlInSettings }) => {
    const provider = `model_provider = "own"

[model_providers.own]
name = "A provider of the user's"
base_url = "${url}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
`;
    const config = `check_for_update_on_startup = false
model_context_window = 1000000
model_auto_compact_token_limit = 900000
${hasUrlInSettings ? provider : `openai_base_url = "${url}/v1"\n`}`;
    await mkdir(folderIn(place.home), { recursive: true });
    await writeFile(path.join(folderIn(place.home), 'config.toml'), config);
  },
  start: (hostRun, prompt, continues) =>
    command(hostRun, [...(continues ? ['resume', '--last'] : []), ...options, '-m', hostRun.model, prompt]),
  callOf: (act, { project }, tools) => {
    switch (act.act) {
      case 'read': {
        const isPicture = act.file.endsWith('.png');
        const name = toolNamed(isPicture ? 'view_image' : 'exec_command', tools);
        if (name === undefined) return undefined;
        return {
          name,
          input: isPicture ? { path: path.join(project, act.file) } : { cmd: reading(act.file, act.again) },
        };
      }
      case 'search-tools': {
        const name = toolNamed('tool_search', tools);
        if (name === undefined) return undefined;
        return { name, input: { query: 'spawn agent', limit: 3 }, itemType: 'tool_search_call' };
      }
      case 'delegate':
      case 'recall':
        return undefined;
    }
  },
};

const options = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json'];

const folderIn = (home: string) => path.join(home, '.codex');

/** A command that reads a file, or that looks again in another way. */
function reading(file: string, again: Again | undefined): string {
  if (again === undefined) return `cat ${file}`;
  const { count, line } = again;
  return count % 2 === 0
    ? `sed -n '1,${2_000 + count}p' ${file}`
    : `sed -n '${Math.max(1, line - 20)},${line + 20 + count}p' ${file}`;
}

function command(hostRun: HostRun, args: readonly string[]): Command {
  const { place, key } = hostRun;
  return led(hostRun, {
    program: path.join(agentsFolder, 'codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
    args: ['exec', ...args],
    env: { ...localEnvironment(place.home), ...hostRun.env, CODEX_HOME: folderIn(place.home), CODEX_API_KEY: key },
    cwd: place.project,
  });
}
