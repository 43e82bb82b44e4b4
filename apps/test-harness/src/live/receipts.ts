import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { costOf } from '@palimpsest/llm-adapters';
import { z } from 'zod';
import type { Trial } from './trial.js';

/** The schema of {@link GatewayReceipt}. Unit of all sizes: tokens. */
const receiptSchema = z.object({
  status: z.number(),
  model: z.string().optional(),
  /** Left out if the provider has counted nothing. */
  usage: z
    .object({
      uncachedInputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWriteTokens: z.number(),
      outputTokens: z.number(),
    })
    .optional(),
  cacheWrites: z.record(z.string(), z.number()).optional(),
  /** Left out if the model's are not known. */
  prices: z
    .object({ input: z.number(), cacheRead: z.number(), cacheWrite: z.number(), output: z.number() })
    .loose()
    .optional(),
  rereads: z.object({ results: z.number(), tokens: z.number() }).optional(),
});

/** The part that is needed of the gateway's receipt of one request. */
export type GatewayReceipt = z.infer<typeof receiptSchema>;

/** The sums of the requests of a run. The cost is left out if a request was answered that has no usage or no price. */
export type Spent = Required<Pick<Trial, 'tokens' | 'steps' | 'rereads'>> & Pick<Trial, 'costUsd'>;

/**
 * Reads the gateway's receipts: of a file of JSON Lines, or of a folder of such files. A line that is no receipt, as one that is being written,
 * is left out.
 *
 * @throws what the file system says
 */
export async function readReceipts(path: string): Promise<readonly GatewayReceipt[]> {
  const isFolder = (await stat(path)).isDirectory();
  const files = isFolder ? (await readdir(path)).filter((name) => name.endsWith('.jsonl')).sort() : [''];
  const texts = await Promise.all(files.map((name) => readFile(join(path, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).flatMap((line) => receiptOf(line) ?? []);
}

function receiptOf(line: string): GatewayReceipt | undefined {
  try {
    return receiptSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Returns the sum of the receipts of a run. */
export function sumOfReceipts(receipts: readonly GatewayReceipt[]): Spent {
  const tokens = { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  const rereads = { results: 0, tokens: 0 };
  const answered = receipts.filter(({ status }) => status < 400);
  let costUsd: number | undefined = 0;
  for (const { usage, prices, cacheWrites = {}, rereads: again } of answered) {
    rereads.results += again?.results ?? 0;
    rereads.tokens += Math.round(again?.tokens ?? 0);
    const cost: number | undefined = usage && prices && costOf(usage, prices, { cacheWrites });
    costUsd = costUsd === undefined || cost === undefined ? undefined : costUsd + cost;
    if (usage === undefined) continue;
    tokens.uncachedInput += usage.uncachedInputTokens;
    tokens.cacheRead += usage.cacheReadTokens;
    tokens.cacheWrite += usage.cacheWriteTokens;
    tokens.output += usage.outputTokens;
  }
  return { tokens, steps: answered.length, rereads, ...(costUsd !== undefined && { costUsd }) };
}
