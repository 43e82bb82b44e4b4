import { once } from 'node:events';
import { createServer } from 'node:net';
import { createConnection } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A provider that is a socket: what it gets and what it answers are bytes. */
export interface RawProvider {
  readonly baseURL: string;
  /** Resolves to the next connection. */
  readonly accept: () => Promise<RawConnection>;
  close(): Promise<void>;
}

/** One end of a connection. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that has come so far, one character a byte. */
  readonly text: () => string;
  /** Resolves when what has come holds a text. Rejects if the connection ends before. */
  readonly until: (text: string) => Promise<string>;
  /** Resolves to all that has come when the other end has closed. */
  readonly ended: Promise<string>;
}

/** Listens on a port of this machine. */
export async function rawProvider(): Promise<RawProvider> {
  const waiting: RawConnection[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    waiting.push(connectionOf(socket));
    server.emit('accepted');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accept: async () => {
      while (waiting.length === 0) await once(server, 'accepted');
      return waiting.shift()!;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Connects to the port of an address. */
export function connectTo(url: string): RawConnection {
  return connectionOf(createConnection(Number(new URL(url).port), '127.0.0.1'));
}

/** Sends bytes as they are, and returns all that comes back until the connection ends. */
export function exchangeRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const connection = connectTo(url);
  connection.socket.write(bytes);
  return connection.ended;
}

function connectionOf(socket: Socket): RawConnection {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  return {
    socket,
    text: () => text,
    ended,
    until: async (wanted) => {
      while (!text.includes(wanted)) {
        if (socket.destroyed) throw new Error(`The connection ended before ${JSON.stringify(wanted)}: ${text}`);
        await Promise.race([once(socket, 'data'), ended]);
      }
      return text;
    },
  };
}

/** Writes until the other end takes no more, or has so many bytes. Returns how many have gone. */
export async function writeUntilBlocked(socket: Socket, mostBytes: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const gone = (): number => socket.bytesWritten - socket.writableLength;
  while (gone() < mostBytes) {
    if (socket.write(chunk)) continue;
    const patience = new AbortController();
    const isDrained = await Promise.race([
      once(socket, 'drain', { signal: patience.signal }).then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => setTimeout(resolve, 300, false)),
    ]);
    patience.abort();
    if (!isDrained) break;
  }
  return gone();
}
