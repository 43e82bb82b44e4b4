import type { Tool } from '@palimpsest/events';
import { commandEnvironment } from '@palimpsest/tools/process';
import { InvalidMcpServerError } from './errors.js';
import type { ListedTool } from './tool-list.js';
import { plainText } from './plain-text.js';
import { ServerConnection } from './connection.js';
import { serverNamePattern } from './config/server-config.js';
import type { McpServerConfig } from './config/server-config.js';
import { byName } from './tool-list.js';
import { toolOutput } from './tool-result.js';
import { serverInput } from './tool-schema.js';

/** Options of {@link connectMcpServers}. */
export interface ConnectMcpServersOptions {
  /** The servers by their names, which are a part of the names of their tools: letters, digits, `-` and single `_`, at most 32. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** The folder in which servers run that name none. @defaultValue that of the process */
  readonly cwd?: string;
  /** The variables that every server gets. @defaultValue harmless ones of the process: `PATH`, `HOME`, `LANG`, `*_HOME` … */
  readonly env?: Readonly<Record<string, string>>;
  /** The most tools of all servers together. Servers with many share what those with few leave. @defaultValue 100 */
  readonly maxTools?: number;
  /** The text of a result that is returned: its beginning and its end. Unit: characters. @defaultValue 100,000 */
  readonly maxResultCharacters?: number;
  /** Called with what the user should know after the start: a server ended, or changed its tools. @defaultValue nothing is told */
  readonly onNote?: (note: string) => void;
  /** Called during the start, and again when a server has answered or failed: with the names of those that are waited for. @defaultValue nothing is told */
  readonly onPending?: (names: readonly string[]) => void;
  /** Ends the start. */
  readonly signal?: AbortSignal;
}

/** One server, as it is now. All texts are without what a terminal obeys; what they say is the server's word. */
export interface McpServerState {
  readonly name: string;
  readonly kind: 'stdio' | 'http';
  /** `failed`: it was never connected. `ended`: it was, and the next call starts it again, if it may be. */
  readonly state: 'connected' | 'failed' | 'ended';
  /** The problem, in a sentence. Undefined while it is connected. */
  readonly problem: string | undefined;
  /** Its tools, by the names that the model knows and those of the server. */
  readonly tools: readonly { readonly name: string; readonly tool: string; readonly description: string }[];
  /** The server's words about itself for models. No model reads them. */
  readonly instructions: string | undefined;
  /** The end of its log. */
  readonly log: string;
}

/** Servers, with their tools. */
export interface McpServers {
  /** Sorted by server and name: the same bytes at every start, while the servers list the same. They carry no annotation: a server's word allows nothing. */
  readonly tools: readonly Tool<Readonly<Record<string, unknown>>>[];
  /** Notes for the user: which servers failed, and which tools were left out. */
  readonly notes: readonly string[];
  /** The servers as they are now, sorted by name. */
  servers(): readonly McpServerState[];
  /** Ends the servers that were started, and the sessions of the others. */
  close(): Promise<void>;
}

/** The agent has a limit of its own, which comes after the server's. Unit: milliseconds. */
const marginMs = 10_000;

/**
 * Connects servers, all at once. A server that fails is a note, and the others are there. The tools stay as they are until `close`,
 * whatever a server says later.
 *
 * @throws {@link InvalidMcpServerError} when a name or an address is none; the reason of `signal` when it is aborted.
 */
export async function connectMcpServers(options: ConnectMcpServersOptions): Promise<McpServers> {
  const { servers, cwd = process.cwd(), env = commandEnvironment(process.env), maxTools = 100, signal } = options;
  const notes: string[] = [];
  let isStarted = false;
  const note = (text: string): void => {
    if (isStarted) options.onNote?.(text);
    else notes.push(text);
  };
  const all = Object.entries(servers).map(([name, config]) => {
    check(name, config);
    return {
      name,
      config,
      connection: new ServerConnection(name, config, { cwd, env }, (text) => note(`The MCP server '${name}' ${text}`)),
    };
  });
  all.sort(byName);
  const close = async (): Promise<void> => {
    await Promise.all(all.map(({ connection }) => connection.close()));
  };
  const failed = new Set<string>();
  const pending = new Set(all.map(({ name }) => name));
  options.onPending?.([...pending]);
  await Promise.all(
    all.map(async ({ name, connection }) => {
      try {
        await connection.open(signal);
      } catch (error) {
        failed.add(name);
        note((error as Error).message);
      } finally {
        pending.delete(name);
        options.onPending?.([...pending]);
      }
    }),
  );
  if (signal?.aborted === true) {
    await close();
    signal.throwIfAborted();
  }
  const shares = shared(
    all.map(({ connection }) => connection.tools.length),
    maxTools,
  );
  const chosen = all.map(({ name, config, connection }, index) => {
    const tools = connection.tools.slice(0, shares[index]);
    const left = connection.tools.length - tools.length;
    if (left > 0)
      note(`The MCP server '${name}' has ${connection.tools.length} tools; ${left} are left out. Choose with 'tools'.`);
    return { name, config, connection, tools };
  });
  notes.sort();
  isStarted = true;
  return {
    tools: chosen.flatMap(({ config, connection, tools }) =>
      tools.map((tool) => toolOf(tool, connection, config, options.maxResultCharacters ?? 100_000)),
    ),
    notes,
    servers: () =>
      chosen.map(({ name, config, connection, tools }) => ({
        name,
        kind: 'url' in config ? 'http' : 'stdio',
        state: failed.has(name) ? 'failed' : connection.problem === undefined ? 'connected' : 'ended',
        problem: connection.problem === undefined ? undefined : `The MCP server '${name}' ${connection.problem}`,
        tools: tools.map(({ name: known, tool, description }) => ({
          name: known,
          tool: plainText(tool, 200),
          description,
        })),
        instructions: connection.instructions,
        log: connection.log,
      })),
    close,
  };
}

function check(name: string, config: McpServerConfig): void {
  if (!serverNamePattern.test(name)) {
    throw new InvalidMcpServerError(
      name,
      "a name has at most 32 letters, digits, '-' and single '_', because it is a part of the names of tools.",
    );
  }
  if ('url' in config && !/^https?:$/.test(URL.canParse(config.url) ? new URL(config.url).protocol : '')) {
    throw new InvalidMcpServerError(name, 'its address does not begin with http:// or https://.');
  }
}

/** Returns the number of tools that each server may have: those with few have all, and the others share the rest alike. */
function shared(counts: readonly number[], most: number): readonly number[] {
  const shares = counts.map(() => 0);
  let left = most;
  const smallestFirst = [...counts.keys()].sort((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0));
  for (const [place, index] of smallestFirst.entries()) {
    shares[index] = Math.min(counts[index] ?? 0, Math.floor(left / (counts.length - place)));
    left -= shares[index];
  }
  return shares;
}

function toolOf(
  { name, tool, description, inputSchema, renamed }: ListedTool,
  connection: ServerConnection,
  { callMs = 600_000 }: McpServerConfig,
  most: number,
): Tool<Readonly<Record<string, unknown>>> {
  return {
    name,
    description,
    inputSchema,
    timeoutMs: callMs + marginMs,
    parseInput: (json) => {
      if (typeof json === 'object' && json !== null && !Array.isArray(json))
        return json as Readonly<Record<string, unknown>>;
      throw new TypeError(`Invalid input for '${name}': it must be an object.`);
    },
    execute: async (input, { signal }) => {
      const known = serverInput(input, renamed) as Readonly<Record<string, unknown>>;
      return toolOutput(await connection.call(tool, known, signal), most);
    },
  };
}
