import { logBuilder } from '@palimpsest/events/testing';
import { openaiServer } from '@palimpsest/provider-servers';
import { afterEach, expect, test } from 'vitest';
import { priceRows } from '../measure/money.js';
import { assertSummariser, summariserFor } from './models.js';
import { policyFrom } from './policy.js';
import { sessionReplayer } from './session-replayer.js';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test('a model that is asked for gets the condenser’s requests, and its own count is the bill', async () => {
  let asked = 0;
  const server = await openaiServer({
    reply: () => {
      asked++;
      return { message: { content: 'Five files were read.' } };
    },
  });
  process.env['OPENAI_API_KEY'] = 'key';
  process.env['OPENAI_BASE_URL'] = server.baseURL;
  const log = logBuilder();
  log.user('Mend the parser.');
  for (let step = 0; step < 40; step++) log.call('read', { step }, `line ${step} `.repeat(100));
  const config = { type: 'llmSummarizing', maxSize: 40, keepFirst: 2 } as const;
  assertSummariser('openai/gpt-5.2');
  const replayer = sessionReplayer(log.events, { prices: priceRows, summariser: summariserFor('openai/gpt-5.2') });
  const replay = await replayer.replay(policyFrom('asks', { kind: 'config', config, folder: '.' }));
  await server.close();
  expect(replay.condenserErrors).toEqual([]);
  expect(replay.condensations).toBeGreaterThan(0);
  expect(replay.summariserCalls).toBe(asked);
  expect(replay.bills[0]?.summariser).toBeGreaterThan(0);
});
