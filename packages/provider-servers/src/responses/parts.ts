import type { OpenAIReport, OpenAIViolation } from '../openai/violation.js';
import type { IssuedItems } from './issued-items.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** An item of the input, with its place. */
export interface InputItem {
  readonly path: string;
  /** `message` where the item names only a role. */
  readonly type: string;
  /** Of a message; empty for other items. */
  readonly role: string;
  readonly id: string | undefined;
  readonly callId: string | undefined;
  readonly value: JsonObject;
}

/** A body in the parts that the rules are about. */
export interface ResponsesRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly items: readonly InputItem[];
  /** Undefined where nobody says what was issued: then rules C5 and C10 cannot look. */
  readonly issued: IssuedItems | undefined;
}

/** One row of the rules. */
export type ResponsesRule = (request: ResponsesRequest, report: OpenAIReport) => readonly OpenAIViolation[];

/** Reads a body that need not be one. Input that is text is one user message. */
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

/** Whether the model made this item: what may stand behind its reasoning. */
export function isOutput({ type, role }: InputItem): boolean {
  if (type === 'message') return role === 'assistant';
  return type !== '' && !type.endsWith('_output') && type !== 'item_reference' && type !== 'reasoning';
}
