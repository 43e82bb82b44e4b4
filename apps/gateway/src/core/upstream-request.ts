import { forwardedHeaders } from './headers.js';

/** Sends a request to a provider, and returns its answer as it arrives: not decoded, redirects not followed. */
export type Upstream = (request: UpstreamRequest) => Promise<Response>;

/** A request to a provider. */
export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

/** Returns a client's request for the provider, with its own body or another one. */
export function forwarded(
  { method, url, headers, body: own, signal }: Request,
  body: UpstreamRequest['body'] = own ?? undefined,
): UpstreamRequest {
  const { pathname, search } = new URL(url);
  return { method, path: `${pathname}${search}`, headers: forwardedHeaders(headers), body, signal };
}
