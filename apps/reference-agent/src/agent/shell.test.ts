import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOutputTool } from '@palimpsest/agent';
import { fileOutputStore } from '@palimpsest/agent/node';
import type { ToolContext } from '@palimpsest/events';
import { openWorkspace, runCommandTool, SandboxUnavailableError } from '@palimpsest/tools';
import { expect, onTestFinished, test } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import type { Settings } from '../settings/settings.js';
import { openShell } from './shell.js';

const context = { event: () => undefined, maxOutputCharacters: 3_000 } as unknown as ToolContext;

async function shellWith(env: Record<string, string>, sandbox: Partial<Settings['sandbox']> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-shell-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'work'));
  const workspace = await openWorkspace(join(folder, 'work'));
  const shell = await openShell({
    workspace,
    settings: { sandbox: { ...defaultSettings.sandbox, ...sandbox } },
    session: { folder, outputs: join(folder, 'outputs') },
    env: { PATH: process.env['PATH'] ?? '', HOME: '/home/nobody', ...env },
  });
  const tool = runCommandTool(workspace, shell.settings);
  const run = async (command: string): Promise<string> => {
    const { content } = (await tool.execute(tool.parseInput({ command }), context)) as { readonly content: string };
    return content;
  };
  return { folder, shell, run };
}

const noProgram = { PATH: '/nowhere' };

test('where no sandbox works, that is said; where one is required, nothing runs', async () => {
  const { shell, run } = await shellWith(noProgram);
  expect(shell.notes).toEqual([
    expect.stringMatching(
      /^Commands run without a sandbox\. .*bwrap.* keys\.$|^Commands run without a sandbox\. .*Linux.* keys\.$/,
    ),
  ]);
  expect(await run('echo runs')).toBe('runs\n[exit status 0]');
  await expect(shellWith(noProgram, { mode: 'required' })).rejects.toThrow(SandboxUnavailableError);
  expect((await shellWith({}, { mode: 'off' })).shell.notes).toEqual([expect.stringContaining('mode = "off"')]);
});

test('commands have no secret of the environment, and what they find elsewhere is masked', async () => {
  const token = 'ghp_0123456789abcdef';
  const env = {
    GITHUB_TOKEN: token,
    OPENAI_API_KEY: 'sk-short',
    DATABASE_URL: 'postgres://app:pa55word!@db/x',
    EDITOR: 'vi',
    INIT_CWD: '/x',
  };
  const { run } = await shellWith(env, { mode: 'off' });
  const said = await run('env | sort; echo "found ghp_0123456789""abcdef sk-short pa55word!"');
  expect(said).not.toMatch(/GITHUB_TOKEN=|DATABASE_URL=|OPENAI_API_KEY=|INIT_CWD|ghp_/);
  expect(said).toContain('EDITOR=vi');
  expect(said).toContain('found [secret GITHUB_TOKEN] [secret OPENAI_API_KEY] [secret DATABASE_URL]');
});

test('the whole of a long output is masked in its file, and read_output reads it in parts', async () => {
  const { folder, run } = await shellWith({ GITHUB_TOKEN: 'ghp_0123456789abcdef' }, { mode: 'off' });
  const said = await run('i=0; while [ $i -lt 2000 ]; do echo "line $i ghp_0123456789""abcdef"; i=$((i+1)); done');
  const handle = /with the handle '(output-[\da-f]{32})'/.exec(said)?.[1] ?? '';
  expect(await readFile(join(folder, 'outputs', `${handle}.txt`), 'utf8')).not.toContain('ghp_');
  const tool = readOutputTool(fileOutputStore({ directory: join(folder, 'outputs') }));
  const part = await tool.execute(tool.parseInput({ handle, offset: 20_000, length: 100 }), context);
  expect(part).toMatch(/^\[Characters 20000 to 20100 of \d+\]\n[^]*line \d+ \[secret GITHUB_TOKEN\]\n/);
});

test('without a sandbox a command can read the environment of the agent, as the documentation says', async () => {
  // Of a process that is not ours the system may forbid it; of our own it does not.
  const { run } = await shellWith({}, { mode: 'off' });
  if (process.platform !== 'linux') return;
  expect(await run(`tr '\\0' '\\n' < /proc/${process.pid}/environ | grep -c ^PATH=`)).toMatch(/^1\n/);
});

test('a session keeps no scratch folder when it is closed, and no process', async ({ skip }) => {
  const { folder, shell, run } = await shellWith({ HOME: '/home/nobody' });
  skip(shell.notes.length > 0, shell.notes[0]);
  await run('echo kept > /tmp/a');
  expect(await run('cat /tmp/a')).toBe('kept\n[exit status 0]');
  await shell.close();
  expect(await readdir(folder)).toEqual(['work']);
});

test('a placeholder for a key is no secret', async () => {
  await expect(shellWith({ OPENAI_API_KEY: 'OPENAI_API_KEY' }, { mode: 'off' })).resolves.toBeDefined();
});

test('what commands wrote to their temporary folder goes away, whatever they made of it', async ({ skip }) => {
  const { folder, shell, run } = await shellWith({});
  skip(shell.settings.sandbox === undefined, 'no sandbox works here');
  const name = 'n'.repeat(200);
  const deep = `for (let i = 0; i < 30; i++) { fs.mkdirSync("${name}"); process.chdir("${name}"); }`;
  await run(`mkdir -p /tmp/a/b; chmod 0 /tmp/a; cd /tmp; '${process.execPath}' -e '${deep}'`);
  expect(await readdir(join(folder, 'scratch/tmp'))).toContain(name);
  await shell.close();
  expect(await readdir(folder)).not.toContain('scratch');
});
