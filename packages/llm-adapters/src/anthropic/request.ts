import type Anthropic from '@anthropic-ai/sdk';
import { wellFormedJson } from '@palimpsest/events';
import type { ToolDefinition } from '@palimpsest/events';
import type { CompletionRequest, JsonSchemaFormat } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import type { ModelFacts } from '../models/model-facts.js';
import { effortOf } from '../request-check.js';
import { estimateCounter } from '../tokens/estimate.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import { assertOneToolPerName, calledTools, toolNames } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';
import { withBreakpoints } from './cache-marks.js';
import { imageLimit, withinImageLimit } from './image-limit.js';
import { answerTool, formatSchema, structuredOutputFor } from './structured-output.js';
import type { AnswerTool, StructuredOutput } from './structured-output.js';
import { refusesManualThinking, thinkingPlan, withoutManualThinking } from './thinking.js';
import type { ThinkingOptions, ThinkingPlan } from './thinking.js';
import { turnsFromMessages } from './turns.js';
import type { Turns } from './turns.js';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/**
 * Returns the body of a Messages request. Pure: the same request gives the same body, and the body of a longer history
 * extends that of a shorter one, except for added text that asks the model to continue or to call a tool. Only the form
 * changes: calls and results that do not match are not repaired, and the provider refuses them.
 *
 * - The results of a batch share one user message, results before text. Neighbouring messages of one role are merged.
 * - If the list starts with an assistant message, a user message is added before it. If it ends with an assistant
 *   message, models with prefill continue that message. For other models a user message that asks to continue is added
 *   after it. If the answer to that request contains thinking, later requests repeat the added message.
 * - For models that accept system messages among the messages, such a message keeps its position, after the user's text
 *   there. For other models it moves to the top.
 * - If the model thinks in this request, signed thinking blocks are sent unchanged, each at its position. Blocks
 *   without a signature are left out. If the request changes the content to which thinking is bound, all thinking is
 *   left out. Three things change that content: tools declared only because the history has calls, a tool that takes
 *   the answer, and images that are left out. Models that bind thinking bind it to the tools too. To forbid calls to
 *   such a model, pass the same tools and the tool choice `none`.
 * - If the history has calls and the request has no tools, the called tools are declared by name and none may be
 *   called.
 * - If the model accepts it, a forced call turns thinking off for the request. Models that accept no forced call get
 *   the tool choice `auto` and a sentence at the end that asks for the call. They may still answer with text.
 * - The provider enforces an answer's schema, or the schema becomes the input of a tool: see
 *   {@link MessagesOptions.structuredOutput}.
 * - Half of a surrogate pair becomes U+FFFD, in texts, keys and schemas. Signed data that contains one is left out.
 * - If there are more images than a request may hold, the oldest are replaced by a text that says so.
 * - With `request.cache`, up to four places are marked for the prompt cache.
 *
 * What frozen messages become is remembered with them, so a further body costs little more than what is new. Parts of a
 * body are frozen, because later bodies share them: to change a body, copy it.
 *
 * @throws {@link InvalidRequestError} when two tools have one name, or the model does not take the effort.
 * @see provider-rules A
 */
export function toMessagesRequest(request: CompletionRequest, options: MessagesOptions): Body {
  return bodyOf(requestPlan(request, options), options);
}

/** Returns the body of a planned request. */
export function bodyOf(plan: RequestPlan, options: MessagesOptions): Body {
  const { facts, request } = plan;
  const limit = outputLimit(request, options, facts);
  const { turns, thinking } = thinkingTurns(plan, options, limit);
  // Tools are not remembered. Messages are well-formed already.
  const parts = {
    tools: wellFormedJson(plan.tools),
    system: turns.system,
    turns: turns.turns,
  };
  const {
    tools,
    system,
    turns: messages,
  } = request.cache === undefined
    ? parts
    : withBreakpoints(parts, turns, request.cache, { facts, ttl: options.cacheTtl });
  const output = outputConfig(plan, options);
  return {
    model: options.model,
    max_tokens: limit.maxTokens,
    ...(system.length === 0 ? {} : { system: [...system] }),
    messages: messages as Anthropic.MessageParam[],
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
    ...(plan.toolChoice === undefined ? {} : { tool_choice: wellFormedJson(plan.toolChoice) }),
    ...(thinking.config === undefined ? {} : { thinking: thinking.config }),
    ...(output === undefined ? {} : { output_config: wellFormedJson(output) }),
  };
}

