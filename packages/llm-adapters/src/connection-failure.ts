import { shownAddress } from './shown-address.js';
import { isThisMachine } from './this-machine.js';
import { field } from './wire/json-fields.js';

/** Why no connection came about, in words that say where and what to do. */
export interface ConnectionFailure {
  readonly message: string;
  /** Another attempt fails in the same way. */
  readonly isLasting: boolean;
  /** How long further attempts make sense. Unit: milliseconds. Absent: no bound. */
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
  [/credentials/i, 'an address with a user and a password cannot be asked. Keys stand in the environment.'],
  [/\bbad port\b/i, 'this port is kept for another protocol, and cannot be asked. Is the address (base URL) right?'],
];

/**
 * What is said of an error that an SDK threw before an answer began; undefined for any other error. The address is shown without
 * its password and its parameters.
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

/** The SDKs' own words for it, and those of `fetch`. What broke after an answer had begun has others. */
function isBeforeAnswer({ message }: Error): boolean {
  return /^(connection error|fetch failed|failed to fetch|load failed)/i.test(message);
}

/** What the causes of an error say. */
function messagesIn({ cause }: Error, depth = 0): string {
  if (depth > deepest || !(cause instanceof Error)) return '';
  return `${cause.message}\n${messagesIn(cause, depth + 1)}`;
}

/** The codes of an error, of its causes, and of each address that was tried. */
function codesIn(thrown: unknown, depth = 0): readonly string[] {
  if (depth > deepest || typeof thrown !== 'object' || thrown === null) return [];
  const code = field(thrown, 'code');
  const tried: unknown = field(thrown, 'errors');
  const inner = [field(thrown, 'cause'), ...(Array.isArray(tried) ? (tried as readonly unknown[]) : [])];
  return [...(typeof code === 'string' ? [code] : []), ...inner.flatMap((one) => codesIn(one, depth + 1))];
}
