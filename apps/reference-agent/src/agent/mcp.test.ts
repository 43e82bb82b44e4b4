import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { calls, chatServer, says, toolCall } from '../../test-support/chat-server.js';
import { eventsOf, headlessRig, resultsByCall } from '../../test-support/headless-rig.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import { configCommand } from '../cli/config.js';

const program = (name: string): string =>
  fileURLToPath(new URL(`../../../../packages/mcp/test-support/${name}.mjs`, import.meta.url));
const secret = 'of-the-realm-0123456789';

/** A model that makes these calls, one a turn, in a workspace with a configuration of the user. */
async function rigWith(config: string, made: readonly (readonly [string, object])[], files = {}) {
  const server = await chatServer({
    reply: (_, index) => {
      const [name, input] = made[index] ?? [];
      return name === undefined ? says('Done.') : calls(null, toolCall(name, input ?? {}, `call_${index}`));
    },
  });
  const rig = await headlessRig(files, { model: 'local', baseUrl: server.baseURL, yolo: false });
  await rig.configure(config);
  return { ...rig, server };
}

test('a run in text says once which MCP servers it waits for, before it says anything else', async () => {
  const servers = ['one', 'two'].map(
    (name) =>
      `[mcp.servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(program('honest-server'))}]\n`,
  );
  const rig = await rigWith(servers.join(''), []);
  const ran = await rig.run({ print: 'Go.', outputFormat: 'text' });
  expect(ran.stderr).toMatch(/^palimpsest: waiting for MCP servers: one, two\npalimpsest: session /);
  expect(ran.stderr.match(/waiting for/g)).toHaveLength(1);
  expect((await rig.run({ print: 'Go.' })).events[0]?.type).toBe('init');
});

test('MCP servers in a run: rules decide, secrets are hidden, a server that fails is a note', async () => {
  const rig = await rigWith(
    `
permissions.allow = ["mcp__honest__*", "mcp__long__call", "mcp__gone__*", "run_command(env)"]
permissions.deny = ["mcp__*__fail"]
sandbox.mode = "off"
[mcp.servers.honest]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(program('honest-server'))}]
env = { PAT = "\${FORGE_PAT}" }
tools = ["echo", "fail", "variables"]
[mcp.servers.long]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(program('hostile-server'))}, "long"]
[mcp.servers.other]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(program('hostile-server'))}, "readOnly"]
[mcp.servers.broken]
command = "/no/such/\\u001b[2Jprogram"
[mcp.servers.unset]
url = "http://127.0.0.1:1/mcp"
headers = { Authorization = "Bearer \${NOT_SET}" }
`,
    [
      ['mcp__honest__echo', { words: 'hello' }],
      ['mcp__honest__variables', {}],
      ['mcp__honest__fail', {}],
      ['mcp__other__wipe', {}],
      ['mcp__long__call', {}],
      ['run_command', { command: 'env' }],
    ],
  );
  Object.assign(rig.env, { FORGE_PAT: secret });
  const ran = await rig.run({ print: 'Go.' });
  expect(ran.status).toBe(0);
  const [init] = eventsOf(ran, 'init');
  expect(init?.tools.filter((name) => name.startsWith('mcp__'))).toEqual([
    ...['mcp__honest__echo', 'mcp__honest__fail', 'mcp__honest__variables', 'mcp__long__call', 'mcp__other__wipe'],
  ]);
  const notes = init?.notes.filter((note) => note.includes('MCP'));
  expect(notes).toEqual([
    "The MCP server 'unset' was not started: NOT_SET is not set.",
    "The MCP server 'broken' did not start: there is no program '/no/such/program'.",
    "The rule 'mcp__gone__*' is for an MCP server that is not configured.",
  ]);
  expect(resultsByCall(ran).map(({ name, status }) => [name, status])).toEqual([
    ['mcp__honest__echo', 'ok'],
    ['mcp__honest__variables', 'ok'],
    ['mcp__honest__fail', 'denied'],
    // The server says that it only reads.
    ['mcp__other__wipe', 'denied'],
    ['mcp__long__call', 'ok'],
    ['run_command', 'ok'],
  ]);
  const sent = rig.server.requests.map(({ body }) => JSON.stringify(body));
  expect(sent.join('')).not.toContain(secret);
  expect(sent.join('')).toContain('[secret FORGE_PAT]');
  // Commands do not get it.
  expect(sent.at(-1)).not.toContain('FORGE_PAT=');
  // The whole of a long result has an address.
  expect(sent.at(-1)).toMatch(/read_output/);
  expect(sent.at(-1)?.length).toBeLessThan(150_000);
  const [session = ''] = await readdir(rig.sessions);
  const log = await readdir(join(rig.sessions, session), { recursive: true, withFileTypes: true });
  for (const file of log.filter((each) => each.isFile())) {
    expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(secret);
  }
});

