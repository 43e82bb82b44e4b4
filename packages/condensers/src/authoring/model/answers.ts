import { InvalidRequestError } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { CondenserModelError } from '../definition/errors.js';
import type { ModelAccount } from '../definition/errors.js';
import { accountOf, callModel, isBlankAnswer, textOf, withinDeadline } from './call-model.js';
import type { AskOptions } from './call-model.js';

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

/** The request of {@link structuredAnswer}. */
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
 * Calls a model for one object. Ways that the model is known to refuse are skipped; if it refuses one, the next is
 * tried. All ways share one deadline. An answer in plain text is accepted if the text is JSON.
 *
 * @throws {@link CondenserModelError} when the model fails, or its answer holds no JSON; the signal's reason when the caller
 *   aborts.
 */
export async function structuredAnswer(
  llm: LLM,
  { prompt, question, ways, maxOutputTokens }: ObjectRequest,
  { timeoutMs, signal }: AskOptions,
): Promise<StructuredAnswer> {
  const possible = ways.filter((way) => way !== 'tool' || llm.facts?.acceptsForcedTools !== false);
  return withinDeadline({ timeoutMs, signal, model: llm.model }, async (until) => {
    for (const [index, way] of possible.entries()) {
      const request = { ...requestFor(way, prompt, question), maxOutputTokens };
      try {
        const completion = await callModel(llm, request, { timeoutMs, signal: until });
        return { value: valueOf(completion, question), way, account: accountOf(completion) };
      } catch (error) {
        const isRefused = CondenserModelError.isInstance(error) && InvalidRequestError.isInstance(error.cause);
        if (!isRefused || index === possible.length - 1) throw error;
      }
    }
    throw new CondenserModelError('error', 'there is no way to ask this model', { mayRetry: false });
  });
}

/** Returns the size of the object's description beside the prompt. Unit: characters. */
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

/** Returns a request for the object in words. */
export function instructionFor({ description, schema, looseSchema = schema }: ObjectQuestion): string {
  return `${description}\n\nAnswer with one JSON object of this schema, with nothing before and nothing after it:\n${JSON.stringify(looseSchema)}`;
}

/**
 * Returns the object of an answer: of a call, or of its text.
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

/** Returns the candidates for the JSON in a text answer: the whole text, a fenced block, or the outermost braces. */
function jsonIn(said: string): readonly string[] {
  const fenced = /```(?:json)?\s*\n([^]*?)\n\s*```/.exec(said)?.[1];
  const braces = said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1);
  return [said, ...(fenced === undefined ? [] : [fenced]), braces];
}

/**
 * Returns the text of an answer that is words alone.
 *
 * @throws {@link CondenserModelError} when it is blank, calls a tool, is a call written as text, or says no more than that the model
 *   refuses.
 */
export function wordsOf(completion: Completion): string {
  const text = textWithoutCall(completion);
  const account = accountOf(completion);
  if (isBlankAnswer(text)) throw new CondenserModelError('empty', 'the model said nothing', { account });
  if (isRefusal(text)) throw new CondenserModelError('refused', 'the model refused to answer', { account });
  return text;
}

/**
 * Returns the text of an answer that calls no tool. It may be blank.
 *
 * @throws {@link CondenserModelError} when the answer calls a tool, or is a call written as text.
 */
function textWithoutCall(completion: Completion): string {
  const account = accountOf(completion);
  const [call] = completion.message.toolCalls ?? [];
  const text = textOf(completion);
  if (call === undefined && !isWrittenCall(text)) return text;
  const called = call === undefined ? 'wrote a tool call' : `called '${call.name}'`;
  throw new CondenserModelError('invalid', `the model ${called} instead of answering`, { account });
}

/** The beginning of a call, as models write one without the means of their provider. Prose about such a tag is none. */
const callStart = new RegExp(
  [
    String.raw`<(?:\w+:)?function_calls>\s*<`,
    String.raw`<(?:\w+:)?invoke\s+name=`,
    String.raw`<tool_call>\s*[{[<]`,
    String.raw`<function=[\w.-]+>\s*(?:[{<]|$)`,
    String.raw`\[TOOL_CALLS\]\s*\S`,
  ].join('|'),
  'y',
);
const callEnd = /<\/(?:(?:\w+:)?(?:function_calls|invoke)|tool_call|function)>/g;
const fenced = /^(`{3,}|~{3,})[^\n]*\n([^]*?)\n\1[ \t]*$/gm;

/**
 * Returns true if a text begins or ends with a call that is written as text, also with one that is cut. A summary may quote such calls
 * in its lines and in blocks of code.
 */
export function isWrittenCall(text: string): boolean {
  const body = text.trim();
  const [block] = body.matchAll(fenced);
  if (block?.[0] === body && block[2] !== undefined) return isWrittenCall(block[2]);
  // A quotation stays as one character, so that what stands around it is still at its beginning and its end.
  const prose = body.replace(fenced, '`');
  if (beginsCall(prose, 0)) return true;
  for (const { index } of prose.matchAll(/^[ \t]*(?=[<[])/gm)) {
    const start = index + (/^[ \t]*/.exec(prose.slice(index))?.[0].length ?? 0);
    if (beginsCall(prose, start) && endsInCall(prose.slice(start))) return true;
  }
  return false;
}

function beginsCall(text: string, index: number): boolean {
  callStart.lastIndex = index;
  return callStart.test(text);
}

/** Nothing follows the call's last closing tag; a call without one is cut. */
function endsInCall(text: string): boolean {
  const last = [...text.matchAll(callEnd)].at(-1);
  return last === undefined || text.slice(last.index + last[0].length).trim() === '';
}

/** A summary is longer. Unit: characters. */
const longestRefusal = 300;
const refusal =
  /^(?:(?:I['’]m|I am) (?:very |really )?sorry|sorry|I apologi[sz]e|unfortunately)?[,.;:]?\s*(?:but\s+)?I\s*(?:can['’]?t|cannot|can not|won['’]t|will not|(?:['’]m|am) (?:not able|unable) to)\s+(?:help|assist|comply|fulfil|summari[sz]e|do (?:that|this)|continue with (?:that|this)|provide|answer)\b/i;

function isRefusal(text: string): boolean {
  return text.length <= longestRefusal && refusal.test(text);
}
