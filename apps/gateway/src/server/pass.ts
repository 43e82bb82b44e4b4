import { forwardedHeaders } from '../core/headers.js';
import type { Upstream } from '../core/upstream-request.js';
import type { Handle } from './exchange.js';

/** Returns what sends every request on, unread. */
export function passTo(upstream: Upstream): Handle {
  return ({ method, url, headers, body, signal }) => {
    const { pathname, search } = new URL(url);
    return upstream({
      method,
      path: `${pathname}${search}`,
      headers: forwardedHeaders(headers),
      body: body ?? undefined,
      signal,
    });
  };
}
