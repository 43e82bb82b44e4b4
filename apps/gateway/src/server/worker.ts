import { pricedCondenser } from '@palimpsest/condensers';
import { loadCondenserFile } from '@palimpsest/condensers/node';
import { fileEventStore } from '@palimpsest/events/file';
import { folderIn } from '../data-folder.js';
import { OrderFolder } from '../control/order-folder.js';
import { gatewayOf } from '../core/gateway.js';
import { forwarded } from '../core/upstream-request.js';
import { keepWithin } from '../receipts/kept.js';
import type { Receipt } from '../receipts/receipt.js';
import { ReceiptFolder } from '../receipts/receipt-folder.js';
import type { Handle } from './exchange.js';
import { listen } from './listen.js';
import type { Listening } from './listen.js';
import { upstreamAt } from './upstream.js';
import type { WorkerCommand, WorkerMessage, WorkerOptions } from './worker-messages.js';

let gateway: Listening | undefined;

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message, () => undefined);
}

async function start({
  routes,
  port,
  data,
  preset,
  config,
  subscription,
  holdOut,
  passes,
}: WorkerOptions): Promise<void> {
  const store = fileEventStore({ directory: folderIn(data, 'sessions') });
  const orders = new OrderFolder(folderIn(data, 'orders'));
  const receipts = new ReceiptFolder(folderIn(data, 'receipts'));
  const condenser = config === undefined ? pricedCondenser({ preset }) : await loadCondenserFile(config);
  const onReceipt = (receipt: Receipt): void => tell({ type: 'receipt', receipt: kept(receipt, receipts) });
  const handleOf = (name: string): Handle => {
    const upstream = upstreamAt(name);
    if (passes === true) return (request) => upstream(forwarded(request));
    return gatewayOf({ upstream, name, store, condenser, orders, subscription, holdOut, onReceipt });
  };
  gateway = await listen({
    port,
    routes: routes.map(({ upstream, token }) => ({ token, handle: handleOf(upstream) })),
    onAnswered: () => tell({ type: 'answered' }),
  });
  tell({ type: 'listening', origin: gateway.origin });
  const tidy = (): void => void keepWithin(data).catch(() => undefined);
  tidy();
  setInterval(tidy, tidyMs).unref();
}

/** Between two looks at what is too old or too much. Unit: milliseconds. */
const tidyMs = 6 * 60 * 60 * 1_000;

/** Returns a receipt that was written, or one that says that it was not. */
function kept(receipt: Receipt, receipts: ReceiptFolder): Receipt {
  try {
    receipts.append(receipt);
    return receipt;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ...receipt, problem: receipt.problem ?? `the receipt could not be written: ${code ?? 'unknown'}` };
  }
}

/** A worker whose supervisor is gone waits no longer for its last receipts. Unit: milliseconds. */
const stopTimeoutMs = 3_000;

async function stop(): Promise<void> {
  setTimeout(() => process.exit(0), stopTimeoutMs);
  await gateway?.close();
  // What was told before has gone before.
  if (process.connected) process.send?.({ type: 'stopped' } satisfies WorkerMessage, () => process.exit(0));
  else process.exit(0);
}

function fail(error: unknown): void {
  const { code, name } = error as { readonly code?: unknown; readonly name: string };
  const message: WorkerMessage = { type: 'failed', code: typeof code === 'string' ? code : name };
  process.send?.(message, () => process.exit(1));
}

/** Says what has failed and where, without the text of the error: that may quote a conversation. */
function endWith(error: unknown): void {
  const { name, stack = '' } = error instanceof Error ? error : new Error();
  const place = /^\s+(at .*)$/m.exec(stack)?.[1] ?? '';
  process.stderr.write(`palimpsest-gateway: ${name} ${place}\n`, () => process.exit(1));
}

process.on('uncaughtException', endWith);
// A terminal sends these to every process of a command. The one that has started this one says when it ends.
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// It never outlives that process.
process.on('disconnect', () => void stop());
process.on('message', (command: WorkerCommand) => {
  if (command.type === 'stop') void stop();
  else start(command.options).catch(fail);
});
