import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';

export type Step = (response: ServerResponse, request: { readonly headers: IncomingHttpHeaders }) => void;

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Takes one step for each request, the last one for all that follow. */
export async function start(...steps: readonly Step[]) {
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    request.resume().on('end', () => steps[Math.min(requests.length, steps.length) - 1]?.(response, request));
  });
  // A pause between two tries, as on a busy machine, is no reason to close the connection.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('the call should have failed'),
    (thrown: unknown) => thrown,
  );
