import { fileEventStore } from '@palimpsest/events/file';
import { gatewayOf } from '../core/gateway.js';
import type { Receipt } from '../receipts/receipt.js';
import { listen } from './listen.js';
import { upstreamAt } from './upstream.js';

/** What a worker is told when it is started. */
export interface WorkerOptions {
  readonly upstream: string;
  readonly token: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** The folder of the store. */
  readonly directory: string;
  readonly subscription: boolean;
}

/** What a worker tells the process that has started it. */
export type WorkerMessage =
  { readonly type: 'listening'; readonly url: string } | { readonly type: 'receipt'; readonly receipt: Receipt };

const { upstream, token, port, directory, subscription } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const tell = (message: WorkerMessage): void => void process.send?.(message);

const gateway = await listen({
  handle: gatewayOf({
    upstream: upstreamAt(upstream),
    store: fileEventStore({ directory }),
    subscription,
    onReceipt: (receipt) => tell({ type: 'receipt', receipt }),
  }),
  token,
  port,
});
tell({ type: 'listening', url: gateway.url });
// It never outlives the command that has started it.
process.on('disconnect', () => process.exit(0));