test.each(['stream-json', 'text'] as const)(
  'what becomes of a server in a run is told, in %s',
  async (outputFormat) => {
    const rig = await rigWith(
      `permissions.allow = ["mcp__*"]\n[mcp.servers.mortal]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(program('hostile-server'))}, "mortal"]\n`,
      [['mcp__mortal__call', {}]],
    );
    const ran = await rig.run({ print: 'Go.', outputFormat });
    expect(ran.status).toBe(0);
    const note = "The MCP server 'mortal' ended with status 4.";
    if (outputFormat === 'text') expect(ran.stderr).toContain(note);
    else expect(eventsOf(ran, 'note')).toEqual([{ type: 'note', text: note }]);
  },
);

test('a session that opens says which servers it waits for, and tells what becomes of them', async () => {
  const rig = await interactiveRig({
    reply: (_, index) => (index === 0 ? calls(null, toolCall('mcp__mortal__call', {}, 'call_0')) : says('Done.')),
  });
  const servers = ['mortal', 'good'].map(
    (mode) =>
      `[mcp.servers.${mode}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(program('hostile-server'))}, "${mode}"]\n`,
  );
  await rig.configure(servers.join(''));
  const talked = await rig.open({ yolo: true });
  const opening = talked.told.flatMap((event) =>
    event.type === 'state' && event.state.type === 'opening' ? [event.state.waitsFor ?? []] : [],
  );
  expect(opening.slice(0, 2)).toEqual([[], ['good', 'mortal']]);
  expect(opening.at(-1)).toEqual([]);
  await talked.said('Go.');
  expect(talked.notices).toContain("The MCP server 'mortal' ended with status 4.");
});

test('a project that is not trusted starts no server', async () => {
  const rig = await rigWith('', [], {
    '.palimpsest/config.toml': '[mcp.servers.bad]\ncommand = "touch"\nargs = ["started"]\n',
  });
  const ran = await rig.run({ print: 'Go.' });
  expect(eventsOf(ran, 'init')[0]?.notes.join()).toMatch(/do not count: mcp\.servers\./);
  await expect(stat(join(rig.workspace, 'started'))).rejects.toThrow('ENOENT');
});

test('servers of the user and of a trusted project add up; config shows no secret', async () => {
  const rig = await rigWith(
    '[mcp.servers.a]\nurl = "https://a.example/mcp"\nheaders = { "X-Any" = "plain-secret-1", B = "Bearer ${B}" }\n' +
      '[mcp.servers.b]\ncommand = "b"\ncwd = "in"\nargs = ["--api-key", "plain-secret-2", "--token=plain-secret-3", "x"]\nenv = { ANY = "plain-secret-4" }\n',
    [],
  );
  const shown = async (flags: object): Promise<string> => {
    const ran = await rig.command(async (surroundings) => {
      await configCommand(flags, surroundings);
      return 0;
    });
    return ran.stdout;
  };
  const text = (await shown({})) + (await shown({ json: true }));
  expect(text).not.toContain('plain-secret');
  expect(text).toContain('mcp.servers.a');
  expect(text).toContain('Bearer ${B}');
  expect(text).toContain(join(rig.env['XDG_CONFIG_HOME'] ?? '', 'palimpsest/in'));
  expect(text).toContain('"--api-key","[secret]","--token=[secret]","x"');
});

test.each([
  ['[mcp.servers.a]\ncommand = "a"\nurl = "http://a.example"', /needs either `command` or `url`/],
  ['[mcp.servers.a]\nargs = []', /needs either/],
  ['[mcp.servers.a]\nurl = "http://a.example"\ncwd = "x"', /goes with none/],
  ['[mcp.servers.a__b]\ncommand = "a"', /at most 32 letters/],
  ['[mcp.servers.a]\ncomand = "a"', /'mcp\.servers\.a\.comand' is no setting\. Did you mean 'command'/],
])('%j is an error with its place', async (config, problem) => {
  const rig = await rigWith(config, []);
  await expect(rig.run({ print: 'Go.' })).rejects.toThrow(problem);
});
