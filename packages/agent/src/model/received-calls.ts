import type { CreateEvent, ToolCall } from '@palimpsest/events';
import { unnamedToolName, wholeCalls } from '@palimpsest/llm-adapters';
import type { CallState, Completion } from '@palimpsest/llm-adapters';
import { newIdFrom } from '../step.js';

/** A call of an answer. */
export interface ReceivedCall {
  readonly toolCall: ToolCall;
  /** Whether the model wrote it to its end. Only a whole call may be run. */
  readonly isWhole: boolean;
}

/**
 * The calls of an answer in a form that a log can hold, whatever an implementation of `LLM` returns: each has an id, a name
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
