import type * as z from 'zod/mini';
import { errorTexts } from './error-texts.js';
import { InvalidEventError } from './errors.js';
import { eventSchemas } from './event-schemas.js';
import { eventBaseSchema } from './event-base.js';
import type { Event } from './event.js';
import { freezeParsedJson, immutableJson } from './immutable-json.js';
import { quickCheck } from './quick-check.js';
import type { Check } from './quick-check.js';

const baseCheck = quickCheck(eventBaseSchema);
const checks: ReadonlyMap<string, Check> = new Map(
  [...eventSchemas].map(([type, schema]) => [type, quickCheck(schema)]),
);

/**
 * Turns a value from disk or network into a deeply frozen event. The schemas check and never change: fields and types that
 * this version does not know are kept as they are, at every depth. The value itself is neither frozen nor kept.
 *
 * @throws {@link InvalidEventError} when it is not an event, or not plain JSON data; names the path of what is wrong.
 */
export function parseEvent(json: unknown): Event {
  const copy = immutableJson(json);
  assertEvent(copy);
  return copy;
}

/**
 * {@link parseEvent} for a value that `JSON.parse` has just made and nobody else holds: it is frozen in place, not copied.
 *
 * @throws {@link InvalidEventError} when it is not an event.
 */
export function adoptEvent(json: unknown): Event {
  assertEvent(json);
  freezeParsedJson(json);
  return json;
}

function assertEvent(value: unknown): asserts value is Event {
  const type = textField(value, 'type');
  const fits = (type === undefined ? undefined : checks.get(type)) ?? baseCheck;
  if (fits(value)) return;
  const schema = (type === undefined ? undefined : eventSchemas.get(type)) ?? eventBaseSchema;
  const result = schema.safeParse(value, errorTexts());
  if (result.success) return;
  const { message, path } = innermost(result.error.issues[0] as z.core.$ZodIssue);
  throw new InvalidEventError({
    reason: message,
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    eventId: textField(value, 'id'),
    eventType: type,
    cause: result.error,
  });
}

/**
 * The innermost issue. A schema that is open for unknown kinds is a union of the known kinds and any other kind. For a known
 * kind with a wrong field the issue names the field; otherwise it names the kind.
 */
function innermost(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, 'message' | 'path'> {
  if (issue.code !== 'invalid_union') return issue;
  const [known] = issue.errors[0] ?? [];
  const [other] = issue.errors.at(-1) ?? [];
  const isOfKnownKind = known !== undefined && known.code !== 'invalid_union' && known.code !== 'invalid_value';
  const cause = isOfKnownKind ? known : other;
  if (cause === undefined) return issue;
  const { message, path } = innermost(cause);
  return { message, path: [...issue.path, ...path] };
}

function textField(value: unknown, field: 'type' | 'id'): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const text = (value as Record<string, unknown>)[field];
  return typeof text === 'string' ? text : undefined;
}
