import { GatewayError } from '../gateway-error.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The command that a user types, and where. */
export interface Invocation {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** The user's home directory. */
  readonly home: string;
}

/** The way to start an agent so that it sends to the gateway. */
export interface AgentStart {
  /** The base URL that it would send to without us. */
  readonly upstream: string;
  /** Variables of the agent's settings that say how the upstream is reached. @defaultValue none */
  readonly network?: Readonly<Record<string, string>> | undefined;
  /** Returns the arguments and the environment that lead it to a URL of ours. */
  readonly through: (url: string) => Started;
}

/** Arguments, environment and settings that an agent is started with. */
export interface Started {
  readonly parameters: readonly string[];
  /** Beside the user's own. */
  readonly env: Readonly<Record<string, string>>;
  /** The text of a file that a variable names. It is written for the time that the agent runs. @defaultValue none */
  readonly file?: { readonly variable: string; readonly text: string } | undefined;
}

/** The user's command cannot be led to the gateway: the message says why. */
export class UnknownAgentError extends GatewayError {
  static override get typeName(): string {
    return 'UnknownAgentError';
  }

  constructor(message: string) {
    super('unknown-agent', message);
  }
}

/** Returns the variables of an environment for which no proxy is asked, with this machine among the hosts. */
export function withLoopback(env: Environment): Readonly<Record<'NO_PROXY' | 'no_proxy', string>> {
  const hosts = [env['no_proxy'], env['NO_PROXY']].flatMap((each) => each?.split(/[\s,]+/) ?? []);
  const all = [...new Set([...hosts.filter((host) => host !== ''), '127.0.0.1'])].join(',');
  return { NO_PROXY: all, no_proxy: all };
}

/** Returns the variables that say how a provider is reached: proxies, and certificates. */
export function networkOf(env: Environment): Readonly<Record<string, string>> {
  const isOne = (name: string) => /^(?:https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name);
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value && isOne(name) ? [[name, value]] : [])),
  );
}

/** Returns true for a variable that switches something on. */
export function isOn(value: string | undefined): boolean {
  return !['', '0', 'false', 'no', 'off'].includes((value ?? '').trim().toLowerCase());
}
