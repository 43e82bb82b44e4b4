import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolContext } from '@palimpsest/events';
import { onTestFinished } from 'vitest';
import { connectMcpServers } from '../src/index.js';
import type { ConnectMcpServersOptions, McpServerConfig, McpServers } from '../src/index.js';

const script = (name: string): string => fileURLToPath(new URL(`${name}.mjs`, import.meta.url));

/** However long a program takes to start on a machine with much to do. */
const connectMs = 300_000;

/** A server made with the SDK. */
export const honest: McpServerConfig = { command: process.execPath, args: [script('honest-server')], connectMs };

/** Returns a server that does what its mode says. */
export function hostile(
  mode: string,
  more: Partial<McpServerConfig> & { readonly file?: string } = {},
): McpServerConfig {
  const { file, ...limits } = more;
  const args = [script('hostile-server'), mode, ...(file === undefined ? [] : [file])];
  return { command: process.execPath, args, connectMs, ...limits };
}

/** Servers that are closed when the test ends, and what was told of them since. */
export async function connected(
  servers: Readonly<Record<string, McpServerConfig>>,
  more: Partial<ConnectMcpServersOptions> = {},
): Promise<
  McpServers & {
    readonly told: readonly string[];
    use(name: string, input?: object, signal?: AbortSignal): Promise<unknown>;
  }
> {
  const told: string[] = [];
  const all = await connectMcpServers({ servers, onNote: (note) => told.push(note), ...more });
  onTestFinished(() => all.close());
  const use = async (name: string, input: object = {}, signal?: AbortSignal): Promise<unknown> => {
    const tool = all.tools.find((each) => each.name === name);
    if (tool === undefined)
      throw new Error(`There is no '${name}' among ${all.tools.map((each) => each.name).join(', ')}.`);
    return await tool.execute(tool.parseInput(input), { ...context, ...(signal === undefined ? {} : { signal }) });
  };
  return { ...all, told, use };
}

const context: ToolContext = {
  actionId: 'action',
  toolCallId: 'call',
  log: [],
  event: () => undefined,
  append: async () => undefined,
};

/** Returns a folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-mcp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