/** Returns the turns with the thinking that the model accepts, and the thinking parameter of the request. */
function thinkingTurns(
  plan: RequestPlan,
  options: MessagesOptions,
  limit: OutputLimit,
): { readonly turns: Turns; readonly thinking: ThinkingPlan } {
  const { facts, request, names, instruction, isForced } = plan;
  const turnsWith = ({ isOn }: ThinkingPlan) =>
    turnsFromMessages(request.messages, {
      names,
      facts,
      replaysThinking: isOn && !plan.unbindsHistory,
      allowsPrefill: !isOn && !isForced,
      instruction,
    });
  const thinking = thinkingPlan(facts, options, { ...limit, isForced });
  const turns = turnsWith(thinking);
  if (thinking.config?.type !== 'enabled' || !refusesManualThinking(turns.turns)) return { turns, thinking };
  const without = withoutManualThinking(facts);
  return { turns: turnsWith(without), thinking: without };
}

function outputConfig(
  { facts, request, schema }: RequestPlan,
  options: MessagesOptions,
): Anthropic.OutputConfig | undefined {
  const effort = effortOf(request, options, facts) as Anthropic.OutputConfig['effort'];
  if (schema === undefined && effort === undefined) return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema: { ...schema } } }),
  };
}

/** The options of writing a Messages request. */
export interface MessagesOptions extends ThinkingOptions {
  readonly model: string;
  /**
   * The longest answer if the request sets no limit. Unit: tokens. @defaultValue the model's own maximum, lowered to
   * what the window leaves beside the estimated input; 16,000 for a model that is not in the table
   */
  readonly maxOutputTokens?: number;
  /** Unit: tokens. @defaultValue the model table's value */
  readonly contextWindow?: number;
  /** Replaces single facts of the model. @defaultValue the model table's facts */
  readonly facts?: Partial<ModelFacts>;
  /** The time for which the provider keeps a cached prefix. An hour costs more to write. @defaultValue `5m` */
  readonly cacheTtl?: '5m' | '1h';
  /**
   * The way in which a schema for the answer is enforced. @defaultValue `format`; `tool` for models before 4.5, and for
   * schemas that must not or cannot be enforced
   */
  readonly structuredOutput?: StructuredOutput;
}

/** The decisions about a request before it is written. The answer is read with the same plan. */
export interface RequestPlan {
  readonly facts: ModelFacts;
  /** The request with the answer tool added and with no more images than the model accepts. */
  readonly request: CompletionRequest;
  readonly names: ToolNames;
  readonly tools: readonly Anthropic.Tool[];
  readonly toolChoice?: Anthropic.ToolChoice;
  readonly isForced: boolean;
  /** A sentence at the end of the request that replaces a parameter that the model does not accept. */
  readonly instruction?: string;
  /** The answer tool, by the name under which it is sent. */
  readonly answer?: AnswerTool & { readonly wireName: string };
  /** The schema that the provider enforces. */
  readonly schema?: JsonSchemaFormat['schema'];
  /** The signatures of the history's thinking would not verify in this request. */
  readonly unbindsHistory: boolean;
  /** The signatures of the answer's thinking will not verify in later requests. */
  readonly unbindsAnswer: boolean;
}

/** @throws {@link InvalidRequestError} when two tools have one name. */
export function requestPlan(asked: CompletionRequest, options: MessagesOptions): RequestPlan {
  const facts = modelFacts(options.model, 'anthropic', options.facts);
  const { tools = [], responseFormat } = asked;
  assertOneToolPerName(tools, 'anthropic');
  const way =
    responseFormat === undefined
      ? undefined
      : (options.structuredOutput ?? structuredOutputFor(responseFormat, options.model));
  const answer = responseFormat !== undefined && way === 'tool' ? answerTool(responseFormat, tools) : undefined;
  const messages = withinImageLimit(asked.messages, imageLimit(facts));
  const allTools = answer === undefined ? tools : [...tools, answer.definition];
  const request = { ...asked, messages, tools: allTools };
  const names = toolNames({ messages: asked.messages, tools: allTools });
  const standIns = allTools.length > 0 ? [] : standInTools(request, names);

  const choice = toolChoice(asked, answer, names);
  const wanted = choice?.type === 'any' || choice?.type === 'tool';
  const isForced = wanted && facts.acceptsForcedTools;
  const instruction = wanted && !isForced ? callInstruction(choice) : answerInstruction(choice, answer, names);
  const isBound = facts.thinking === 'prefix-bound';
  const changesPrefix = standIns.length > 0 || answer !== undefined || messages !== asked.messages;
  return {
    facts,
    request,
    names,
    tools: standIns.length > 0 ? standIns : allTools.map((tool) => wireTool(tool, names)),
    ...(standIns.length > 0
      ? { toolChoice: { type: 'none' } }
      : choice === undefined
        ? {}
        : { toolChoice: wanted && !isForced ? { type: 'auto' } : choice }),
    isForced,
    instruction,
    ...(answer === undefined ? {} : { answer: { ...answer, wireName: names.toWire(answer.definition.name) } }),
    ...(responseFormat !== undefined && way === 'format' ? { schema: formatSchema(responseFormat) } : {}),
    unbindsHistory: isBound && changesPrefix,
    unbindsAnswer: isBound && (changesPrefix || instruction !== undefined),
  };
}

