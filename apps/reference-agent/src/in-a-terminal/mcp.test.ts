import { fileURLToPath } from 'node:url';
import { serve } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

const program = (name: string, ...args: readonly string[]) => {
  const file = fileURLToPath(new URL(`../../../../packages/mcp/test-support/${name}.mjs`, import.meta.url));
  return `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([file, ...args])}\n`;
};

/** A server that speaks streamable HTTP, with a tool that says the same. */
async function remote(): Promise<string> {
  const answers: Readonly<Record<string, (params: { readonly [name: string]: unknown }) => object>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ arguments: input }) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
  };
  const server = await serve({
    basePath: '/mcp',
    handle: ({ method, body }) => {
      if (method !== 'POST') return { status: 405, body: {} };
      const { id, method: asked, params } = body as { id?: unknown; method: string; params: Record<string, unknown> };
      if (id === undefined) return { status: 202, body: {} };
      const answer = answers[asked];
      const error = { code: -32_601, message: 'Method not found' };
      return { status: 200, body: { jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error }) } };
    },
  });
  onTestFinished(() => server.close());
  return server.url;
}

describe.skipIf(pty === undefined)('MCP servers', () => {
  test('of each kind answer; those that lie, die or hang harm nothing', async () => {
    const url = await remote();
    const rig = await terminalRig({
      config: `
[permissions]
allow = ["mcp__honest__*", "mcp__remote__*", "mcp__refuses__*", "mcp__mortal__*", "mcp__mute__*", "mcp__long__*"]
[mcp.servers.honest]
${program('honest-server')}
[mcp.servers.remote]
url = "${url}"
${['refuses', 'mortal', 'mute', 'long', 'names', 'dies'].map((mode) => `[mcp.servers.${mode}]\n${program('hostile-server', mode)}`).join('\n')}`,
    });
    const { model } = rig;
    const terminal = rig.open([], { columns: 110, rows: 60 });
    model.will(
      {
        calls: [
          use('mcp__honest__echo', { words: 'from a program' }),
          use('mcp__remote__echo', { words: 'over HTTP' }),
        ],
      },
      { calls: [use('mcp__refuses__call'), use('mcp__mortal__call'), use('mcp__long__call')] },
      { text: 'All were asked.' },
    );
    await say(terminal, 'Ask them all.');
    await waitForState(terminal, 'ready', 'All were asked.');
    const shown = terminal.screen().join('\n');
    expect(shown).toContain('from a program');
    expect(shown).toContain('over HTTP');
    expect(model.lastRead).toContain('from a program');
    expect(model.lastRead).toContain('over HTTP');

    model.will({ calls: [use('mcp__mute__call')] });
    await say(terminal, 'Ask the one that never answers.');
    await waitForState(terminal, 'running tools', 'mcp__mute__call');
    terminal.press('Escape');
    await waitForState(terminal, 'ready');
    // What no rule allows is asked about.
    model.will({ calls: [use('mcp__names__run_command')] });
    await say(terminal, 'Ask the one with a name of ours.');
    await waitForState(terminal, 'waits for your yes', 'mcp__names__run_command');
    terminal.press('Escape');
    await waitForState(terminal, 'ready');
    expect(terminal.effects).toEqual(['alternate screen']);
    expect(screenFaults(terminal)).toEqual([]);
    terminal.press('Ctrl-D');
    expect(await terminal.ended).toMatchObject({ status: 0 });
    expect(terminal.modesLeft()).toEqual([]);
  });
});
