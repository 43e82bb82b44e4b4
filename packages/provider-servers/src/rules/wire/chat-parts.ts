import type { OpenAIReport, OpenAIViolation } from './violation.js';
import { listIn, objectIn, textIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

/** A message of a body, with its place. */
export interface ChatMessage {
  readonly path: string;
  readonly role: string;
  readonly value: JsonObject;
  readonly calls: readonly ChatCall[];
}

/** A call of a message, with its place. */
export interface ChatCall {
  readonly path: string;
  readonly id: string;
  readonly value: JsonObject;
  readonly called: JsonObject;
}

/** The parts of a body that the rules check. */
export interface ChatRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
}

/** One row of the rules. */
export type ChatRule = (request: ChatRequest, report: OpenAIReport) => readonly OpenAIViolation[];

/** Reads a value that may not be a valid body. */
export function chatRequest(body: JsonObject): ChatRequest {
  return { body, model: textIn(body.model) ?? '', messages: listIn(body.messages).map(chatMessage) };
}

function chatMessage(value: unknown, index: number): ChatMessage {
  const message = objectIn(value) ?? {};
  const path = `messages.${index}`;
  const calls = listIn(message.tool_calls).map((item, position): ChatCall => {
    const call = objectIn(item) ?? {};
    return {
      path: `${path}.tool_calls.${position}`,
      id: textIn(call.id) ?? '',
      value: call,
      called: objectIn(call.function) ?? {},
    };
  });
  return { path, role: textIn(message.role) ?? '', value: message, calls };
}

/** Returns the tool messages that directly follow a message. */
export function resultsAfter(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return end === -1 ? rest : rest.slice(0, end);
}
