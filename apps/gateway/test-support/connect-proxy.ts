import { once } from 'node:events';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy that opens tunnels. */
export interface ConnectProxy {
  readonly host: string;
  /** The targets, each with the credential that was sent for it. */
  readonly asked: (readonly [target: string, credential: string | undefined])[];
  close(): Promise<void>;
}

/** Starts a proxy. @param status - its answer to those who want a tunnel */
export async function connectProxy(status = 200): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push([url, headers['proxy-authorization']]);
    client.on('error', () => undefined);
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [host = '', port = ''] = url.split(':');
    const target = createConnection(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.on('error', () => client.destroy());
    client.pipe(target).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
