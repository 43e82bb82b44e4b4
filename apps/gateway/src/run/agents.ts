import path from 'node:path';
import { UnknownAgentError, withLoopback } from './agent-start.js';
import type { AgentStart, Invocation } from './agent-start.js';
import { claudeCodeStart } from './claude-code.js';
import { codexStart } from './codex.js';
import { qwenCodeStart } from './qwen-code.js';

/** Agents of which it is known how they are told a base URL. */
const agents: ReadonlyMap<string, (invocation: Invocation) => Promise<AgentStart>> = new Map([
  ['claude', claudeCodeStart],
  ['codex', codexStart],
  ['qwen', qwenCodeStart],
]);

/**
 * Returns how a command is led to the gateway. The base URL that its user has already is the upstream.
 *
 * @param variable - the variable that holds the base URL of an agent that is not known here
 * @throws {@link UnknownAgentError} when the agent is not known and no variable is given, or it cannot be led
 */
export async function agentStart(invocation: Invocation, variable?: string): Promise<AgentStart> {
  if (variable !== undefined) return byVariable(invocation, variable);
  const name = path.basename(invocation.command).replace(/\.(?:exe|cmd)$/i, '');
  const start = agents.get(name);
  if (start !== undefined) return start(invocation);
  throw new UnknownAgentError(
    `It is not known how '${name}' is told where to send. Known are ${[...agents.keys()].join(', ')}; for another, name the variable that holds its base URL: --env OPENAI_BASE_URL.`,
  );
}

function byVariable({ parameters, env }: Invocation, variable: string): AgentStart {
  const upstream = env[variable];
  if (upstream === undefined)
    throw new UnknownAgentError(`${variable} is not set, so it is not known where the agent would send to.`);
  return { upstream, through: (url) => ({ parameters, env: { ...withLoopback(env), [variable]: url } }) };
}
