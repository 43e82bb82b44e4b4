import { InvalidRequestError } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { textWithoutCall } from './answer-in-words.js';
import { accountOf, askModel } from './ask-model.js';
import type { AskOptions } from './ask-model.js';
import { withinDeadline } from './deadline.js';
import { CondenserModelError } from './model-failure.js';
import type { ModelAccount } from './model-failure.js';

/**
 * The way to make a model answer with an object: a forced tool call, a response format that the provider enforces, or an
 * instruction.
 */
export type AnswerWay = 'tool' | 'format' | 'instruction';

/** The object that the model is asked for. */
export interface ObjectQuestion {
  /** The name of the tool or of the response format. */
  readonly name: string;
  readonly description: string;
  /** The JSON schema in the form that a provider can enforce: every member is required, no others are allowed. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The same schema with optional members, for the tool and the instruction. @defaultValue `schema` */
  readonly looseSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The answer of a model. */
export interface StructuredAnswer {
  /** The parsed JSON, not validated. */
  readonly value: unknown;
  readonly way: AnswerWay;
  readonly account: ModelAccount;
}

/** The request of {@link askForObject}. */
export interface ObjectRequest {
  /** The prompt. The instruction on how to answer is appended to it. */
  readonly prompt: string;
  readonly question: ObjectQuestion;
  /** The ways to try, the preferred one first. If the provider refuses the request as invalid, the next way is tried. */
  readonly ways: readonly AnswerWay[];
  /** Unit: tokens. @defaultValue the adapter's limit */
  readonly maxOutputTokens?: number | undefined;
}

/**
 * Asks a model for one object. Ways that the model is known to refuse are skipped; if it refuses one, the next is tried. All ways
 * share one deadline. An answer in plain text is accepted if the text is JSON.
 *
 * @throws {@link CondenserModelError} when the model fails, or its answer holds no JSON; the signal's reason when the caller
 *   aborts.
 */
export async function askForObject(
  llm: LLM,
  { prompt, question, ways, maxOutputTokens }: ObjectRequest,
  { timeoutMs, signal }: AskOptions,
): Promise<StructuredAnswer> {
  const possible = ways.filter((way) => way !== 'tool' || llm.facts?.acceptsForcedTools !== false);
  return withinDeadline({ timeoutMs, signal, model: llm.model }, async (until) => {
    for (const [index, way] of possible.entries()) {
      const request = { ...requestFor(way, prompt, question), maxOutputTokens };
      try {
        const completion = await askModel(llm, request, { timeoutMs, signal: until });
        return { value: valueOf(completion, question), way, account: accountOf(completion) };
      } catch (error) {
        const isRefused = CondenserModelError.isInstance(error) && InvalidRequestError.isInstance(error.cause);
        if (!isRefused || index === possible.length - 1) throw error;
      }
    }
    throw new CondenserModelError('error', 'there is no way to ask this model', { mayRetry: false });
  });
}

/** The size of the object's description beside the prompt. Unit: characters. */
export function questionLength({ name, description, schema }: ObjectQuestion): number {
  return name.length + description.length + JSON.stringify(schema).length;
}

function requestFor(
  way: AnswerWay,
  prompt: string,
  { name, description, schema, looseSchema = schema }: ObjectQuestion,
): Pick<CompletionRequest, 'messages' | 'tools' | 'toolChoice' | 'responseFormat'> {
  const messages = (closing: string): CompletionRequest['messages'] => [
    { role: 'user', content: [{ type: 'text', text: `${prompt}\n\n${closing}` }] },
  ];
  switch (way) {
    case 'tool':
      return {
        messages: messages(`Answer with one call of the tool \`${name}\`.`),
        tools: [{ name, description, inputSchema: looseSchema }],
        toolChoice: { tool: name },
      };
    case 'format':
      return { messages: messages('Answer with the JSON object alone.'), responseFormat: { name, schema } };
    case 'instruction':
      return { messages: messages(instructionFor({ name, description, schema, looseSchema })) };
  }
}

/** Asks for the object in words. */
export function instructionFor({ description, schema, looseSchema = schema }: ObjectQuestion): string {
  return `${description}\n\nAnswer with one JSON object of this schema, with nothing before and nothing after it:\n${JSON.stringify(looseSchema)}`;
}

/**
 * The object of an answer: of a call, or of its text.
 *
 * @throws {@link CondenserModelError} when it holds no JSON, or calls another tool.
 */
export function valueOf(completion: Completion, { name }: ObjectQuestion): unknown {
  const account = accountOf(completion);
  const call = completion.message.toolCalls?.find((made) => made.name === name);
  const text = call === undefined ? textWithoutCall(completion) : call.arguments;
  if (call === undefined && text === '') throw new CondenserModelError('empty', 'the model said nothing', { account });
  for (const json of call === undefined ? jsonIn(text) : [text]) {
    try {
      return JSON.parse(json);
    } catch {
      // The next candidate may parse.
    }
  }
  throw new CondenserModelError('invalid', 'the answer is not JSON', { account });
}

/** The candidates for the JSON in a text answer: the whole text, a fenced block, or the outermost braces. */
function jsonIn(said: string): readonly string[] {
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(said)?.[1];
  const braces = said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1);
  return [said, ...(fenced === undefined ? [] : [fenced]), braces];
}
