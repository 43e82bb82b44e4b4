import { isMeaningful } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, Message, ToolMessage } from '@palimpsest/events';
import type OpenAI from 'openai';
import type { CompletionRequest, JsonSchemaFormat, ToolChoice } from '../llm.js';
import { callIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { imageSource } from '../wire/image-source.js';
import { failedSilently, imageNotShown, startOfConversation } from '../wire/placeholders.js';
import { shortHash } from '../wire/short-hash.js';
import { toolArguments } from '../wire/tool-input.js';
import { toolNames } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';
import { assertOneToolPerName } from '../wire/unique-tools.js';
import { isReasoningModel, needsEffortNoneForTools } from './model-facts.js';

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;
type WirePart = OpenAI.Chat.ChatCompletionContentPartText | OpenAI.Chat.ChatCompletionContentPartImage;

/** @see provider-protocol rule B3 */
const maxCallIdLength = 40;
/** @see provider-protocol rule B11 */
const maxCacheKeyLength = 64;
/** Between the parts of a message that becomes one string. */
const partSeparator = '\n\n';

/** What a request to Chat Completions depends on besides the request. */
export interface ChatCompletionsOptions {
  readonly model: string;
  /** The longest answer where the request does not say. Unit: tokens. @defaultValue the provider's */
  readonly maxOutputTokens?: number;
  /** The server is not OpenAI's own: it is told the longest answer by the older `max_tokens`. @defaultValue false */
  readonly isCompatibleServer?: boolean;
}

/**
 * The body of a Chat Completions request. Pure: the same request gives the same body, and a longer history extends the body
 * of a shorter one. Changes the form and never what answers what: a list whose calls and results do not match stays so, and
 * the provider refuses it.
 *
 * - Text alone is one string, its parts joined by a blank line; with images it is parts.
 * - Images of a tool result follow the batch's results in a user message, since a tool message takes text only.
 * - Blank text is left out, and so is a message that has nothing else. Thinking is not sent.
 *
 * @throws {@link InvalidRequestError} when two tools have one name.
 * @see provider-protocol section B
 */
export function toChatCompletionsRequest(request: CompletionRequest, options: ChatCompletionsOptions): Body {
  const { tools = [], responseFormat, cache } = request;
  assertOneToolPerName(tools, 'openai');
  const names = toolNames(request);
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens;
  return {
    model: options.model,
    messages: wireMessages(request.messages, names),
    ...(maxOutputTokens === undefined ? {} : outputLimit(maxOutputTokens, options)),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            function: { name: names.toWire(name), description, parameters: inputSchema },
          })),
          ...(needsEffortNoneForTools(options.model) ? { reasoning_effort: 'none' as const } : {}),
          ...(request.toolChoice === undefined ? {} : { tool_choice: wireToolChoice(request.toolChoice, names) }),
        }),
    ...(responseFormat === undefined ? {} : { response_format: wireFormat(responseFormat) }),
    ...(cache?.key === undefined ? {} : { prompt_cache_key: cacheKey(cache.key) }),
  };
}

function outputLimit(
  maxOutputTokens: number,
  { model, isCompatibleServer = false }: ChatCompletionsOptions,
): Pick<Body, 'max_tokens' | 'max_completion_tokens'> {
  return isCompatibleServer && !isReasoningModel(model)
    ? { max_tokens: maxOutputTokens }
    : { max_completion_tokens: maxOutputTokens };
}

function wireMessages(messages: readonly Message[], names: ToolNames): WireMessage[] {
  const sent: WireMessage[] = [];
  const ids = callIds({ maxLength: maxCallIdLength });
  let imagesOfResults: WirePart[] = [];
  const endBatch = () => {
    if (imagesOfResults.length > 0) sent.push({ role: 'user', content: imagesOfResults });
    imagesOfResults = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') endBatch();
    switch (message.role) {
      case 'system': {
        const content = textOnly(message.content);
        if (content !== '') sent.push({ role: 'system', content });
        break;
      }
      case 'user': {
        const content = textAndImages(message.content);
        if (content.length > 0) sent.push({ role: 'user', content });
        break;
      }
      case 'assistant': {
        const assistant = wireAssistant(message, ids, names);
        if (assistant !== undefined) sent.push(assistant);
        break;
      }
      case 'tool':
        sent.push({ role: 'tool', tool_call_id: ids.ofResult(message.toolCallId), content: resultText(message) });
        imagesOfResults.push(...resultImages(message));
    }
  }
  endBatch();
  return sent.length > 0 ? sent : [{ role: 'user', content: startOfConversation }];
}

function wireAssistant(message: AssistantMessage, ids: CallIds, names: ToolNames): WireMessage | undefined {
  const { toolCalls = [] } = message;
  const text = textOnly(message.content);
  if (toolCalls.length === 0) return text === '' ? undefined : { role: 'assistant', content: text };
  const sentIds = ids.ofCalls(toolCalls);
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map((call, index) => ({
      id: sentIds[index] ?? call.id,
      type: 'function',
      function: { name: names.toWire(call.name), arguments: toolArguments(call.arguments) },
    })),
  };
}

function textAndImages(content: readonly ContentPart[]): string | WirePart[] {
  const parts = content.filter(isMeaningful);
  return parts.some(({ type }) => type === 'image') ? parts.map(wirePart) : textOnly(parts);
}

function wirePart(part: ContentPart): WirePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const source = imageSource(part);
  if (source.type === 'unsupported') return { type: 'text', text: imageNotShown(source.reason) };
  return { type: 'image_url', image_url: { url: part.url } };
}

function textOnly(content: readonly ContentPart[], reason = 'it stands where only text can'): string {
  return content
    .filter(isMeaningful)
    .map((part) => (part.type === 'text' ? part.text : imageNotShown(reason)))
    .join(partSeparator);
}

function resultText(message: ToolMessage): string {
  const text = textOnly(message.content, 'it follows the results');
  return text === '' && message.isError === true ? failedSilently : text;
}

function resultImages(message: ToolMessage): WirePart[] {
  const images = message.content.filter(({ type }) => type === 'image').map(wirePart);
  return images.length === 0 ? [] : [{ type: 'text', text: `(From the result of ${message.toolName}:)` }, ...images];
}

function wireToolChoice(choice: ToolChoice, names: ToolNames): NonNullable<Body['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: names.toWire(choice.tool) } };
}

function wireFormat({ name, schema, strict = true }: JsonSchemaFormat): NonNullable<Body['response_format']> {
  const sendable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer';
  return { type: 'json_schema', json_schema: { name: sendable, schema: { ...schema }, strict } };
}

function cacheKey(key: string): string {
  return key.length <= maxCacheKeyLength ? key : shortHash(key);
}
