import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { addTools } from './tools.mjs';

/** Serves a listener until the test ends. */
export async function served(listener: RequestListener): Promise<string> {
  // A pause of the test, as on a busy machine, is no reason to close a connection that its client may use in that very moment.
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const made = (): McpServer => addTools(new McpServer({ name: 'honest', version: '1.0.0' }));

/** Returns a server of the SDK with sessions, as they were until 2025. `forget` ends all sessions. */
export async function sessionServer(): Promise<{
  readonly url: string;
  readonly headers: IncomingMessage['headers'][];
  readonly sessions: ReadonlyMap<string, unknown>;
  forget(): void;
}> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const headers: IncomingMessage['headers'][] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) return void response.writeHead(404).end();
    const transport =
      known ??
      new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
        onsessionclosed: (session) => void sessions.delete(session),
      });
    if (known === undefined) await made().connect(transport);
    await transport.handleRequest(request, response);
  };
  const url = await served((request, response) => void listener(request, response));
  return { url, headers, sessions, forget: () => sessions.clear() };
}

/**
 * Returns a server of the SDK without sessions, as they are since 2026.
 *
 * @param keywords - of an argument of one more tool, `headed`. @defaultValue there is no such tool
 */
export async function modernServer(keywords?: Readonly<Record<string, unknown>>): Promise<string> {
  const withHeader = (): McpServer => {
    const server = made();
    if (keywords !== undefined) {
      const inputSchema = z.object({ region: z.string().meta(keywords) });
      server.registerTool('headed', { inputSchema }, () => ({ content: [] }));
    }
    return server;
  };
  const handler = toNodeHandler(createMcpHandler(withHeader, { legacy: 'reject' }));
  return await served((request, response) => void handler(request, response));
}
