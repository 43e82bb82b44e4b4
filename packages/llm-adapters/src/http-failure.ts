import { field, isRecord, textOf } from './wire/json-fields.js';

/** The facts of an error of either SDK, read without `instanceof`: two copies of an SDK have two classes. */
interface HttpFailure {
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  /** Unit: milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The provider's explicit statement about another attempt. */
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
 * Recognised by the class name, or by the SDKs' messages if a bundler removed the names. Also by the messages of
 * `fetch` and of the JSON parser: the SDKs pass those on if an answer without streaming breaks off or is not JSON.
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

/** The reason why no connection came about, in words that say where and what to do. */
interface ConnectionFailure {
  readonly message: string;
  /** Another attempt fails in the same way. */
  readonly isLasting: boolean;
  /** The time for which further attempts make sense. Unit: milliseconds. Absent: no bound. */
  readonly maxRetryMs?: number;
}

/** A server on this machine that refuses is not running: it may be starting, and no network recovers. Unit: milliseconds. */
const localRefusalMs = 10_000;

/** Deeper causes are a circle. */
const deepest = 8;

const checkAddress = 'Is the address (base URL) right?';
const reasons: readonly (readonly [codes: RegExp, reason: string, advice: string])[] = [
  [/^ECONNREFUSED$/, 'nothing answers there', `Is the server running? ${checkAddress}`],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its name is not known', `${checkAddress} Is there a network?`],
  [
    /^(EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    'it cannot be reached',
    `${checkAddress} Is there a network?`,
  ],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'it did not answer in time', `Is the server running? ${checkAddress}`],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET/,
    'its certificate is not accepted',
    'NODE_EXTRA_CA_CERTS names a file with further certificates.',
  ],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, 'it does not speak TLS', 'Is it http:// instead of https://?'],
  [/^HPE_/, 'it does not speak HTTP', checkAddress],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'it closed the connection',
    `Is the server running? ${checkAddress} Is it https:// instead of http://?`,
  ],
];

/** Addresses that `fetch` does not ask. */
const refusedByFetch: readonly (readonly [words: RegExp, message: string])[] = [
  [/credentials/i, 'the address must not hold a user and a password. Set the key in the environment.'],
  [/\bbad port\b/i, 'HTTP clients refuse this port, because another protocol has it. Is the address (base URL) right?'],
];

/**
 * Describes an error that an SDK threw before an answer began. Undefined for any other error. The address is shown
 * without its password and its parameters.
 */
export function connectionFailure(thrown: unknown, baseURL: string): ConnectionFailure | undefined {
  if (!(thrown instanceof Error) || !isBeforeAnswer(thrown)) return undefined;
  const refused = refusedByFetch.find(([words]) => words.test(messagesIn(thrown)));
  if (refused !== undefined) {
    return { message: `no connection to ${shownAddress(baseURL)}: ${refused[1]}`, isLasting: true };
  }
  const code = codesIn(thrown).find((one) => reasons.some(([codes]) => codes.test(one)));
  const [, reason, advice] = reasons.find(([codes]) => code !== undefined && codes.test(code)) ?? [];
  const why = reason === undefined ? '' : `: ${reason} (${code}).`;
  return {
    message: `no connection to ${shownAddress(baseURL)}${why || '.'} ${advice ?? checkAddress}`,
    ...(code === 'ECONNREFUSED' && isThisMachine(baseURL) ? { maxRetryMs: localRefusalMs } : {}),
    isLasting: reason === 'its certificate is not accepted' || reason === 'it does not speak TLS',
  };
}

/**
 * Returns true for the SDKs' own words for it, and those of `fetch`. What broke after an answer had begun has others.
 */
function isBeforeAnswer({ message }: Error): boolean {
  return /^(connection error|fetch failed|failed to fetch|load failed)/i.test(message);
}

/** Returns the messages of the causes of an error. */
function messagesIn({ cause }: Error, depth = 0): string {
  if (depth > deepest || !(cause instanceof Error)) return '';
  return `${cause.message}\n${messagesIn(cause, depth + 1)}`;
}

/** Returns the codes of an error, of its causes, and of each address that was tried. */
function codesIn(thrown: unknown, depth = 0): readonly string[] {
  if (depth > deepest || typeof thrown !== 'object' || thrown === null) return [];
  const code = field(thrown, 'code');
  const tried: unknown = field(thrown, 'errors');
  const inner = [field(thrown, 'cause'), ...(Array.isArray(tried) ? (tried as readonly unknown[]) : [])];
  return [...(typeof code === 'string' ? [code] : []), ...inner.flatMap((one) => codesIn(one, depth + 1))];
}

/**
 * Returns a server's address for an error: never its user, its password, or its parameters, in which gateways take
 * keys.
 */
export function shownAddress(baseURL: string): string {
  if (!URL.canParse(baseURL)) return baseURL.includes('@') || baseURL.includes('?') ? 'what was given' : `'${baseURL}'`;
  const { protocol, host, pathname, href } = new URL(baseURL);
  // Without a scheme, `localhost:8000/v1` parses as a path of the scheme `localhost:`.
  if (host === '') return shownAddress(`http://${href}`);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

/** Returns true for an address on the local machine: a local server needs no key, and no network lies between. */
export function isThisMachine(baseURL: string | undefined): boolean {
  if (baseURL === undefined || !URL.canParse(baseURL)) return false;
  const { hostname } = new URL(baseURL);
  return /^(localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname) || hostname.endsWith('.localhost');
}
