import type { ContentPart, Message } from '@palimpsest/events';
import type { Completion, CompletionRequest } from '@palimpsest/llm-adapters';
import type { Attributes } from '@opentelemetry/api';
import type { SecretMask } from '../secrets/secret-mask.js';
import { names } from './names.js';

/** The content of a request, in the form of the specification's JSON schemas. */
export function contentOfRequest({ messages, tools = [] }: CompletionRequest, secrets?: SecretMask): Attributes {
  const instructions = messages.filter(({ role }) => role === 'system').flatMap(({ content }) => partsOf(content));
  const history = messages.filter(({ role }) => role !== 'system').map(messageOf);
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
  }));
  return {
    ...(instructions.length === 0 ? {} : { [names.systemInstructions]: jsonOf(instructions, secrets) }),
    [names.inputMessages]: jsonOf(history, secrets),
    ...(definitions.length === 0 ? {} : { [names.toolDefinitions]: jsonOf(definitions, secrets) }),
  };
}

/** The content of an answer. */
export function contentOfAnswer({ message, finishReason }: Completion, secrets?: SecretMask): Attributes {
  const answer = { ...messageOf(message), finish_reason: finishReasonOf(finishReason) };
  return { [names.outputMessages]: jsonOf([answer], secrets) };
}

/** The specification's word for the end of an answer. */
export function finishReasonOf(reason: Completion['finishReason']): string {
  return { 'tool-calls': 'tool_call', 'content-filter': 'content_filter' }[reason as string] ?? reason;
}

/** A value as JSON, its secrets masked. Never throws: a tool's input or output may be any value. */
export function jsonOf(value: unknown, secrets?: SecretMask): string {
  try {
    // Only what is JSON can be masked and shown.
    const plain = JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
    return JSON.stringify(secrets?.data(plain) ?? plain);
  } catch {
    return '"[not JSON]"';
  }
}

function messageOf(message: Message) {
  if (message.role === 'tool') {
    const response = partsOf(message.content);
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.toolCallId, response }] };
  }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const asked = calls.map(({ id, name, arguments: given }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: parsed(given),
  }));
  return { role: message.role, parts: [...partsOf(message.content), ...asked] };
}

function partsOf(content: readonly ContentPart[]) {
  return content.map((part) => (part.type === 'text' ? { type: 'text', content: part.text } : { type: part.type }));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
