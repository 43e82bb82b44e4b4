import { objectIn } from '../rules/wire/wire-json.js';

/** The error for a `reply` that returns what the server cannot send. The client gets its text in an answer with the status 500. */
export class InvalidReplyError extends TypeError {
  readonly code = 'invalid-reply';

  constructor(message: string) {
    super(message);
    this.name = 'InvalidReplyError';
  }
}

/** Returns the error for a reply without a known shape, and says which there are: the first is shown whole. */
export function notAReply(reply: unknown, shapes: readonly string[]): InvalidReplyError {
  const fields = Object.keys(objectIn(reply) ?? {}).join(', ');
  const given =
    objectIn(reply) === undefined ? described(reply) : `an object with ${fields === '' ? 'no field' : fields}`;
  const all = [...shapes, '{ error: { status, type, message } }', "{ fault: 'rate-limit' }"];
  return new InvalidReplyError(`reply has to return ${all.join(', or ')}; it returned ${given}.`);
}

/** Returns true for a reply that the provider refuses a request with. */
export function isRefusal(reply: unknown): boolean {
  const { error, fault } = objectIn(reply) ?? {};
  return objectIn(error) !== undefined || typeof fault === 'string';
}

function described(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
