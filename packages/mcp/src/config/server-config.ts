import type { Immutable } from '@palimpsest/events';
import { z } from 'zod';

/** Settings that every server may have. */
export interface McpServerLimits {
  /** The server's own names of the tools to offer. @defaultValue all */
  readonly tools?: readonly string[] | undefined;
  /** The time until the server must have listed its tools. Unit: milliseconds. @defaultValue 30,000 */
  readonly connectMs?: number | undefined;
  /** The longest silence of a call: without an answer and without progress. Unit: milliseconds. @defaultValue 120,000 */
  readonly idleMs?: number | undefined;
  /** The longest time of a call. Unit: milliseconds. @defaultValue 600,000 */
  readonly callMs?: number | undefined;
}

/** A server that is a program: it is started, and speaks over its input and output. */
export interface McpStdioServer extends McpServerLimits {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables beside the harmless ones that every server gets (`PATH`, `HOME`, …). @defaultValue none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder in which it runs. @defaultValue that of {@link ConnectMcpServersOptions} */
  readonly cwd?: string | undefined;
}

/** A server with an address, which speaks the streamable HTTP of MCP. */
export interface McpHttpServer extends McpServerLimits {
  readonly url: string;
  /** Sent with each request, such as `Authorization`. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server, and how it is reached. */
export type McpServerConfig = McpStdioServer | McpHttpServer;

/** The names that a server may have in a configuration: at most 32 characters, no two underscores in a row, none at the ends. */
export const serverNamePattern = /^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** The longest times of a server. Unit: milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly callMs: number;
}

/** Returns the time limits of a server. */
export function timeLimits({ connectMs = 30_000, idleMs = 120_000, callMs = 600_000 }: McpServerLimits): TimeLimits {
  return { connectMs, idleMs, callMs };
}

const seconds = (does: string) => z.number().positive().max(86_400).optional().describe(`${does} Unit: seconds.`);

/** The schema of one MCP server in a configuration file. */
export const mcpServerSchema = z
  .strictObject({
    command: z.string().min(1).optional().describe('The program that is the server. Not together with `url`.'),
    args: z.array(z.string()).optional().describe('Its arguments.'),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe('Variables that it gets beside harmless ones. "${NAME}" stands for a variable of the environment.'),
    cwd: z.string().min(1).optional().describe('The folder in which it runs. Default: the folder to work in.'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an address with http:// or https://' })
      .optional()
      .describe('The address of a server that speaks streamable HTTP. Not together with `command`.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Sent with each request. "${NAME}" stands for a variable of the environment.'),
    tools: z.array(z.string().min(1)).optional().describe('The tools to offer, by the server’s names. Default: all.'),
    connectSeconds: seconds('The time until the server must have listed its tools. Default: 30.'),
    idleSeconds: seconds('How long a call may be without an answer and without progress. Default: 120.'),
    callSeconds: seconds('The longest time of a call. Default: 600.'),
  })
  .superRefine(({ command, args, env, cwd, url, headers }, context) => {
    const wrong = (message: string): void => context.addIssue({ code: 'custom', message });
    if ((command === undefined) === (url === undefined)) wrong('needs either `command` or `url`');
    else if (url !== undefined && (args ?? env ?? cwd) !== undefined)
      wrong('a `url` goes with none of `args`, `env`, `cwd`');
    else if (command !== undefined && headers !== undefined) wrong('a `command` has no `headers`; it gets `env`');
  });

/** One MCP server, as a configuration file has it. */
export type McpServerSettings = Immutable<z.output<typeof mcpServerSchema>>;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the names of the variables of the environment that a server's settings use. */
export function namedVariables({ env, headers }: McpServerSettings): readonly string[] {
  const texts = [...Object.values(env ?? {}), ...Object.values(headers ?? {})];
  return texts.flatMap((text) => [...text.matchAll(reference)].map(([, name = '']) => name));
}

/** Returns a server for `connectMcpServers`, with the variables of the environment in the places that name them. */
export function mcpServerConfig(
  server: McpServerSettings,
  env: Readonly<Record<string, string | undefined>>,
): McpServerConfig {
  const { command, args, cwd, url, tools, connectSeconds, idleSeconds, callSeconds } = server;
  const limits = { tools, connectMs: inMs(connectSeconds), idleMs: inMs(idleSeconds), callMs: inMs(callSeconds) };
  const filled = (values: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(values).map(([key, text]) => [key, text.replace(reference, (_, name: string) => env[name] ?? '')]),
    );
  if (url !== undefined) return { url, headers: filled(server.headers), ...limits };
  return { command: command ?? '', args, cwd, env: filled(server.env), ...limits };
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

/**
 * Returns the settings for a screen. Of variables and headers it keeps only what names a variable, and of arguments no value after a
 * name such as `--token`.
 */
export function shownServer(server: McpServerSettings): McpServerSettings {
  const { env, headers, args } = server;
  const names = /key|token|secret|password|credential|auth|pass/i;
  const hidden = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, text]) => [name, /^(?:\w+ )?\$\{\w+\}$/.test(text) ? text : '[secret]']),
    );
  const shownArgument = (text: string, index: number, all: readonly string[]): string => {
    const before = all[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && names.test(before)) return '[secret]';
    return text.startsWith('-') && names.test(text) ? text.replace(/=[\s\S]*$/, '=[secret]') : text;
  };
  return {
    ...server,
    ...(args === undefined ? {} : { args: args.map(shownArgument) }),
    ...(env === undefined ? {} : { env: hidden(env) }),
    ...(headers === undefined ? {} : { headers: hidden(headers) }),
  };
}
