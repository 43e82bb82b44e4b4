import { costOf } from '@palimpsest/llm-adapters';
import type { Receipt } from './receipt.js';

/** The last lines of a run: what was sent, what it cost, how large the agent's own list is. */
export function summaryOf(receipts: readonly Receipt[]): readonly string[] {
  const last = receipts.at(-1);
  if (last === undefined) return ['No request arrived: the agent has sent to another place, or to none.'];
  let [read, written, uncached, output] = [0, 0, 0, 0];
  let usd: number | undefined = 0;
  for (const { usage, prices } of receipts) {
    if (usage === undefined) continue;
    read += usage.cacheReadTokens;
    written += usage.cacheWriteTokens;
    uncached += usage.uncachedInputTokens;
    output += usage.outputTokens;
    usd = usd === undefined || prices === undefined ? undefined : usd + costOf(usage, prices);
  }
  const condensations = receipts.reduce((sum, receipt) => sum + receipt.condensations.length, 0);
  const problems = receipts.flatMap(({ problem }) => problem ?? []);
  const cost = usd === undefined ? '' : `, $${usd.toFixed(2)}`;
  return [
    `${receipts.length} requests: ${thousands(read + written + uncached)} tokens read${cost} (${thousands(read)} from the cache, ${thousands(written)} written to it, ${thousands(output)} of output).`,
    condensations === 0
      ? `Nothing was condensed: the agent holds ${thousands(last.held)} tokens.`
      : `${condensations} condensations: the agent holds ${thousands(last.held)} tokens, ${thousands(last.sent)} were sent with the last request.`,
    ...(problems.length === 0 ? [] : [`${problems.length} requests went on in spite of a problem: ${problems.at(-1)}`]),
  ];
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(Math.round(tokens)) : `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}
