import { memoryEventStore } from '@palimpsest/events';
import { expect, it } from 'vitest';
import type { Receipt } from '../receipts/receipt.js';
import { gatewayOf } from './gateway.js';

/** A gateway before a provider that answers at once, with the bodies that it was sent and the receipts. */
function gatewayWith(holdOut: number, store = memoryEventStore()) {
  const receipts: Receipt[] = [];
  const sent: string[] = [];
  const gateway = gatewayOf({
    upstream: async ({ body }) => {
      sent.push(await new Response(body as Uint8Array<ArrayBuffer>).text());
      return Response.json({ role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } });
    },
    store,
    holdOut,
    onReceipt: (receipt) => receipts.push(receipt),
  });
  const ask = async (session: string | undefined, ...messages: readonly object[]): Promise<Receipt> => {
    const headers = { 'content-type': 'application/json', ...(session && { 'x-claude-code-session-id': session }) };
    const body = JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 10, messages });
    const answer = await gateway(new Request('http://localhost/v1/messages', { method: 'POST', headers, body }));
    await answer.text();
    return receipts.at(-1)!;
  };
  return { ask, sent };
}

const user = (content: string): object => ({ role: 'user', content });
const answered = { role: 'assistant', content: 'Done.' };

it('draws a share of the sessions, and the same ones after a restart', async () => {
  const draw = async (): Promise<readonly boolean[]> => {
    const { ask } = gatewayWith(0.1);
    const drawn: boolean[] = [];
    for (let session = 0; session < 300; session++) {
      const { holdOut, way } = await ask(`session-${session}`, user('Begin.'));
      expect(way).toBe(holdOut?.isHeldOut ? 'passed' : 'untouched');
      drawn.push(holdOut?.isHeldOut ?? false);
    }
    return drawn;
  };
  const drawn = await draw();
  expect(drawn.filter(Boolean).length).toBeGreaterThan(15);
  expect(drawn.filter(Boolean).length).toBeLessThan(45);
  expect(await draw()).toEqual(drawn);
});

it('holds a sub-agent out with its parent, by the header of their session', async () => {
  const { ask } = gatewayWith(0.5);
  for (let session = 0; session < 20; session++) {
    const parent = await ask(`session-${session}`, user('Find the error.'));
    const child = await ask(`session-${session}`, user(`Search the folder ${session}.`));
    expect(child.conversation).not.toBe(parent.conversation);
    expect(child.holdOut).toEqual(parent.holdOut);
  }
});

it('passes every byte of a held-out session, from its first request on, and marks the others', async () => {
  const { ask, sent } = gatewayWith(0.999_999);
  const messages = [user('Begin.')];
  for (let step = 0; step < 3; step++) {
    const { holdOut, way } = await ask('one', ...messages);
    expect([holdOut?.isHeldOut, way]).toEqual([true, 'passed']);
    messages.push(answered, user(`Go on with ${step}.`));
  }
  expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({ messages: messages.slice(0, 5) });
  expect((await gatewayWith(0.000_001).ask('one', user('Begin.'))).holdOut?.isHeldOut).toBe(false);
});

it('holds out no session that was condensed before, in the midst of its work', async () => {
  const store = memoryEventStore();
  const before = gatewayWith(0.000_001, store);
  await before.ask('one', user('Begin.'));
  await before.ask('one', user('Begin.'), answered, user('Go on.'));
  const after = gatewayWith(0.999_999, store);
  const { holdOut, way } = await after.ask('one', user('Begin.'), answered, user('Go on.'), answered, user('On.'));
  expect([holdOut?.isHeldOut, way]).toEqual([false, 'untouched']);
  expect((await after.ask('two', user('Begin.'))).holdOut?.isHeldOut).toBe(true);
});
