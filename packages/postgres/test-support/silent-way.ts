import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a server that can fall silent: its connections stay open, and nothing is passed on. */
export interface SilentWay {
  readonly url: string;
  fallSilent(): void;
  /** Passes on what was sent meanwhile, too. */
  speakAgain(): void;
  close(): void;
}

/** Opens a way to the server of a URL. */
export async function silentWay(url: string): Promise<SilentWay> {
  const target = new URL(url);
  const { hostname, port } = target;
  const open = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('data', (data) => other.write(data));
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      if (isSilent) one.pause();
      open.add(one);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  target.hostname = '127.0.0.1';
  target.port = String((proxy.address() as AddressInfo).port);
  return {
    url: target.href,
    fallSilent() {
      isSilent = true;
      for (const socket of open) socket.pause();
    },
    speakAgain() {
      isSilent = false;
      for (const socket of open) socket.resume();
    },
    close() {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}
