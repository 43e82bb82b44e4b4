import { memoryEventStore } from '@palimpsest/events';
import { gatewayOf } from '../src/core/gateway.js';
import { listen } from '../src/server/listen.js';
import type { Listening } from '../src/server/listen.js';
import { upstreamAt } from '../src/server/upstream.js';

/** Starts a gateway before a provider. Its URL is what an agent would be told. */
export async function gatewayBefore(baseURL: string): Promise<Listening & { readonly url: string }> {
  const handle = gatewayOf({ upstream: upstreamAt(baseURL), store: memoryEventStore() });
  const gateway = await listen({ routes: [{ token: 'secret', handle }] });
  return { ...gateway, url: `${gateway.origin}/secret` };
}
