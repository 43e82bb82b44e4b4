import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileEventStore } from '@palimpsest/events/file';
import { folderIn } from '../src/data-folder.js';
import { gatewayOf } from '../src/core/gateway.js';
import { ReceiptFolder } from '../src/receipts/receipt-folder.js';
import { condensing, receipt } from './receipt.js';
import { scriptedSession } from './scripted-session.js';

/** Text of a program that tries to become markup, or a terminal's command. */
export const hostile = `</style><script>alert(1)</script>"'><img src=x onerror=alert(1)>\u001b[2J\u202e`;

/** Makes a folder as a gateway keeps it: real sessions of both protocols, and receipts of odd conversations. */
export async function keptData(): Promise<string> {
  const data = await mkdtemp(path.join(tmpdir(), 'palimpsest-data-'));
  const receipts = new ReceiptFolder(folderIn(data, 'receipts'));
  for (const [api, model, hour] of [
    ['anthropic', 'claude-opus-4-5', 9],
    ['openai', 'gpt-5', 12],
  ] as const) {
    const clock = { now: new Date(`2026-11-27T${String(hour).padStart(2, '0')}:00:00Z`) };
    await scriptedSession({
      api,
      model,
      needs: 'same-calls',
      steps: 60,
      clock,
      through: (upstream) =>
        gatewayOf({
          upstream,
          store: fileEventStore({ directory: folderIn(data, 'sessions'), fsync: false }),
          onReceipt: (one) => receipts.append(one),
          now: () => clock.now,
        }),
    });
  }
  const odd = { conversation: '00000000beef', minute: 300, window: 38_000, model: hostile };
  receipts.append(receipt({ ...odd, counted: [0, 20_000, 100] }));
  receipts.append(receipt({ ...odd, counted: [20_000, 10_000, 100] }));
  receipts.append(
    receipt({
      ...odd,
      counted: [5_000, 8_000, 50],
      ...condensing(19_000, 6_000, { [hostile]: 3 } as never),
      held: 32_000,
      sent: 13_000,
      isHeldBack: true,
      problem: hostile,
    }),
  );
  const subscription = { conversation: '00000000cafe', minute: 400, isSubscription: true, way: 'passed' } as const;
  receipts.append(receipt({ ...subscription, counted: [0, 50_000, 10], held: 0, sent: 0 }));
  receipts.append(receipt({ conversation: '00000000dead', minute: 500 }));
  return data;
}
