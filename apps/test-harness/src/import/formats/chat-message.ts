import { isObject } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** True for a message of the OpenAI Chat Completions API. */
export function isChatMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    roles.has(value['role']) &&
    ('content' in value || 'tool_calls' in value || 'function_call' in value || 'refusal' in value)
  );
}
