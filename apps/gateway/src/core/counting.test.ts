import { afterEach, expect, it } from 'vitest';
import { CodingSession, readingServer } from '../../test-support/coding-session.js';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function counted(client: CodingSession): Promise<number> {
  const { max_tokens: _, ...body } = client.body() as { max_tokens: number };
  const response = await client.post('/v1/messages/count_tokens', body);
  return ((await response.json()) as { input_tokens: number }).input_tokens;
}

it('counts what would be sent of a known conversation, and makes none', async () => {
  const server = await readingServer();
  open.push(server);
  const client = new CodingSession(server);
  const short = await counted(client);
  while (client.condensed.length === 0) await client.step();
  const { usage } = client.receipts.at(-1) ?? {};
  const sent = (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0) + (usage?.uncachedInputTokens ?? 0);
  const now = await counted(client);
  expect(now).toBeGreaterThan(sent);
  expect(now).toBeLessThan(sent + 3_000);
  expect(short).toBeLessThan(200);

  // Another gateway on an empty store knows nothing of it: the list is counted as it is.
  const other = new CodingSession(server);
  other.messages.splice(0, 1, ...client.messages);
  expect(await counted(other)).toBeGreaterThan(1.5 * now);
  expect(other.receipts).toEqual([]);
});