function wireTool({ name, description, inputSchema }: ToolDefinition, names: ToolNames): Anthropic.Tool {
  return {
    name: names.toWire(name),
    ...(description.trim() === '' ? {} : { description }),
    input_schema: { type: 'object', ...inputSchema },
  };
}

/** Returns the names of the tools in the history. Calls and results are refused if no tools are declared (rule A26). */
function standInTools({ messages }: CompletionRequest, names: ToolNames): readonly Anthropic.Tool[] {
  const used = new Set(calledTools(messages).map((name) => names.toWire(name)));
  return [...used].map((name) => ({ name, input_schema: { type: 'object' } }));
}

function toolChoice(
  { tools = [], toolChoice: choice }: CompletionRequest,
  answer: AnswerTool | undefined,
  names: ToolNames,
): Anthropic.ToolChoice | undefined {
  // If no other tool may be called, the answer tool must be called.
  if (answer !== undefined && (tools.length === 0 || choice === 'none')) {
    return { type: 'tool', name: names.toWire(answer.definition.name) };
  }
  if (tools.length === 0 || choice === undefined) return undefined;
  if (typeof choice !== 'string') return { type: 'tool', name: names.toWire(choice.tool) };
  return { type: choice === 'required' ? 'any' : choice };
}

function callInstruction(choice: Anthropic.ToolChoice): string {
  return choice.type === 'tool' ? `(Call the tool \`${choice.name}\` now.)` : '(Call one of the tools now.)';
}

function answerInstruction(
  choice: Anthropic.ToolChoice | undefined,
  answer: AnswerTool | undefined,
  names: ToolNames,
): string | undefined {
  if (answer === undefined || choice?.type === 'any' || choice?.type === 'tool') return undefined;
  return `(When the answer is ready, give it by calling the tool \`${names.toWire(answer.definition.name)}\`.)`;
}

/** The longest answer of a request. */
interface OutputLimit {
  /** Unit: tokens. */
  readonly maxTokens: number;
  /**
   * The thinking budget of `thinking: 'on'`. It does not depend on the history, because a change of it voids the cache.
   * Unit: tokens.
   */
  readonly budgetTokens: number;
}

/** The limit for a model whose own is not known. Unit: tokens. */
const cautiousTokens = 16_000;

/** Estimates of the input can be too low by so much. Unit: times the estimate. */
const margin = 9 / 8;

/**
 * The least that an estimated input leaves for the answer: what condensers reserve for it. An estimate can be too high,
 * and a model that stops at its window may be asked for more than is left.
 */
const reserved = { tokens: 4_096, windowShare: 1 / 8 } as const;

/**
 * Returns the limit of the request or the options, within the model's maximum; otherwise that maximum, lowered to what
 * the window leaves.
 */
function outputLimit(request: CompletionRequest, options: MessagesOptions, facts: ModelFacts): OutputLimit {
  // The cap of an unknown model is a guess: the provider decides what is too much.
  const cap = facts.isAssumed ? undefined : facts.maxOutputTokens;
  const wanted = request.maxOutputTokens ?? options.maxOutputTokens;
  const set = wanted === undefined ? undefined : Math.min(wanted, cap ?? wanted);
  const budgetTokens = Math.floor((set ?? cautiousTokens) / 2);
  if (set !== undefined) return { maxTokens: set, budgetTokens };
  const most = cap ?? cautiousTokens;
  const window = options.contextWindow ?? facts.contextWindow;
  if (window === undefined) return { maxTokens: most, budgetTokens };
  const left = Math.floor(window - counterFor(facts).count(request) * margin);
  const least = Math.floor(Math.min(reserved.tokens, window * reserved.windowShare));
  return { maxTokens: Math.max(1, Math.min(most, Math.max(left, least))), budgetTokens };
}

/** A counter remembers what frozen messages count, so each model's tokenizer has one for all requests. */
const counters = new Map<number, TokenCounter>();

function counterFor(facts: ModelFacts): TokenCounter {
  const known = counters.get(facts.charsPerToken);
  if (known !== undefined) return known;
  const made = estimateCounter(facts);
  counters.set(facts.charsPerToken, made);
  return made;
}
