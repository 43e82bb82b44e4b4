import { rewritesIn, sentTo } from '@palimpsest/provider-servers';
import { afterEach, expect, it } from 'vitest';
import { CodingSession, readingServer } from '../../test-support/coding-session.js';
import type { Orders } from './orders.js';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function ordered() {
  let orders: Orders = { isPaused: false };
  const server = await readingServer();
  open.push(server);
  const client = new CodingSession(server, {
    orders: {
      of: () => Promise.resolve(orders),
      undone: () => {
        orders = { isPaused: orders.isPaused };
        return Promise.resolve();
      },
    },
  });
  return { client, order: (changed: Orders) => void (orders = changed), given: () => orders };
}

it('makes no condensation while the user has paused them', async () => {
  const { client, order } = await ordered();
  order({ isPaused: true });
  await client.steps(40);
  expect(client.condensed).toEqual([]);
  order({ isPaused: false });
  await client.steps(1);
  expect(client.condensed).toHaveLength(1);
});

it('takes a condensation back once, and sends the whole list again', async () => {
  const { client, order, given } = await ordered();
  while (client.condensed.length === 0) await client.step();
  const [made] = client.condensed.flatMap(({ condensations }) => condensations);
  order({ isPaused: true, undo: made?.id });
  await client.steps(3);
  expect(given()).toEqual({ isPaused: true });
  expect(client.receipts.slice(-3).map(({ way, inForce, isRewrite }) => [way, inForce, isRewrite])).toEqual([
    ['untouched', 0, true],
    ['untouched', 0, false],
    ['untouched', 0, false],
  ]);
  expect(rewritesIn(sentTo(client.server))).toHaveLength(2);
});
