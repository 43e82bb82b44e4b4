import { Readable } from 'node:stream';
import { EnvHttpProxyAgent, request } from 'undici';
import type { Upstream } from '../core/upstream-request.js';
import { upstreamAddress } from './upstream-address.js';
import { UpstreamError } from './upstream-error.js';

/** The client has limits of its own, and gives up when it wants. */
const noLimits = {
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: { timeout: 0 },
  requestTls: { timeout: 0 },
  proxyTls: { timeout: 0 },
};

/** Statuses whose answers have no body. */
const withoutBody = [204, 205, 304];

/**
 * Returns the way to a provider. The answer passes as it arrives: it is not decoded, and no redirect is followed. `HTTPS_PROXY`,
 * `HTTP_PROXY` and `NO_PROXY` count.
 *
 * @param address - what stands before the path of a request: `https://api.anthropic.com`
 * @throws GatewayError when it is none. The way itself throws an {@link UpstreamError}, or why the client is gone.
 */
export function upstreamAt(address: string): Upstream {
  const base = upstreamAddress(address);
  const { host } = new URL(base);
  const dispatcher = new EnvHttpProxyAgent({ ...noLimits, keepAliveTimeout: 60_000, maxHeaderSize: 128 * 1024 });
  return async ({ method, path, headers, body, signal }) => {
    const isStream = body instanceof ReadableStream;
    const sent = Object.fromEntries(headers);
    // That of bytes is counted anew.
    if (!isStream) delete sent['content-length'];
    try {
      const {
        statusCode,
        headers: answered,
        body: answer,
      } = await request(`${base}${path}`, {
        method,
        headers: sent,
        body: isStream ? Readable.fromWeb(body) : (body ?? null),
        signal,
        dispatcher,
      });
      const received = new Headers();
      for (const [name, value = ''] of Object.entries(answered))
        for (const one of Array.isArray(value) ? value : [value]) received.append(name, one);
      if (withoutBody.includes(statusCode)) answer.resume();
      return new Response(withoutBody.includes(statusCode) ? null : Readable.toWeb(answer), {
        status: statusCode,
        headers: received,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new UpstreamError(host, error);
    }
  };
}
