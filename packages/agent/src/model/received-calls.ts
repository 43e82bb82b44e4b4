import type { BegunCall, CreateEvent, TextContent, ToolCall } from '@palimpsest/events';
import { ContentPolicyError, unnamedToolName, wholeCalls } from '@palimpsest/llm-adapters';
import type { CallState, Completion } from '@palimpsest/llm-adapters';
import { textOf } from '../state.js';
import { newIdFrom } from '../step.js';
import type { AnswerPiece } from './streamed-answer.js';

export interface ReceivedCall {
  readonly toolCall: ToolCall;
  /** True if the model wrote it to its end. Only a whole call may be run. */
  readonly isWhole: boolean;
}

/**
 * Returns the calls of an answer in a form that a log can hold, whatever an implementation of `LLM` returns: each has an id, a name
 * and arguments as text. Missing parts are made up, so that the model can be told what was wrong with the call.
 */
export function receivedCalls(completion: Completion, createEvent: CreateEvent): readonly ReceivedCall[] {
  const given: unknown = completion.message.toolCalls;
  if (!Array.isArray(given)) return [];
  const toolCalls = given.map((call) => receivedCall(call, createEvent));
  const callStates = given.map((call, index) => completion.callStates?.[index] ?? stateOf(call));
  const whole = wholeCalls({ ...completion, message: { ...completion.message, toolCalls }, callStates });
  return toolCalls.map((toolCall, index) => ({ toolCall, isWhole: whole[index] === true }));
}

/** Arguments that are no text were parsed by somebody, and do not show where the model's text ended. */
function stateOf(call: unknown): CallState {
  return typeof partsOf(call).arguments === 'string' ? 'as-written' : 'parsed';
}

function receivedCall(call: unknown, createEvent: CreateEvent): ToolCall {
  const given = partsOf(call);
  const { id, name, arguments: input } = given;
  const hasAll = isText(id) && isText(name) && typeof input === 'string';
  if (hasAll) return given as ToolCall;
  return {
    ...(given as Partial<ToolCall>),
    id: isText(id) ? id : `call_${newIdFrom(createEvent).replaceAll('-', '')}`,
    name: isText(name) ? name : unnamedToolName,
    arguments: typeof input === 'string' ? input : jsonOf(input),
  };
}

function partsOf(call: unknown): Partial<Record<keyof ToolCall, unknown>> {
  return typeof call === 'object' && call !== null ? call : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value ?? {}) ?? '{}';
  } catch {
    // The value has a cycle, or a bigint.
    return '{}';
  }
}

/** An answer that is a refusal: what came of it, and the error that it is. */
export interface Refusal {
  readonly piece: AnswerPiece;
  readonly error: ContentPolicyError;
}

/**
 * Returns the refusal that an answer is; undefined if it is none. Providers report one as an answer that ended early, with words, calls,
 * both or neither. None of its calls may be run, not even a whole one: the provider has taken the answer back.
 *
 * @param provider - named in the error
 */
export function refusalIn(completion: Completion, provider: string, createEvent: CreateEvent): Refusal | undefined {
  const { finishReason, message } = completion;
  if (finishReason !== 'content-filter') return undefined;
  const content = message.content.filter((part): part is TextContent => part.type === 'text');
  const toolCalls = receivedCalls(completion, createEvent).map(
    ({ toolCall: { id, name, arguments: text } }): BegunCall => ({ id, name, arguments: text }),
  );
  const words = textOf(content).trim();
  const told = words === '' ? 'The provider refused to answer.' : `The provider refused to answer: ${words}`;
  const piece = { content, finishReason, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
  return { piece, error: new ContentPolicyError(told, { provider }) };
}
