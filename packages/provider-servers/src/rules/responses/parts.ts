import type { OpenAIReport, OpenAIViolation } from '../wire/violation.js';
import { listIn, objectIn, textIn } from '../wire/wire-json.js';
import type { JsonObject } from '../wire/wire-json.js';

/** An item of the input, with its place. */
export interface InputItem {
  readonly path: string;
  /** `message` if the item has only a role. */
  readonly type: string;
  /** The role of a message; empty for other items. */
  readonly role: string;
  readonly id: string | undefined;
  readonly callId: string | undefined;
  readonly value: JsonObject;
}

/** The parts of a body that the rules check. */
export interface ResponsesRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly items: readonly InputItem[];
  /** Undefined if the issued items are unknown. Rules C5 and C10 are then not checked. */
  readonly issued: IssuedItems | undefined;
}

/** One row of the rules. */
export type ResponsesRule = (request: ResponsesRequest, report: OpenAIReport) => readonly OpenAIViolation[];

/** Reads a value that may not be a valid body. Input that is text is one user message. */
export function responsesRequest(body: JsonObject, issued: IssuedItems | undefined): ResponsesRequest {
  const { input } = body;
  const values = typeof input === 'string' ? [{ role: 'user', content: input }] : listIn(input);
  return { body, model: textIn(body.model) ?? '', items: values.map(inputItem), issued };
}

function inputItem(value: unknown, index: number): InputItem {
  const item = objectIn(value) ?? {};
  const role = textIn(item.role) ?? '';
  return {
    path: `input.${index}`,
    type: textIn(item.type) ?? (role === '' ? '' : 'message'),
    role,
    id: textIn(item.id),
    callId: textIn(item.call_id),
    value: item,
  };
}

/** Returns true for an item of the model. Such an item may follow reasoning. */
export function isOutput({ type, role }: InputItem): boolean {
  if (type === 'message') return role === 'assistant';
  return type !== '' && !type.endsWith('_output') && type !== 'item_reference' && type !== 'reasoning';
}

/**
 * The issued items of a server without state. The server encodes what it needs later in the item's id and signs the id. Every
 * server of one organisation recognises the items of the others.
 *
 * @see provider-rules C5, C10
 */
export interface IssuedItems {
  /** Adds missing ids, statuses and encrypted content to items. `origin` must be unique. */
  issue(output: readonly JsonObject[], origin: string): readonly JsonObject[];
  /** True if the id was issued. */
  isIssued(id: string): boolean;
  /** The id of the reasoning that was issued with an item. Undefined if there was none, or if the id was not issued. */
  reasoningOf(id: string): string | undefined;
  /** True if the content was issued, and, if an id is given, with that id. */
  isEncryptedFor(content: string, reasoningId: string | undefined): boolean;
}

/** The id prefixes by type of item. */
export const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
};
