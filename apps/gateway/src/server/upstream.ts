import { Readable } from 'node:stream';
import { EnvHttpProxyAgent, request } from 'undici';
import type { Upstream } from '../core/upstream-request.js';

/**
 * Returns the way to a provider. The answer passes as it arrives: it is not decoded, no redirect is followed, and no time limit holds. `HTTPS_PROXY`,
 * `HTTP_PROXY` and `NO_PROXY` count.
 *
 * @param baseURL - what stands before the path of a request: `https://api.anthropic.com`
 */
export function upstreamAt(baseURL: string): Upstream {
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 });
  const base = baseURL.replace(/\/+$/, '');
  return async ({ method, path, headers, body, signal }) => {
    const answer = await request(`${base}${path}`, {
      method,
      headers: Object.fromEntries(headers),
      body: body instanceof ReadableStream ? Readable.fromWeb(body) : (body ?? null),
      signal,
      dispatcher,
    });
    const received = new Headers();
    for (const [name, value = ''] of Object.entries(answer.headers))
      for (const one of Array.isArray(value) ? value : [value]) received.append(name, one);
    const isEmpty = answer.statusCode === 204 || answer.statusCode === 304;
    return new Response(isEmpty ? null : Readable.toWeb(answer.body), {
      status: answer.statusCode,
      headers: received,
    });
  };
}
