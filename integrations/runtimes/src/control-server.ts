import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import {
  anthropicScenarioServer,
  openaiScenarioServer,
} from '../../../packages/llm-adapters/test-support/scenario-servers.js';

/** Events of a stream of the Responses API up to the first text. */
const eventsToText = 5;

/** A server that starts and ends servers of providers for suites in other processes, and gives a page to a browser. */
export interface ControlServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param script - the program of the page */
export async function controlServer(script: string): Promise<ControlServer> {
  const servers: ProviderServer[] = [];
  const answer = async (request: IncomingMessage): Promise<{ readonly type: string; readonly body: string }> => {
    if (request.url === '/')
      return { type: 'text/html', body: '<!doctype html><script type="module" src="/run.js"></script>' };
    if (request.url === '/run.js') return { type: 'text/javascript', body: script };
    const server = servers[Number(request.url?.split('/').at(-1))];
    if (request.method === 'GET') return { type: 'text/plain', body: String(server?.requests.length) };
    if (request.method === 'DELETE') {
      await server?.close();
      return { type: 'text/plain', body: '' };
    }
    const { api, scenario } = JSON.parse(await text(request));
    const started = await (api === 'openai'
      ? openaiScenarioServer(scenario, { eventsToText })
      : anthropicScenarioServer(scenario));
    servers.push(started);
    return { type: 'application/json', body: JSON.stringify({ id: servers.length - 1, baseURL: started.baseURL }) };
  };
  const http: Server = createServer((request, response) => {
    answer(request).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
