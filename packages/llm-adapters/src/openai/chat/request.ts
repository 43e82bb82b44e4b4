import { wellFormedJson } from '@palimpsest/events';
import type { Message, ToolDefinition } from '@palimpsest/events';
import type OpenAI from 'openai';
import type { CachePlace, CompletionRequest, JsonSchemaFormat, ToolChoice } from '../../llm.js';
import { modelFacts } from '../../models/model-facts.js';
import type { Effort, ModelFacts } from '../../models/model-facts.js';
import { effortOf } from '../../request-check.js';
import { placeOf } from '../../wire/cache-place.js';
import type { PartPlace } from '../../wire/cache-place.js';
import { assertOneToolPerName, calledTools, toolNames } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';
import { breakpointsAt, cacheBreakpoint, cacheFields, namesPlaces, takesBreakpoints } from '../cache-marks.js';
import type { CacheTtl } from '../cache-marks.js';
import { serverProfile } from '../server-profile.js';
import type { ServerProfile } from '../server-profile.js';
import { sendableFormat } from '../structured-output.js';
import { chatMessages } from './message-order.js';
import type { ChatPart } from './writer.js';

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** @see provider-rules B7 */
const maxTools = 128;

/** The options of writing a Chat Completions request. */
export interface ChatCompletionsOptions extends OpenAIModelOptions {
  readonly model: string;
  /** The longest answer if the request sets no limit. Unit: tokens. @defaultValue the provider's */
  readonly maxOutputTokens?: number;
  /** @defaultValue OpenAI itself */
  readonly server?: ServerProfile;
  /** @defaultValue the model table's facts */
  readonly facts?: ModelFacts;
}

/**
 * Returns the body of a Chat Completions request. Pure: the same request gives the same body, and a longer history
 * extends the body of a shorter one. Changes only the form: calls and results that do not match are not repaired, and
 * the provider refuses them.
 *
 * - Content without images is one string, its parts joined by a blank line; content with images is a list of parts.
 * - Images of a tool result follow the batch's results in a user message, because a tool message accepts only text.
 * - A schema is enforced, or added as text at the end for a server that supports only JSON mode.
 * - If the history has calls and the request has no tools, the called tools are declared by name and none may be
 *   called, for servers that ask for it.
 * - Half of a surrogate pair becomes U+FFFD, in texts, arguments, keys and schemas. Signed data that contains one is
 *   left out.
 * - Blank text is left out, and so is a message that has nothing else. Thinking is sent if the server wants it back.
 *
 * What frozen messages become is remembered with them, so a further body costs little more than what is new. Parts of a
 * body are frozen, because later bodies share them: to change a body, copy it.
 *
 * @throws {@link InvalidRequestError} when two tools have one name, or the model does not take the effort.
 * @see provider-rules B and D
 */
export function toChatCompletionsRequest(asked: CompletionRequest, options: ChatCompletionsOptions): Body {
  const { model, server: profile = serverProfile('openai'), parallelToolCalls } = options;
  const request = profile.schemas === 'in-words' ? withSchemaInWords(asked) : asked;
  const { responseFormat, cache } = request;
  const facts = options.facts ?? modelFacts(model, profile.name === 'openai' ? 'openai' : 'compatible');
  const declared = declaredTools(request, facts, profile);
  const { tools } = declared;
  assertOneToolPerName(tools, 'openai');
  const names = toolNames({ messages: asked.messages, tools });
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens;
  const effort = effortWith(declared, effortOf(request, options, facts), facts);
  // Messages are well-formed already.
  const rest = wellFormedJson<Omit<Body, 'model' | 'messages'>>({
    ...(maxOutputTokens === undefined ? {} : outputLimit(maxOutputTokens, model, profile)),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            function: { name: names.toWire(name), description, parameters: inputSchema },
          })),
          ...(declared.toolChoice === undefined ? {} : { tool_choice: wireToolChoice(declared.toolChoice, names) }),
          ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
        }),
    ...(responseFormat === undefined ? {} : { response_format: wireFormat(responseFormat, profile) }),
    ...cacheFields(cache, { model, profile, cacheTtl: options.cacheTtl }),
  });
  return { model, messages: messagesWithBreakpoints(request, names, { model, profile }), ...rest };
}

/** The tools of a request, or the tools declared for its history. */
interface DeclaredTools {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice | undefined;
  readonly areStandIns: boolean;
}

function declaredTools(
  { messages, tools = [], toolChoice }: CompletionRequest,
  facts: ModelFacts,
  profile: ServerProfile,
): DeclaredTools {
  // If a model accepts no tools on this API, the provider refuses the request.
  const mayDeclare = profile.callsNeedTools && !(needsResponses(facts) && !takesNone(facts));
  const standIns = tools.length === 0 && mayDeclare ? standInTools(messages) : [];
  if (standIns.length === 0) return { tools, toolChoice, areStandIns: false };
  return { tools: standIns, toolChoice: 'none', areStandIns: true };
}

