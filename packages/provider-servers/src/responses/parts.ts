import type { OpenAIReport, OpenAIViolation } from '../openai/violation.js';
import type { IssuedItems } from './issued-items.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

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

/** True for an item of the model. Such an item may follow reasoning. */
export function isOutput({ type, role }: InputItem): boolean {
  if (type === 'message') return role === 'assistant';
  return type !== '' && !type.endsWith('_output') && type !== 'item_reference' && type !== 'reasoning';
}
