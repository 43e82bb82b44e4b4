import { totalInputTokens } from '@palimpsest/llm-adapters';
import {
  formatNumber,
  formatCount,
  formatDollars,
  alignColumns,
  formatShare,
  formatTokens,
} from '../../output/lines.js';
import { reasonPhrase } from '../../output/phrases.js';
import type { CacheBreak, SessionFigures } from '../../output/figures.js';
import type { Page, Line } from '../../output/lines.js';
import { sessionFigures } from './log-readers.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/cost`. */
export const costCommand: CommandWork = {
  async run(_, screen) {
    const { conversation } = openedSession(screen.session);
    await screen.show(costPage(sessionFigures(conversation)));
  },
};

/** What a session has cost. */
export function costPage(figures: SessionFigures): Page {
  const { bills, comparison, cacheBreaks, costUsd, cachedShare, saved } = figures;
  if (bills.length === 0) return { title: 'Cost', lines: [{ text: 'No model was asked yet.' }] };
  const rows = bills.map(({ model, purpose, calls, usage, costUsd: cost }) => [
    `${purpose}, ${model}`,
    `${formatNumber(calls)}`,
    formatNumber(totalInputTokens(usage)),
    formatShare(usage.cacheReadTokens / Math.max(1, totalInputTokens(usage))),
    formatNumber(usage.outputTokens),
    formatDollars(cost),
  ]);
  return {
    title: `Cost: ${formatDollars(costUsd)}, ${formatShare(cachedShare)} of the agent's input from the cache`,
    lines: [
      ...alignColumns([['', 'calls', 'tokens in', 'cached', 'tokens out', 'cost'], ...rows]).map(headed),
      { text: '' },
      { text: 'With and without condensation', style: 'strong' },
      ...(comparison.condensations === 0
        ? [{ text: 'Nothing was condensed.' }]
        : alignColumns([
            ['', 'condensed', 'without', 'saved'],
            [
              'tokens sent',
              formatNumber(Math.round(comparison.tokensSent)),
              formatNumber(Math.round(comparison.tokensUncondensed)),
              formatShare(saved.tokens),
            ],
            [
              'largest request',
              formatNumber(Math.round(comparison.peakSent)),
              formatNumber(Math.round(comparison.peakUncondensed)),
              '',
            ],
            [
              'cost',
              formatDollars(comparison.costUsd),
              formatDollars(comparison.costUncondensedUsd),
              formatShare(saved.bill),
            ],
          ]).map(headed)),
      {
        text: `Estimates for ${formatCount(comparison.steps, 'model call')} at the prices of ${comparison.pricedAs.join(' and ')}, with a prompt cache that holds the request before.`,
        style: 'dim',
      },
      { text: '' },
      { text: 'What broke the prompt cache', style: 'strong' },
      ...(cacheBreaks.length === 0
        ? [{ text: 'Nothing: each request began with the one before.' }]
        : cacheBreaks.map((each) => ({ text: breakInWords(each) }))),
    ],
  };
}

function headed(text: string, index: number): Line {
  return index === 0 ? { text, style: 'dim' } : { text };
}

function breakInWords({ cause, rewrittenTokens }: CacheBreak): string {
  return `${causeInWords(cause)}: ${formatTokens(rewrittenTokens)} written again`;
}

function causeInWords(cause: CacheBreak['cause']): string {
  if (cause?.type === 'condensation') return `condensation, ${reasonPhrase(cause.metadata ?? {})}`;
  if (cause?.type === 'condensation-revert') return 'a condensation was taken back';
  return cause?.type === 'system-prompt' ? 'the instructions or the tools have changed' : 'the history was changed';
}
