import { shownAddress } from '../shown-address.js';

type Fetch = typeof globalThis.fetch;

const mostRedirects = 3;

/** The redirects that keep the request as it is. HTTP makes a GET of the others, which no model answers. */
const sameRequest: readonly number[] = [301, 302, 307, 308];

/**
 * A `fetch` that follows at most three redirects, with the same request, and none to another origin: only the server that the user
 * named gets the key and the conversation. `fetch` itself follows twenty, and takes the header `x-api-key` along to any server. A
 * redirect that is not followed is answered with an error that says so.
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
      if (!URL.canParse(location, url)) return refused(status, 'the server redirects to an address that is none');
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
