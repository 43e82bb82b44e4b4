import { InvalidRequestError } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { accountOf, askModel, textOf } from './ask-model.js';
import type { AskOptions } from './ask-model.js';
import { withinDeadline } from './deadline.js';
import { CondenserModelError } from './model-failure.js';
import type { ModelAccount } from './model-failure.js';

/**
 * How a model is made to answer with an object: by a call of a tool that it must call; by a response format that the provider
 * enforces; or by being told to.
 */
export type AnswerWay = 'tool' | 'format' | 'instruction';

/** An object to ask for. */
export interface ObjectQuestion {
  /** The name of the tool, or of the format. */
  readonly name: string;
  readonly description: string;
  /** The JSON schema, of the kind that a provider can enforce: every member required, none besides them. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The same with what may be left out left out: for the tool and the instruction. @defaultValue `schema` */
  readonly looseSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** What a model answered. */
export interface StructuredAnswer {
  /** What its JSON says. Nothing of it has been checked. */
  readonly value: unknown;
  readonly way: AnswerWay;
  readonly account: ModelAccount;
}

/** What {@link askForObject} asks. */
export interface ObjectRequest {
  /** What the model reads; how to answer is said behind it. */
  readonly prompt: string;
  readonly question: ObjectQuestion;
  /** The ways to try, the best first. The next one is tried where the provider refuses the request as invalid. */
  readonly ways: readonly AnswerWay[];
  /** Unit: tokens. @defaultValue what the adapter takes */
  readonly maxOutputTokens?: number | undefined;
}

/**
 * Asks a model for one object. A way that the model is known to refuse is left out, and one that it refuses is followed by the
 * next; all of them share one deadline. An answer in plain text counts as well, where its text is JSON.
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

/** What is said of an object besides the prompt. Unit: characters. */
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
      return {
        messages: messages(
          `${description}\n\nAnswer with one JSON object of this schema, with nothing before and nothing after it:\n${JSON.stringify(looseSchema)}`,
        ),
      };
  }
}

function valueOf(completion: Completion, { name }: ObjectQuestion): unknown {
  const { toolCalls = [] } = completion.message;
  const account = accountOf(completion);
  const call = toolCalls.find((made) => made.name === name);
  const text = textOf(completion);
  if (call === undefined && text === '') {
    const [other] = toolCalls;
    if (other === undefined) throw new CondenserModelError('empty', 'the model said nothing', { account });
    throw new CondenserModelError('invalid', `the model called '${other.name}' instead of '${name}'`, { account });
  }
  for (const json of call === undefined ? jsonIn(text) : [call.arguments]) {
    try {
      return JSON.parse(json);
    } catch {
      // The next reading may parse.
    }
  }
  throw new CondenserModelError('invalid', 'the answer is not JSON', { account });
}

/** Where the JSON of an answer in words may stand: it is all of it, fenced, or the outermost braces. */
function jsonIn(said: string): readonly string[] {
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(said)?.[1];
  const braces = said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1);
  return [said, ...(fenced === undefined ? [] : [fenced]), braces];
}
