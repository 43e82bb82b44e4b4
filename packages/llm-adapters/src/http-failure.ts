import { field, isRecord, textOf } from './wire/json-fields.js';

/** The facts of an error of either SDK, read without `instanceof`: two copies of an SDK have two classes. */
export interface HttpFailure {
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  /** Unit: milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether another attempt makes sense, if the provider says so explicitly. */
  readonly shouldRetry: boolean | undefined;
  /** No answer came: the connection failed or took too long. */
  readonly isConnection: boolean;
  /** The error's own message; the provider's message is in `body`. */
  readonly message: string;
  /** The response's JSON, as far as the SDK keeps it. */
  readonly body: unknown;
}

/** Reads an error that an SDK threw. */
export function readHttpFailure(thrown: unknown): HttpFailure {
  const error: Readonly<Record<string, unknown>> = isRecord(thrown) ? thrown : {};
  return {
    statusCode: typeof error.status === 'number' ? error.status : undefined,
    requestId: textOf(error.requestID),
    retryAfterMs: retryAfterMs(error.headers),
    shouldRetry: shouldRetry(error.headers),
    isConnection: isConnectionFailure(thrown),
    message: thrown instanceof Error ? thrown.message : String(thrown),
    body: error.error,
  };
}

/**
 * Recognised by the class name, or by the SDKs' messages if a bundler removed the names. Also by the messages of `fetch` and of
 * the JSON parser: the SDKs pass those on if an answer without streaming breaks off or is not JSON.
 */
function isConnectionFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { message } = thrown;
  return (
    thrown.constructor.name.startsWith('APIConnection') ||
    /^(connection error|request timed out)/i.test(message) ||
    thrown instanceof SyntaxError ||
    (thrown instanceof TypeError && unreadable.test(message)) ||
    lostCodes.test(String(codeOf(thrown) ?? codeOf(thrown.cause)))
  );
}

/**
 * The messages of Undici, Chrome and Safari. The last one comes from the OpenAI client when it reads a response that is
 * missing.
 */
const unreadable =
  /^(terminated|fetch failed|failed to fetch|load failed|network ?error|cannot use 'in' operator to search for 'object')/i;
const lostCodes = /^(ECONN|EPIPE|ETIMEDOUT|UND_ERR_|ERR_STREAM_PREMATURE_CLOSE)/;

function codeOf(thrown: unknown): unknown {
  return field(thrown, 'code');
}

/**
 * Milliseconds in the header that both SDKs know; otherwise seconds or a date. A date is compared with the response's own
 * `date` header, so a wrong local clock does no harm.
 *
 * @see provider-rules A.1; RFC 9110 section 10.2.3
 */
function retryAfterMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = numberIn(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const after = headers.get('retry-after');
  const seconds = numberIn(after);
  if (seconds !== undefined) return seconds * 1_000;
  const until = Date.parse(after ?? '') - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/** @see provider-rules A.1, B.1 */
function shouldRetry(headers: unknown): boolean | undefined {
  const said = headers instanceof Headers ? headers.get('x-should-retry') : null;
  return said === 'true' ? true : said === 'false' ? false : undefined;
}

/** Azure sends negative values if it has no value. */
function numberIn(text: string | null): number | undefined {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
