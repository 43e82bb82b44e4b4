/** Shorter values are not treated as keys: local servers get words such as `none`, which can occur in any message. */
const minLength = 8;
const maxValues = 10_000;
const mark = '[secret]';

/** A filter that keeps keys out of errors: providers, proxies and HTTP clients quote the request. */
export interface Secrets {
  /** Returns the text with every key in it replaced. */
  redact(text: string): string;
  /**
   * Returns the error unchanged if it holds no key. If it holds a key at any depth, returns a copy of its name, message and
   * stack without the keys.
   */
  redactError(thrown: unknown): unknown;
}

/** Makes {@link Secrets} of keys. Undefined keys and keys under 8 characters are ignored. */
export function secretsOf(keys: readonly (string | null | undefined)[]): Secrets {
  const forms = new Set<string>();
  for (const key of keys) {
    if (key === null || key === undefined || key.length < minLength) continue;
    for (const form of [key, key.trim(), JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) forms.add(form);
  }
  const redact = (text: string) => [...forms].reduce((clean, form) => clean.replaceAll(form, mark), text);
  const isClean = (text: string) => ![...forms].some((form) => text.includes(form));
  return {
    redact,
    redactError: (thrown) => {
      if (everyString(thrown, isClean)) return thrown;
      const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
      const copy = new Error(redact(message));
      copy.name = name;
      copy.stack = redact(stack ?? '');
      return copy;
    },
  };
}

/** Returns true if all strings that are reachable from the value pass. False if there are too many to check. */
function everyString(value: unknown, passes: (text: string) => boolean): boolean {
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && !passes(next)) return false;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (seen.size > maxValues) return false;
    if (next instanceof Map || next instanceof Set || next instanceof Headers) {
      next.forEach((item: unknown, key: unknown) => waiting.push(key, item));
    }
    for (const key of Reflect.ownKeys(next)) {
      try {
        waiting.push((next as Record<PropertyKey, unknown>)[key]);
      } catch {
        // A getter that throws exposes no text to other readers either.
      }
    }
  }
  return true;
}

/**
 * Returns true for a key that can be sent. An HTTP client quotes an invalid header in its error, so another key must
 * not reach the client.
 */
export function isSendable(key: string | null | undefined): boolean {
  return key === null || key === undefined || /^[\x20-\x7e]*$/.test(key);
}

/** Returns the values of headers whose names mark them as keys, without `Bearer`. */
export function secretHeaders(headers: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => namesSecret(name))
    .map(([, value]) => value.replace(/^[a-z]+ /i, ''));
}

function namesSecret(name: string): boolean {
  return /auth|key|token|secret|cookie|session|password|^sig/i.test(name);
}

/**
 * Returns the keys inside a URL: gateways take keys as user, password or parameter. Each key is listed both encoded and
 * decoded.
 */
export function secretsInAddress(baseURL: string): readonly string[] {
  if (!URL.canParse(baseURL)) return [];
  const { username, password, searchParams } = new URL(baseURL);
  const ofParameters = [...searchParams].filter(([name]) => namesSecret(name)).map(([, value]) => value);
  const written = [username, password, ...ofParameters];
  return written.flatMap((text) => {
    try {
      return [text, decodeURIComponent(text)];
    } catch {
      return [text];
    }
  });
}
