import { InvalidRequestError } from './errors.js';
import type { CompletionRequest } from './llm.js';
import type { Effort, ModelFacts } from './models/model-facts.js';
import { isEffort } from './options.js';
import { field, textOf } from './wire/json-fields.js';

/**
 * Checks at run time that a model's name is a text, for callers without TypeScript.
 *
 * @throws {@link InvalidRequestError} when it is not a text.
 */
export function assertModel(model: unknown, provider: string): void {
  if (textOf(model) === undefined) refuse(provider, `the option model must be a model's name, not ${shown(model)}`);
}

/**
 * Checks the shape of a request at run time, for callers without TypeScript. The most frequent mistake is messages in a
 * provider's own form.
 *
 * @throws {@link InvalidRequestError} naming what is wrong and where.
 */
export function assertRequest(request: CompletionRequest, provider: string): void {
  const {
    messages,
    maxOutputTokens,
    effort,
    toolChoice,
    tools = [],
  }: Readonly<Record<string, unknown>> = { ...request };
  if (!Array.isArray(messages)) refuse(provider, `messages must be an array, not ${shown(messages)}`);
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message);
    if (problem !== undefined) refuse(provider, `messages[${index}].${problem}`);
  }
  if (maxOutputTokens !== undefined && !(typeof maxOutputTokens === 'number' && maxOutputTokens >= 1)) {
    refuse(provider, `maxOutputTokens must be at least 1, not ${shown(maxOutputTokens)}`);
  }
  const wantedEffort = effort === undefined ? undefined : isEffort(effort);
  if (wantedEffort !== undefined) refuse(provider, `effort must be ${wantedEffort}, not ${shown(effort)}`);
  if (!Array.isArray(tools)) refuse(provider, `tools must be an array, not ${shown(tools)}`);
  tools.forEach((tool: unknown, index) => {
    const schema = field(tool, 'inputSchema');
    if (textOf(field(tool, 'name')) !== undefined && typeof schema === 'object' && schema !== null) return;
    refuse(provider, `tools[${index}] must have a name and, as inputSchema, a JSON schema`);
  });
  const chosen = field(toolChoice, 'tool');
  if (tools.length > 0 && chosen !== undefined && !tools.some((tool) => field(tool, 'name') === chosen)) {
    refuse(provider, `toolChoice.tool names no tool of the request: ${shown(chosen)}`);
  }
}

/**
 * The types of parts in the messages of providers and of the AI SDK. A message with such a part has to be converted
 * first.
 */
const partsOfProviders: ReadonlySet<unknown> = new Set([
  ...['image_url', 'input_text', 'input_image', 'input_file', 'output_text', 'refusal'],
  ...['tool_use', 'tool_result', 'tool-call', 'tool-result', 'thinking', 'redacted_thinking', 'reasoning'],
]);

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

/** Returns the problem of a message, and the field that has it. */
function messageProblem(message: unknown): string | undefined {
  const role = field(message, 'role');
  if (!roles.includes(role)) return `role must be one of ${roles.join(', ')}, not ${shown(role)}`;
  const content = field(message, 'content');
  if (!Array.isArray(content)) {
    const hint = 'Convert messages in the form of a provider with eventsFromMessages first';
    return `content must be an array of parts, not ${shown(content)}. ${hint}`;
  }
  const wrongPart = content.findIndex((part: unknown) => !isPart(part));
  if (wrongPart >= 0) return `content[${wrongPart}] must be a text part with its text or an image part with its url`;
  if (role === 'tool' && textOf(field(message, 'toolCallId')) === undefined) {
    return 'toolCallId must name the call that it answers';
  }
  if (role !== 'assistant') return undefined;
  const calls = field(message, 'toolCalls') ?? none;
  if (!Array.isArray(calls)) return `toolCalls must be an array, not ${shown(calls)}`;
  const wrongCall = calls.findIndex((call: unknown) => !isCall(call));
  return wrongCall < 0 ? undefined : `toolCalls[${wrongCall}] must have an id, a name and, as text, its arguments`;
}

const none: readonly unknown[] = [];

function isPart(part: unknown): boolean {
  const type = field(part, 'type');
  if (type === 'text') return typeof field(part, 'text') === 'string';
  // A part of an unknown kind comes from a newer version or another package, and is left out of the request.
  const value = type === 'image' ? field(part, 'url') : type;
  return typeof value === 'string' && value !== '' && !partsOfProviders.has(type);
}

function isCall(call: unknown): boolean {
  return ['id', 'name', 'arguments'].every((name) => typeof field(call, name) === 'string');
}

/** Describes a value without its text, because the text belongs to the conversation. */
function shown(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value);
  return typeof value === 'string' && value.length <= 20 ? `'${value}'` : `of the type ${typeof value}`;
}

function refuse(provider: string, words: string): never {
  throw new InvalidRequestError(`${provider}: ${words}`, { provider });
}

/**
 * Returns the effort of a request: its own, else that of the options.
 *
 * @throws {@link InvalidRequestError} when the model is known not to take it.
 */
export function effortOf(
  request: Pick<CompletionRequest, 'effort'>,
  options: { readonly model: string; readonly effort?: Effort | undefined },
  { efforts, provider }: Pick<ModelFacts, 'efforts' | 'provider'>,
): Effort | undefined {
  const effort = request.effort ?? options.effort;
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return effort;
  const taken = efforts.length === 0 ? 'no effort' : `the effort ${efforts.join(', ')}`;
  const name = provider === 'anthropic' ? 'anthropic' : 'openai';
  throw new InvalidRequestError(`${name}: the model ${options.model} takes ${taken}, not '${effort}'`, {
    provider: name,
  });
}
