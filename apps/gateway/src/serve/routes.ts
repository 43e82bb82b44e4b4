import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '@palimpsest/messages';
import { GatewayError } from '../gateway-error.js';
import { upstreamAddress } from '../server/upstream-address.js';
import type { Route } from '../server/worker-messages.js';

/** A provider, as the user names it. */
export type NamedUpstream = Omit<Route, 'token'>;

/**
 * Returns the upstreams of the user: `anthropic=https://api.anthropic.com`.
 *
 * @throws {@link GatewayError} when one has no name or no address, or two have the same name
 */
export function namedUpstreams(texts: readonly string[]): readonly NamedUpstream[] {
  const upstreams = texts.map((text) => {
    const [, name, address] = /^([a-z0-9][a-z0-9_-]*)=(.+)$/i.exec(text) ?? [];
    if (name === undefined || address === undefined)
      throw new GatewayError(
        'invalid-upstream',
        'An upstream is a name and an address: anthropic=https://api.anthropic.com.',
      );
    return { name, upstream: upstreamAddress(address) };
  });
  const twice = upstreams.find(({ name }, index) => upstreams.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw new GatewayError('invalid-upstream', `Two upstreams have the name '${twice.name}'.`);
  return upstreams;
}

/**
 * Returns the routes to upstreams. Their tokens are kept, so that a restart has the same. One with another address gets another token: who has
 * the old one means the old upstream.
 *
 * @param data - the folder of what the gateway keeps
 * @throws {@link GatewayError} when the file of the tokens is damaged, and what the file system says
 */
export async function keptRoutes(data: string, upstreams: readonly NamedUpstream[]): Promise<readonly Route[]> {
  const file = path.join(data, 'routes.json');
  const known = await routesIn(file);
  const routes = upstreams.map(
    ({ name, upstream }) =>
      known.find((route) => route.name === name && route.upstream === upstream) ?? {
        name,
        upstream,
        token: randomBytes(16).toString('hex'),
      },
  );
  const others = known.filter(({ name }) => !upstreams.some((upstream) => upstream.name === name));
  if (routes.every((route) => known.includes(route))) return routes;
  const written = `${file}.${process.pid}`;
  await writeFile(written, `${JSON.stringify([...others, ...routes], undefined, 2)}\n`, { mode: 0o600 });
  await rename(written, file);
  return routes;
}

async function routesIn(file: string): Promise<readonly Route[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const routes = parsed(text);
  if (Array.isArray(routes) && routes.every(isRoute)) return routes;
  throw new GatewayError(
    'invalid-file',
    `${file} is damaged: delete it, and tell the agents the addresses that are printed then.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRoute(value: unknown): value is Route {
  if (!isRecord(value)) return false;
  const { name, upstream, token } = value;
  return (
    typeof name === 'string' &&
    typeof upstream === 'string' &&
    typeof token === 'string' &&
    /^[0-9a-f]{32}$/.test(token)
  );
}
