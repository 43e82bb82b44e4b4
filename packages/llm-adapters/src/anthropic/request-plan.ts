import type { ToolDefinition } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CompletionRequest, JsonSchemaFormat } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import type { ModelFacts } from '../models/model-facts.js';
import { calledTools } from '../wire/called-tools.js';
import { toolNames } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';
import { assertOneToolPerName } from '../wire/unique-tools.js';
import { imageLimit, withinImageLimit } from './image-limit.js';
import { answerTool, formatSchema, structuredOutputFor } from './structured-output.js';
import type { AnswerTool, StructuredOutput } from './structured-output.js';
import type { ThinkingOptions } from './thinking.js';

/** The options of writing a Messages request. */
export interface MessagesOptions extends ThinkingOptions {
  readonly model: string;
  /**
   * The longest answer if the request sets no limit. Unit: tokens. @defaultValue the model's own maximum, lowered to what the window
   * leaves beside the estimated input; 16,000 for a model that is not in the table
   */
  readonly maxOutputTokens?: number;
  /** Unit: tokens. @defaultValue the model table's value */
  readonly contextWindow?: number;
  /** Replaces single facts of the model. @defaultValue the model table's facts */
  readonly facts?: Partial<ModelFacts>;
  /** How long the provider keeps what it caches. An hour costs more to write. @defaultValue `5m` */
  readonly cacheTtl?: '5m' | '1h';
  /**
   * How a schema for the answer is enforced. @defaultValue `format`; `tool` for models before 4.5, and for schemas that must
   * not or cannot be enforced
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

/** The names of the tools in the history. Calls and results are refused if no tools are declared (rule A26). */
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
