import type { Message, ToolDefinition } from '@palimpsest/events';
import type { Completion, CompletionRequest, Delta, LLM } from '../../llm.js';
import { LLMError } from '../../errors.js';
import type { LLMFeature, LLMScenario, LLMUnderTest, ScenarioToolCall, ScenarioTurn } from './scenario.js';

/** A maker of LLMs for one rule. The contract disposes of them. */
export type Stage = (...turns: readonly ScenarioTurn[]) => Promise<LLMUnderTest>;

/** One promise of an LLM. */
export interface LLMRule {
  readonly name: string;
  /** The capability that the rule needs. The rule is skipped for an LLM without it. */
  readonly needs?: LLMFeature;
  /** The number of tries that the LLM may make for a request. @defaultValue 1 */
  readonly attempts?: number;
  /** Rejects if the promise is broken. */
  check(stage: Stage): Promise<void>;
}

/** The key of every scenario. No error may show it. */
export const apiKey = 'sk-contract-3f9a1c7e5b2d8046';

/** Returns the scenario of some turns. */
export function scenarioOf(
  turns: readonly ScenarioTurn[],
  { attempts = 1 }: Pick<LLMRule, 'attempts'> = {},
): LLMScenario {
  return { turns, attempts, apiKey };
}

/** Returns a turn that answers. */
export function answers(
  text: string,
  more: Partial<Extract<ScenarioTurn, { readonly type: 'answer' }>> = {},
): ScenarioTurn {
  const { toolCalls = [] } = more;
  return {
    type: 'answer',
    text,
    toolCalls,
    finishReason: toolCalls.length === 0 ? 'stop' : 'tool-calls',
    reportsUsage: true,
    ...more,
  };
}

/** Returns a call of the tool that {@link tools} declares. */
export function callOf(id: string, input: string): ScenarioToolCall {
  return { id, name: 'files.read', arguments: input };
}

/** The tools of every request that has some. */
export const tools: readonly ToolDefinition[] = [
  {
    name: 'files.read',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

/** Returns a user message. */
export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Returns a result of a call. */
export function result(toolCallId: string, text: string, more: { readonly isError?: boolean } = {}): Message {
  return { role: 'tool', toolCallId, toolName: 'files.read', content: [{ type: 'text', text }], ...more };
}

/** The smallest request. */
export const ask: CompletionRequest = { messages: [user('What is in a.txt?')] };

/** Fails with this message if the condition is false. */
export function expectThat(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(words);
}

/** Fails if two values differ as JSON; the order of keys does not matter. */
export function expectSame(found: unknown, wanted: unknown, what: string): void {
  expectThat(canonical(found) === canonical(wanted), `${what}: got ${canonical(found)}, and not ${canonical(wanted)}`);
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}

/** Returns the text of a completion. */
export function textOf({ message }: Completion): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * Returns the error of a refused call. Fails if the call is not refused, or if the error is not an {@link LLMError}.
 */
export async function refusalOf(llm: LLM, request: CompletionRequest): Promise<LLMError> {
  const outcome = await llm.complete(request).then(
    (completion) => ({ completion }),
    (thrown: unknown) => ({ thrown }),
  );
  if (!('thrown' in outcome)) throw new Error(`it was not refused, and answered ${canonical(outcome.completion)}`);
  const { thrown } = outcome;
  if (LLMError.isInstance(thrown)) return thrown;
  throw new Error(`it was refused with something that is no LLMError: ${String(thrown)}`, { cause: thrown });
}

/** Returns a request that records its deltas. */
export function listening(request: CompletionRequest): {
  readonly request: CompletionRequest;
  readonly deltas: Delta[];
} {
  const deltas: Delta[] = [];
  return { request: { ...request, onDelta: (delta) => deltas.push(delta) }, deltas };
}

/** The time limit for work without I/O. Unit: turns of the event loop. */
const turnsToWait = 2_000;

/** Waits until a condition is true. Fails if it is still false after two thousand turns of the event loop. */
export async function eventually(holds: () => boolean, words: string): Promise<void> {
  for (let turn = 0; turn < turnsToWait && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  expectThat(holds(), words);
}
