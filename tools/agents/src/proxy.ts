import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

/** A provider's host that only a proxy finds. */
export const providerHost = 'provider.test';

/** A proxy that connects clients to {@link providerHost}, which is this machine, and to nothing else. */
export interface ConnectProxy {
  readonly url: string;
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts a {@link ConnectProxy} on 127.0.0.1. */
export async function connectProxy(): Promise<ConnectProxy> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((_, outgoing) => outgoing.writeHead(403).end());
  server.on('connect', ({ url = '' }, client: Socket) => {
    const [host, port] = url.split(':');
    if (host !== providerHost) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    connections++;
    const provider = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      provider.pipe(client).pipe(provider);
    });
    for (const socket of [client, provider]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A certificate of {@link providerHost}, which nobody trusts who is not told its file. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

/** Makes a {@link Certificate} in a folder. @throws what `openssl` says */
export async function certificateIn(folder: string): Promise<Certificate> {
  const [keyFile, file] = ['provider.key', 'provider.crt'].map((name) => path.join(folder, name)) as [string, string];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', keyFile, '-out', file],
    ...['-subj', `/CN=${providerHost}`, '-addext', `subjectAltName=DNS:${providerHost}`],
  ]);
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(file, 'utf8'), file };
}
