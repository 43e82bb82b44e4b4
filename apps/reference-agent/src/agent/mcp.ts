import { minSecretLength, secretsOfEnvironment } from '@palimpsest/agent';
import type { SecretMask } from '@palimpsest/agent';
import type { McpServers, McpServerState } from '@palimpsest/mcp';
import { mcpServerConfig, namedVariables } from '@palimpsest/mcp/config';
import { commandEnvironment } from '@palimpsest/tools/process';
import type { Settings } from '../settings/settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The MCP servers of a session. */
export interface AgentMcp extends Pick<McpServers, 'tools' | 'notes' | 'close'> {
  /** Returns the servers as they are now, without secrets. */
  servers(): readonly McpServerState[];
  /** Remarks about them since they were connected, the latest at the end. */
  readonly told: readonly string[];
}

/** Callbacks about the servers. */
export interface McpListener {
  /** Called with what the user should know after the start, without secrets: a server ended, or changed its tools. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Called during the start with the names of the servers that are waited for; at its end there are none. */
  readonly onPending?: ((names: readonly string[]) => void) | undefined;
}

/** Older notes are dropped. */
const mostTold = 100;

/** Returns the secrets that servers are given: values of the variables that their settings name, and what stands there itself. By name. */
export function mcpSecrets({ servers }: Settings['mcp'], env: Environment): Readonly<Record<string, string>> {
  const all = Object.entries(servers).flatMap(([name, server]) => [
    ...namedVariables(server).map((variable) => [variable, env[variable] ?? ''] as const),
    ...Object.entries(server.headers ?? {})
      .filter(([, text]) => !text.includes('${'))
      .map(([header, text]) => [`${name}-${header}`, text.split(' ').at(-1) ?? ''] as const),
    ...Object.entries(secretsOfEnvironment(server.env ?? {})).filter(([, text]) => !text.includes('${')),
  ]);
  const named = all.map(([name, text]) => [/^[A-Za-z_]/.test(name) ? name : `_${name}`, text.trim()] as const);
  return Object.fromEntries(named.filter(([, text]) => text.length >= minSecretLength));
}

/** Connects the servers of the settings. Without one, nothing is loaded. @throws the reason of `signal` when it is aborted. */
export async function openMcp(
  { servers }: Settings['mcp'],
  options: {
    readonly cwd: string;
    readonly env: Environment;
    readonly secrets: SecretMask;
    readonly signal?: AbortSignal | undefined;
  } & McpListener,
): Promise<AgentMcp | undefined> {
  if (Object.keys(servers).length === 0) return undefined;
  const { cwd, env, secrets, signal, onNote, onPending } = options;
  const unset = Object.entries(servers).flatMap(([name, server]) => {
    const missing = namedVariables(server).filter((variable) => (env[variable] ?? '') === '');
    return missing.length === 0 ? [] : [{ name, missing }];
  });
  const usable = Object.entries(servers).filter(([name]) => !unset.some((each) => each.name === name));
  const { connectMcpServers } = await import('@palimpsest/mcp');
  const told: string[] = [];
  const connected = await connectMcpServers({
    servers: Object.fromEntries(usable.map(([name, server]) => [name, mcpServerConfig(server, env)])),
    cwd,
    env: commandEnvironment(env),
    // The whole of a long result is kept by the agent.
    maxResultCharacters: Infinity,
    onNote: (note) => {
      const text = secrets.text(note);
      told.push(text);
      if (told.length > mostTold) told.shift();
      onNote?.(text);
    },
    onPending,
    signal,
  });
  return {
    tools: connected.tools,
    notes: [
      ...unset.map(
        ({ name, missing }) => `The MCP server '${name}' was not started: ${missing.join(', ')} is not set.`,
      ),
      ...connected.notes.map((note) => secrets.text(note)),
    ],
    told,
    servers: () => secrets.data(connected.servers()),
    close: () => connected.close(),
  };
}

/** Returns remarks about the servers, and about rules for servers that there are not. */
export function mcpNotes({ permissions, mcp }: Settings, opened: AgentMcp | undefined): readonly string[] {
  const rules = [...permissions.allow, ...permissions.ask, ...permissions.deny];
  const stray = rules.filter((rule) => {
    const server = /^\s*mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__/.exec(rule)?.[1];
    return server !== undefined && !Object.hasOwn(mcp.servers, server);
  });
  return [
    ...(opened?.notes ?? []),
    ...stray.map((rule) => `The rule '${rule}' is for an MCP server that is not configured.`),
  ];
}
