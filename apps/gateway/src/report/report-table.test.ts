import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { coloursFor } from '@palimpsest/terminal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { condensing, receipt } from '../../test-support/receipt.js';
import { folderIn } from '../data-folder.js';
import { ReceiptFolder } from '../receipts/receipt-folder.js';
import { readReport } from './read-report.js';
import { reportTable } from './report-table.js';

let data: string;
beforeEach(async () => void (data = await mkdtemp(path.join(tmpdir(), 'palimpsest-report-'))));
afterEach(() => rm(data, { recursive: true }));

const colours = coloursFor({ isTTY: false }, {});
const escape = '\u001b[2J';

function keep(): void {
  const receipts = new ReceiptFolder(folderIn(data, 'receipts'));
  const one = { conversation: '00000000beef', model: escape };
  receipts.append(receipt({ ...one, counted: [0, 20_000, 100] }));
  receipts.append(receipt({ ...one, counted: [20_000, 10_000, 100] }));
  receipts.append(
    receipt({
      ...one,
      counted: [5_000, 8_000, 50],
      ...condensing(19_000, 6_000),
      held: 32_000,
      sent: 13_000,
      problem: escape,
    }),
  );
  for (let index = 0; index < 20; index++)
    receipts.append(
      receipt({
        ...one,
        minute: index / 10,
        counted: [13_000 + index * 1_000, 1_000, 60],
        way: 'condensed',
        inForce: 1,
        held: 33_000 + index * 1_000,
        sent: 14_000 + index * 1_000,
        rereads: index === 9 ? { results: 3, tokens: 900, outputTokens: 30, isAlone: false } : undefined,
      }),
    );
  receipts.append(
    receipt({ conversation: '00000000cafe', minute: 400, isSubscription: true, counted: [0, 50_000, 10] }),
  );
}

/** Without the times, which are those of this machine. */
const table = async (width: number) =>
  reportTable(await readReport(data), width, colours).replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'YYYY-MM-DD HH:MM');

test('a table has the newest first, fits where it can, and obeys nothing that receipts hold', async () => {
  keep();
  expect(await table(120)).toMatchInlineSnapshot(`
    "conversation      last request  requests  list  sent   bill  without          saved  condensed  reread
    00000000cafe  YYYY-MM-DD HH:MM         1   50k   50k    50k      50k              0          0       0
    00000000beef  YYYY-MM-DD HH:MM        23   52k   33k  $0.13    $0.16  $0.031…$0.032          1       3

    2 conversations: the gateway has saved $0.031 to $0.032 (20 %) up to now.
    00000000cafe: A subscription pays: what is saved is no money.
    00000000beef: 1 request went on in spite of a problem: \\x1b[2J
    list: what the agent holds. sent: its last request. without: the bill without the gateway. Tokens where no price is known."
  `);
  const narrow = (await table(80)).split('\n').slice(0, 3);
  expect(narrow[0]).toMatch(/^conversation +list +sent +bill +without +saved +condensed +reread$/);
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('what came back is told with the condensation before it, at the request that made it', async () => {
  keep();
  const { conversations } = await readReport(data, '00000000beef');
  expect(conversations).toHaveLength(1);
  expect(conversations[0]!.made).toMatchObject([
    { request: 2, hidden: { read: 3 }, savedTokens: 19_000, cameBack: { results: 3, tokens: 900 } },
  ]);
  expect(conversations[0]!.requests[12]).toMatchObject({ held: 42_000, sent: 23_000, rereads: 3 });
});

test('without receipts it says how to get some', async () => {
  expect(await table(120)).toBe('No receipts are kept here. Start an agent with `palimpsest-gateway run -- claude`.');
});

test('sessions that were held out are compared with the others, and nothing is claimed too early', async () => {
  const receipts = new ReceiptFolder(folderIn(data, 'receipts'));
  for (let index = 0; index < 24; index++) {
    const conversation = index.toString(16).padStart(12, '0');
    const holdOut = { isHeldOut: index % 4 === 0, session: conversation };
    receipts.append(receipt({ conversation, holdOut, counted: [0, 20_000 + 1_000 * (index % 5), 100] }));
  }
  const report = await readReport(data);
  expect(reportTable(report, 120, colours)).toMatch(
    /^Held out: 6 of 24 sessions\. What is saved is not known yet: between -\d+ and \d+ % of a typical session\./m,
  );
  expect(report.heldOut?.isKnown).toBe(false);
  expect((await readReport(data, '000000000001')).heldOut).toBeUndefined();
});
