import type { Tool } from '@palimpsest/events';
import {
  AuthenticationError,
  ContentPolicyError,
  ContextWindowExceededError,
  InvalidRequestError,
  MalformedHistoryError,
  RateLimitError,
  ServiceUnavailableError,
} from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer, ScriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { modelFaults, ScenarioReply, ScenarioText, ScenarioTool } from './scenario-schema.js';

/** A model that answers from the turns of a scenario. */
export interface ScriptedModel {
  readonly llm: ScriptedLLM;
  /** Sets the replies of a turn; those of the turn before that were not asked for are returned. */
  begin(replies: readonly ScenarioReply[]): number;
  /** The replies of this turn that were not asked for. */
  readonly left: number;
}

/** A wait that never ends, as when the process dies. */
export type Kill = () => Promise<never>;

type Fault = Exclude<(typeof modelFaults)[number], 'kill'>;

const provider = { provider: 'scenario' };
const faults: Readonly<Record<Fault, () => Error>> = {
  overflow: () => new ContextWindowExceededError('The input is too long.', { ...provider, kind: 'input' }),
  'answer-overflow': () =>
    new ContextWindowExceededError('The answer does not fit.', { ...provider, kind: 'input-and-output' }),
  timeout: () => new ServiceUnavailableError('The request timed out.', provider),
  overloaded: () => new ServiceUnavailableError('The provider is overloaded.', { ...provider, statusCode: 529 }),
  'rate-limit': () => new RateLimitError('Too many requests.', { ...provider, kind: 'rate', statusCode: 429 }),
  quota: () => new RateLimitError('Nothing is left to spend.', { ...provider, kind: 'quota', statusCode: 429 }),
  malformed: () => new MalformedHistoryError('The message list is malformed.', provider),
  refusal: () => new ContentPolicyError('The provider refuses this content.', provider),
  'invalid-request': () => new InvalidRequestError('The request is wrong.', provider),
  authentication: () => new AuthenticationError('The key is wrong.', provider),
};

/** Makes a model for the agent of a scenario. */
export function scriptedModel(contextWindow: number | undefined, kill: Kill): ScriptedModel {
  let replies: readonly ScenarioReply[] = [];
  let given = 0;
  const llm = scriptedLLM({
    ...(contextWindow === undefined ? {} : { contextWindow }),
    script: async () => {
      const reply = replies[given++];
      if (reply === undefined) throw new ScriptTooShortError(replies.length);
      return typeof reply === 'object' && 'fault' in reply && reply.fault === 'kill' ? kill() : answerOf(reply);
    },
  });
  return {
    llm,
    begin(next) {
      const left = replies.length - given;
      [replies, given] = [next, 0];
      return left;
    },
    get left() {
      return Math.max(0, replies.length - given);
    },
  };
}

/** The agent asked for one reply more than the turn has. */
export class ScriptTooShortError extends Error {
  constructor(replies: number) {
    super(`the model was called ${replies + 1} times in this turn, and the turn has ${replies} replies`);
  }
}

function answerOf(reply: ScenarioReply): ScriptedAnswer {
  if (typeof reply === 'string') return reply;
  if ('fault' in reply) return faults[reply.fault as Fault]();
  const { say, calls } = reply;
  const toolCalls = calls.map(({ tool, input, id }) => ({
    name: tool,
    arguments: input,
    ...(id === undefined ? {} : { id }),
  }));
  return { ...(say === undefined ? {} : { text: say }), toolCalls };
}

/** Makes a model that gives these summaries, the last one again and again. */
export function summariser(summaries: readonly string[]): ScriptedLLM {
  return scriptedLLM({ idPrefix: 'summary', script: (_request, index) => summaries[index] ?? summaries.at(-1) ?? '' });
}

/** The time limit of a call whose result never comes. Unit: milliseconds. */
const shortTimeoutMs = 20;

/** Makes a tool that answers from its script. */
export function scriptedTool({ name, description, results, readOnly, repeatable }: ScenarioTool, kill: Kill): Tool {
  let calls = 0;
  const annotations = {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(repeatable === undefined ? {} : { repeatable }),
  };
  return {
    name,
    description,
    inputSchema: { type: 'object' },
    annotations,
    ...(results.some((result) => typeof result === 'object' && 'fault' in result) ? { timeoutMs: shortTimeoutMs } : {}),
    parseInput: (input) => input,
    execute: (_input, { signal }) => {
      const result = results[Math.min(calls++, results.length - 1)] ?? '';
      if (typeof result === 'object' && 'error' in result) return { content: result.error, isError: true };
      if (typeof result === 'object' && 'fault' in result)
        return result.fault === 'kill' ? kill() : untilAborted(signal);
      return textOf(result);
    },
  };
}

/** Returns the text of a scenario, repeated as often as it says. */
export function textOf(text: ScenarioText): string {
  return typeof text === 'string' ? text : text.text.repeat(text.repeat);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
