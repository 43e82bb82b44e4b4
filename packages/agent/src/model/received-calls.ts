import type { CreateEvent, ToolCall } from '@palimpsest/events';
import { unnamedToolName } from '@palimpsest/llm-adapters';
import { newIdFrom } from '../new-id.js';

/**
 * The calls of an answer in a form that a log can hold, whatever an implementation of `LLM` returns: each has an id, a name
 * and arguments as text. Missing parts are made up, so that the model can be told what was wrong with the call.
 */
export function receivedCalls(toolCalls: unknown, createEvent: CreateEvent): readonly ToolCall[] {
  return Array.isArray(toolCalls) ? toolCalls.map((call) => receivedCall(call, createEvent)) : [];
}

function receivedCall(call: unknown, createEvent: CreateEvent): ToolCall {
  const given = (typeof call === 'object' && call !== null ? call : {}) as Partial<Record<keyof ToolCall, unknown>>;
  const { id, name, arguments: input } = given;
  const isWhole = isText(id) && isText(name) && typeof input === 'string';
  if (isWhole) return given as ToolCall;
  return {
    ...(given as Partial<ToolCall>),
    id: isText(id) ? id : `call_${newIdFrom(createEvent).replaceAll('-', '')}`,
    name: isText(name) ? name : unnamedToolName,
    arguments: typeof input === 'string' ? input : jsonOf(input),
  };
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
