import { z } from 'zod';

const seconds = (does: string) => z.number().positive().max(86_400).optional().describe(`${does} Unit: seconds.`);

/** One MCP server, as a configuration file has it. */
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
    connectSeconds: seconds('How long it may take until the server has told its tools. Default: 30.'),
    idleSeconds: seconds('How long a call may be without an answer and without progress. Default: 120.'),
    callSeconds: seconds('How long a call may take. Default: 600.'),
  })
  .superRefine(({ command, args, env, cwd, url, headers }, context) => {
    const wrong = (message: string): void => context.addIssue({ code: 'custom', message });
    if ((command === undefined) === (url === undefined)) wrong('needs either `command` or `url`');
    else if (url !== undefined && (args ?? env ?? cwd) !== undefined)
      wrong('a `url` goes with none of `args`, `env`, `cwd`');
    else if (command !== undefined && headers !== undefined) wrong('a `command` has no `headers`; it gets `env`');
  });

/** One MCP server, as a configuration file has it. */
export type McpServerSettings = z.output<typeof mcpServerSchema>;

/** The names of servers: they are a part of the names of tools. The same as `serverNamePattern` of `@palimpsest/mcp`, which would load the client. */
export const mcpServerName = /^(?=.{1,32}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The variables of the environment that a server's settings name. */
export function namedVariables({ env, headers }: McpServerSettings): readonly string[] {
  const texts = [...Object.values(env ?? {}), ...Object.values(headers ?? {})];
  return texts.flatMap((text) => [...text.matchAll(reference)].map(([, name = '']) => name));
}

/** Values with the variables that they name in their places. */
export function withVariables(
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, text.replace(reference, (_, name: string) => env[name] ?? '')]),
  );
}

/** For a screen: of variables and headers only what names a variable, of arguments no value behind a name such as `--token`. */
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
