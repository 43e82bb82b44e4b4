import { MissingSdkError } from './errors.js';
import { shownAddress } from './http-failure.js';

/** Imports a package by its name. */
type ImportModule = (name: string) => Promise<unknown>;

/**
 * Loads a provider's package, an optional peer, at the first call. If the load fails, the next call tries again. With
 * `importModule`, that takes the place of `load`, and remembers what it has loaded.
 *
 * @throws {@link MissingSdkError} when it cannot be loaded; the original error is `cause`.
 */
export function lazySdk<Module>(options: {
  readonly provider: string;
  readonly packageName: string;
  readonly load: () => Promise<Module>;
}): (importModule?: ImportModule) => Promise<Module> {
  const { provider, packageName } = options;
  let loaded: Promise<Module> | undefined;
  const missing = (cause: unknown): never => {
    throw new MissingSdkError(packageName, { provider, cause });
  };
  return (importModule) => {
    if (importModule !== undefined) return importModule(packageName).catch(missing) as Promise<Module>;
    loaded ??= options.load().catch((cause: unknown) => {
      loaded = undefined;
      return missing(cause);
    });
    return loaded;
  };
}

/** Returns an environment variable, trimmed. Undefined if it is empty or if there is no `process`. */
export function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const value = process?.env?.[name]?.trim();
  return value === '' ? undefined : value;
}

type Fetch = typeof globalThis.fetch;

const mostRedirects = 3;

/** The redirects that keep the request as it is. HTTP makes a GET of the others, which no model answers. */
const sameRequest: readonly number[] = [301, 302, 307, 308];

/**
 * Returns a `fetch` that follows at most three redirects, with the same request, and none to another origin: only the
 * server that the user named gets the key and the conversation. `fetch` itself follows twenty, and takes the header
 * `x-api-key` along to any server. A redirect that is not followed is answered with an error that says so.
 */
export function withOwnRedirects(fetch: Fetch): Fetch {
  return async (input, init) => {
    let url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    for (let count = 1; ; count++) {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      const { status } = response;
      if (status < 300 || status > 399 || location === null) return response;
      await response.body?.cancel();
      if (!URL.canParse(location, url)) return refused(status, 'the server redirects to an invalid address');
      const next = new URL(location, url);
      const to = `the server redirects to ${shownAddress(next.href)}`;
      if (next.origin !== new URL(url).origin) {
        return refused(status, `${to}, which is another server. If that is the right one, name it as the base URL`);
      }
      if (!sameRequest.includes(status))
        return refused(status, `${to} with the status ${status}, which drops the request`);
      if (count > mostRedirects) return refused(status, `${to} after ${mostRedirects} other redirects`);
      url = next.href;
    }
  };
}

function refused(status: number, message: string): Response {
  const error = { type: 'invalid_request_error', message };
  return Response.json({ type: 'error', error }, { status });
}

/** The beginning of a stream: with the name of a field, or with a comment. */
const streamStart = /^\s*(?:data|event|id|retry|:)/;

/**
 * Returns the JSON of a response to a request for a stream, where the server ignored `stream: true`. Undefined for a stream,
 * whose body stays unread, and for an empty body. The beginning of the body decides, because servers and proxies name a wrong
 * type, or none.
 *
 * @throws SyntaxError when the body is neither.
 * @throws what `fetch` throws when it breaks off.
 */
export async function plainAnswer(response: Response): Promise<unknown> {
  const reader = response.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    text += value;
    if (streamStart.test(text)) break;
    if (done) return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  }
  // The caller reads the other half of the clone.
  reader?.cancel().catch(() => undefined);
  return undefined;
}
