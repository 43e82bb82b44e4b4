/** What can be read of an error of either SDK without knowing its class: two copies of an SDK have two classes. */
export interface HttpFailure {
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  /** Unit: milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** No answer came: the connection failed or took too long. */
  readonly isConnection: boolean;
  /** The error's own words; the provider's are in `body`. */
  readonly message: string;
  /** The answer's JSON, as far as the SDK keeps it. */
  readonly body: unknown;
}

/** Reads what an SDK threw. */
export function readHttpFailure(thrown: unknown): HttpFailure {
  const error: Readonly<Record<string, unknown>> = isRecord(thrown) ? thrown : {};
  return {
    statusCode: typeof error.status === 'number' ? error.status : undefined,
    requestId: textOf(error.requestID),
    retryAfterMs: retryAfterMs(error.headers),
    isConnection: isConnectionFailure(thrown),
    message: thrown instanceof Error ? thrown.message : String(thrown),
    body: error.error,
  };
}

/** A field of a value that may be no object. */
export function field(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

/** The value if it is text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** By the class's name; by the SDKs' own words where a bundler took the names away. */
function isConnectionFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.constructor.name.startsWith('APIConnection') || /^(connection error|request timed out)/i.test(thrown.message)
  );
}

/** Seconds, or milliseconds in the header that both SDKs know. A date is left out: it would need a clock. */
function retryAfterMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
