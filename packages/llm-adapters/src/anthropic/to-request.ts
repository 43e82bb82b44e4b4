import type { ToolDefinition } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CompletionRequest, ToolChoice } from '../llm.js';
import { toolNames } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';
import { assertOneToolPerName } from '../wire/unique-tools.js';
import { systemBlocks, turnsFromMessages } from './turns.js';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** Below what the SDK takes without streaming (21,333), and above what agents write in one turn. Unit: tokens. */
const defaultMaxOutputTokens = 16_000;

/** What a Messages request depends on besides the request. */
export interface MessagesOptions {
  readonly model: string;
  /** The longest answer where the request does not say. Unit: tokens. @defaultValue 16,000 */
  readonly maxOutputTokens?: number;
}

/**
 * The body of a Messages request. Pure: the same request gives the same body, and a longer history extends the body of a
 * shorter one, but for a last message that asks the model to go on. Changes the form and never what answers what: a list
 * whose calls and results do not match stays so, and the provider refuses it.
 *
 * - The results of a batch share one user message, results before words; neighbours of one role are one message.
 * - Thinking goes as it was rendered, signed blocks only; not to models before generation 5, where it is off.
 * - Where the list starts with the model or ends with it, a user message of ours stands before or after it: the first must
 *   be the user's, and current models refuse to continue an answer.
 * - Where calls stand in the history and the request has no tools, the tools are declared by name and none may be called.
 *
 * @throws {@link InvalidRequestError} when two tools have one name.
 * @see provider-protocol section A
 */
export function toMessagesRequest(request: CompletionRequest, options: MessagesOptions): Body {
  const { tools = [], responseFormat } = request;
  assertOneToolPerName(tools, 'anthropic');
  const names = toolNames(request);
  const system = systemBlocks(request.messages);
  return {
    model: options.model,
    max_tokens: request.maxOutputTokens ?? options.maxOutputTokens ?? defaultMaxOutputTokens,
    ...(system.length === 0 ? {} : { system }),
    messages: turnsFromMessages(request.messages, names, options.model),
    ...toolFields(request, tools, names),
    ...(responseFormat === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema' as const, schema: { ...responseFormat.schema } } } }),
    // The provider then moves one breakpoint along with the newest message.
    ...(request.cache === undefined ? {} : { cache_control: { type: 'ephemeral' as const } }),
  };
}

function toolFields(
  request: CompletionRequest,
  tools: readonly ToolDefinition[],
  names: ToolNames,
): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length > 0) {
    return {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name: names.toWire(name),
        ...(description.trim() === '' ? {} : { description }),
        input_schema: { type: 'object' as const, ...inputSchema },
      })),
      ...(request.toolChoice === undefined ? {} : { tool_choice: wireToolChoice(request.toolChoice, names) }),
    };
  }
  // See rule A26.
  const used = new Set(request.messages.flatMap((message) => (message.role === 'tool' ? [message.toolName] : [])));
  for (const message of request.messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) used.add(call.name);
  }
  if (used.size === 0) return {};
  return {
    tools: [...used].map((name) => ({ name: names.toWire(name), input_schema: { type: 'object' as const } })),
    tool_choice: { type: 'none' },
  };
}

function wireToolChoice(choice: ToolChoice, names: ToolNames): Anthropic.ToolChoice {
  if (typeof choice !== 'string') return { type: 'tool', name: names.toWire(choice.tool) };
  return { type: choice === 'required' ? 'any' : choice };
}
