import { limitedLLM, rateLimit } from '@palimpsest/llm-adapters';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import pg from 'pg';
import { postgresRateLimitStore } from '../src/index.js';

/** Asks a model many times at once, under a limit that other processes share; answers with what became of each call. */
const [url, schema, baseURL, calls] = process.argv.slice(2) as [string, string, string, string];
const pool = new pg.Pool({ connectionString: url, max: 2 });
const store = postgresRateLimitStore({ client: pool, name: 'a limit', schema });
const limit = rateLimit({ requestsPerMinute: 1_200, burst: 0.02, store });
const retry = { attempts: 1 };
const llm = limitedLLM(openaiLLM({ model: 'gpt-4o', apiKey: 'a-key', baseURL, retry }), { limit });
process.on('message', () => {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }];
  const all = Array.from({ length: Number(calls) }, () => llm.complete({ messages }));
  void Promise.allSettled(all).then(async (outcomes) => {
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    await pool.end();
    process.send?.({ refusals }, () => process.disconnect());
  });
});
process.send?.('ready');
