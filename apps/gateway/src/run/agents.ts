import path from 'node:path';
import { GatewayError } from '../gateway-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How an agent is started so that it sends to the gateway. */
export interface AgentStart {
  /** The base URL that it would send to without us. */
  readonly upstream: string;
  /** Returns the arguments and the environment that lead it to a URL of ours. */
  readonly through: (url: string, parameters: readonly string[]) => Started;
}

interface Started {
  readonly parameters: readonly string[];
  readonly env: Record<string, string>;
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

/** Agents of which it is known how they are told a base URL. */
const agents: Readonly<Record<string, (env: Environment) => AgentStart>> = {
  // What stands in the user's settings would win over the environment, so it is told by settings.
  claude: (env) => ({
    upstream: env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
    through: (url, parameters) => {
      const settings = JSON.stringify({ env: { ANTHROPIC_BASE_URL: url, NO_PROXY: withLoopback(env) } });
      return { parameters: ['--settings', settings, ...parameters], env: {} };
    },
  }),
  codex: (env) => ({
    upstream: env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
    through: (url, parameters) => ({
      parameters: ['-c', `openai_base_url="${url}"`, '-c', 'features.enable_request_compression=false', ...parameters],
      env: {},
    }),
  }),
  qwen: byVariable('OPENAI_BASE_URL', 'https://api.openai.com/v1'),
};

/** Variables with which Claude Code goes to a cloud that signs its requests. */
const clouds = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/**
 * Returns how a command is led to the gateway.
 *
 * @param variable - the variable that holds the base URL of an agent that is not known here
 * @throws {@link UnknownAgentError} when the agent is not known and no variable is given, or a cloud signs its requests
 */
export function agentStart(command: string, env: Environment, variable?: string): AgentStart {
  const name = path.basename(command).replace(/\.(?:exe|cmd)$/i, '');
  const cloud = clouds.find((each) => (env[each] ?? '') !== '' && env[each] !== '0');
  if (name === 'claude' && cloud !== undefined)
    throw new UnknownAgentError(
      `${cloud} is set: requests to that cloud are signed for it, and cannot go through a gateway.`,
    );
  const known = variable === undefined ? agents[name] : byVariable(variable, undefined);
  if (known === undefined) {
    const names = Object.keys(agents).join(', ');
    throw new UnknownAgentError(
      `It is not known how '${name}' is told where to send. Known are ${names}; for another, name the variable that holds its base URL: --env OPENAI_BASE_URL.`,
    );
  }
  return known(env);
}

function byVariable(variable: string, usual: string | undefined): (env: Environment) => AgentStart {
  return (env) => {
    const upstream = env[variable] ?? usual;
    if (upstream === undefined)
      throw new UnknownAgentError(`${variable} is not set, so it is not known where the agent would send to.`);
    return {
      upstream,
      through: (url, parameters) => ({ parameters, env: { [variable]: url, NO_PROXY: withLoopback(env) } }),
    };
  };
}

/** Returns the hosts that no proxy is asked for, with this machine among them. */
function withLoopback(env: Environment): string {
  const hosts = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').filter((host) => host !== '');
  return [...new Set([...hosts, '127.0.0.1'])].join(',');
}
