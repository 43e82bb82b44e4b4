import { expect, test } from 'vitest';
import { mcpServerConfig, mcpServerSchema, namedVariables, shownServer } from './server-config.js';

const program = mcpServerSchema.parse({
  command: 'server',
  args: ['--token', 'abc', '--key=def', 'x'],
  env: { TOKEN: '${A_TOKEN}', MODE: 'fast' },
  connectSeconds: 5,
});
const address = mcpServerSchema.parse({
  url: 'https://a.example/mcp',
  headers: { Authorization: 'Bearer ${A_TOKEN}' },
});

test('a server gets the variables that its settings name', () => {
  expect([program, address].map(namedVariables)).toEqual([['A_TOKEN'], ['A_TOKEN']]);
  expect(mcpServerConfig(program, { A_TOKEN: 't' })).toEqual({
    command: 'server',
    args: ['--token', 'abc', '--key=def', 'x'],
    env: { TOKEN: 't', MODE: 'fast' },
    connectMs: 5_000,
  });
  expect(mcpServerConfig(address, { A_TOKEN: 't' })).toEqual({
    url: 'https://a.example/mcp',
    headers: { Authorization: 'Bearer t' },
  });
  expect(mcpServerConfig(address, {})).toMatchObject({ headers: { Authorization: 'Bearer ' } });
});

test('a screen shows the names of secrets only', () => {
  expect(shownServer(program)).toMatchObject({
    args: ['--token', '[secret]', '--key=[secret]', 'x'],
    env: { TOKEN: '${A_TOKEN}', MODE: '[secret]' },
  });
  expect(shownServer(address)).toMatchObject({ headers: { Authorization: 'Bearer ${A_TOKEN}' } });
});

test.each([
  {},
  { command: 'a', url: 'https://a.example' },
  { url: 'https://a.example', cwd: 'x' },
  { command: 'a', headers: {} },
])('settings that fit no server are refused: %j', (settings) => {
  expect(mcpServerSchema.safeParse(settings).success).toBe(false);
});