/** Returns the tools that a history calls, declared only by name. */
export function standInTools(messages: readonly Message[]): readonly ToolDefinition[] {
  return calledTools(messages)
    .slice(0, maxTools)
    .map((name) => ({ name, description: '', inputSchema: { type: 'object', properties: {} } }));
}

function effortWith(
  { tools, areStandIns }: DeclaredTools,
  effort: Effort | undefined,
  facts: ModelFacts,
): Effort | undefined {
  if (tools.length === 0 || !needsEffortNone(facts)) return effort;
  return areStandIns ? 'none' : (effort ?? 'none');
}

/** Adds the schema in words. It comes at the end, so that it does not change the cached prefix. */
function withSchemaInWords(request: CompletionRequest): CompletionRequest {
  const { responseFormat, messages } = request;
  if (responseFormat === undefined) return request;
  const text = `(The answer is JSON of this schema: ${JSON.stringify(wellFormedJson(responseFormat.schema))})`;
  return { ...request, messages: [...messages, { role: 'user', content: [{ type: 'text', text }] }] };
}

/**
 * With tools, any effort other than `none` is refused here. If the model also refuses `none`, the provider decides.
 * @see provider-rules B.5
 */
function needsEffortNone(facts: ModelFacts): boolean {
  return needsResponses(facts) && takesNone(facts);
}

function takesNone({ efforts }: ModelFacts): boolean {
  return efforts?.includes('none') === true;
}

function needsResponses({ provider, needsResponsesForTools }: ModelFacts): boolean {
  return provider === 'openai' && needsResponsesForTools;
}

/** OpenAI's reasoning models refuse `max_tokens`, even behind a router. @see provider-rules B.3 */
function outputLimit(maxOutputTokens: number, model: string, { outputLimit: field }: ServerProfile): Partial<Body> {
  const isReasoningModel = /^(?:[\w.-]+\/)?(?:gpt-(?:[5-9]|\d\d)|o\d)/i.test(model);
  return field === 'max_tokens' && !isReasoningModel
    ? { max_tokens: maxOutputTokens }
    : { max_completion_tokens: maxOutputTokens };
}

function messagesWithBreakpoints(
  { messages, cache = {} }: CompletionRequest,
  names: ToolNames,
  { model, profile }: { readonly model: string; readonly profile: ServerProfile },
): WireMessage[] {
  const takesMarks = takesBreakpoints(model, profile) && namesPlaces(cache);
  // If there are marks, all texts are sent as parts, so that only the marks change from request to request.
  const { sent, sentBefore } = chatMessages(messages, { names, profile, textInParts: takesMarks });
  if (!takesMarks) return sent;
  const isCarrier = ({ content }: WireMessage) => Array.isArray(content);
  const carrierBefore = (end: number): PartPlace | undefined => {
    for (let list = end - 1; list >= 0; list--) if (isCarrier(sent[list] as WireMessage)) return { list, part: 0 };
    return undefined;
  };
  const first = sent.findIndex(isCarrier);
  const marked = breakpointsAt(messages, cache, {
    first: first === -1 ? undefined : { list: first, part: 0 },
    newest: carrierBefore(sent.length),
    endOf: (place) => carrierBefore(sentBefore[wholeBatches(messages, place)] ?? 0),
  });
  for (const { list } of marked) sent[list] = withBreakpoint(sent[list] as WireMessage);
  return sent;
}

/**
 * Returns the number of messages before a place. Images of results follow their batch, so a place within a batch moves
 * before it. The text of a user message is one part.
 */
function wholeBatches(messages: readonly Message[], place: CachePlace): number {
  let count = Math.max(0, Math.min(Math.floor(placeOf(place).messages), messages.length));
  if (messages[count]?.role !== 'tool') return count;
  while (count > 0 && messages[count - 1]?.role === 'tool') count -= 1;
  return Math.max(0, count - 1);
}

/** Returns a copy of the message with a mark on its last part. */
function withBreakpoint(message: WireMessage): WireMessage {
  const parts = message.content as readonly ChatPart[];
  const marked = parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...cacheBreakpoint } : part));
  return { ...message, content: marked } as WireMessage;
}

function wireToolChoice(choice: ToolChoice, names: ToolNames): NonNullable<Body['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: names.toWire(choice.tool) } };
}

function wireFormat(format: JsonSchemaFormat, { schemas }: ServerProfile): NonNullable<Body['response_format']> {
  if (schemas === 'in-words') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: sendableFormat(format) };
}

/** The options of OpenAI's models in both APIs. */
export interface OpenAIModelOptions {
  /** @defaultValue the model's own; `none` if the model accepts tools on Chat Completions only with it */
  readonly effort?: Effort;
  /** False: at most one call an answer. Sent only with tools. @defaultValue the provider's */
  readonly parallelToolCalls?: boolean;
  /** The time for which cached prefixes are kept. @defaultValue the provider's */
  readonly cacheTtl?: CacheTtl;
}
