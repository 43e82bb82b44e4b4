import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { InvalidSettingsError, settingsInToml } from './settings-file.js';
import { settingKeys, settingsJsonSchema, valueAt } from './settings.js';

const read = (toml: string) => settingsInToml(new TextEncoder().encode(toml), 'config.toml');

async function problem(toml: string): Promise<string> {
  try {
    await read(toml);
  } catch (error) {
    if (InvalidSettingsError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('it was read');
}

test.each([
  ['max_cost = 2', "config.toml:1:1: 'max_cost' is no setting. Did you mean 'maxCost'?"],
  ['model = "a/b"\n\n  modle = "x"', "config.toml:3:3: 'modle' is no setting. Did you mean 'model'?"],
  ['[permissions]\nallow = []\nalow = []', "config.toml:3:1: 'permissions.alow' is no setting. Did you mean 'allow'?"],
  ['[permisions]\nallow = []', "config.toml:1:2: 'permisions' is no setting. Did you mean 'permissions'?"],
  ['sandbox.mod = "off"', "config.toml:1:1: 'sandbox.mod' is no setting. Did you mean 'mode'?"],
  ['sandbox = { mod = "off" }', "config.toml:1:1: 'sandbox.mod' is no setting. Did you mean 'mode'?"],
  [
    '[sandbox]\nwhatever = 1',
    "config.toml:2:1: 'sandbox.whatever' is no setting. There are: mode, network, readable, writable.",
  ],
  ['[mcp.files]\ncommand = "x"', "config.toml:1:2: 'mcp.files' is no setting. Did you mean 'mcp.servers.files'?"],
  ['[mcp_servers.files]\ncommand = "x"', "'mcp_servers' is no setting. Did you mean 'mcp.servers'?"],
  ['[mcpServers]', "'mcpServers' is no setting. Did you mean 'mcp.servers'?"],
  ['maxCost = -1', "config.toml:1:1: 'maxCost': Too small"],
  ['maxSteps = 1.5', "config.toml:1:1: 'maxSteps': Invalid input: expected int"],
  ['a = """\nmodel = 1\n"""\nmodel = 2', "config.toml:4:1: 'model': Invalid input: expected string"],
  ['toolCalls = "none"', `config.toml:1:1: 'toolCalls': Invalid option: expected one of "native"|"text"`],
  [
    '[permissions]\nallow = [\n  "x",\n  3,\n]',
    "config.toml:2:1: 'permissions.allow.1': Invalid input: expected string",
  ],
  ['enable_default_condenser = 0', "config.toml:1:1: 'enable_default_condenser': Invalid input: expected boolean"],
  [
    '[core]\nworkspace_base = "."',
    "config.toml:2:1: 'core.workspace_base' is no setting. There are: enable_default_condenser.",
  ],
  [
    'enableDefaultCondenser = true\n[core]\nenable_default_condenser = false',
    "config.toml:3:1: 'core.enable_default_condenser' says the same as 'enableDefaultCondenser': give one of them",
  ],
  ['baseUrl = "localhost:8000"', "config.toml:1:1: 'baseUrl': must be an address with http:// or https://"],
  ['model = "a/b', 'config.toml:1:12: is not TOML'],
  ['model = "a/b"\nmodel = "c/d"', 'config.toml:2:1: is not TOML'],
  ['"__proto__" = 1', "config.toml:1:1: '__proto__' is no setting."],
  [
    'modle = "x"\nmaxSteps = "many"\n[permissions]\nalow = []',
    "Did you mean 'model'?\nconfig.toml:2:1: 'maxSteps': Invalid input: expected number, received string\nconfig.toml:4:1: ",
  ],
])('%j', async (toml, message) => {
  expect(await problem(toml)).toContain(message);
});

test.each([
  'enableDefaultCondenser = false',
  'enable_default_condenser = false',
  'core.enable_default_condenser = false',
])('the default condenser is switched off: %s', async (toml) => {
  expect(await read(toml)).toEqual({ enableDefaultCondenser: false });
});

test('what is not text', async () => {
  await expect(settingsInToml(Uint8Array.of(0xff, 0xfe), 'config.toml')).rejects.toThrow('is not text in UTF-8');
});

test('the published schema is that of the code', async () => {
  const schema = `${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`;
  await expect(schema).toMatchFileSnapshot('../../schemas/config.json');
});

test('the configurations of the documentation are right, and every setting is in them', async () => {
  const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, toml = '']) => toml);
  expect(blocks).toHaveLength(2);
  for (const toml of blocks) await read(toml);
  // Those that are commented out go with few others.
  const whole = (blocks[0] ?? '').replaceAll(/^# (?=\w+ = )/gm, '');
  const values = await read(whole);
  expect(settingKeys.filter(({ path }) => valueAt(values, path) === undefined)).toEqual([]);
});
