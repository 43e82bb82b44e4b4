import { totalInputTokens } from '@palimpsest/llm-adapters';
import { shownNumber } from '../../output/shown-number.js';
import { reasonInWords } from '../../output/condensation-reasons.js';
import type { CacheBreak } from '../../run-account.js';
import type { Page, PageLine } from '../command-screen.js';
import { counted, dollars, inColumns, percent, tokens } from '../figures-in-words.js';
import type { RunFigures } from '../run-figures.js';
import { runFigures } from './log-readers.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/cost`. */
export const costCommand: CommandWork = {
  async run(_, screen) {
    const { conversation } = openedSession(screen.session);
    await screen.show(costPage(runFigures(conversation)));
  },
};

/** What a session has cost. */
export function costPage(figures: RunFigures): Page {
  const { bills, account, cacheBreaks } = figures;
  const { costUsd, cachedShare, savedTokens, savedBill, steps } = figures.figures();
  if (bills.length === 0) return { title: 'Cost', lines: [{ text: 'No model was asked yet.' }] };
  const rows = bills.map(({ model, purpose, calls, usage, costUsd: cost }) => [
    `${purpose}, ${model}`,
    `${shownNumber(calls)}`,
    shownNumber(totalInputTokens(usage)),
    percent(usage.cacheReadTokens / Math.max(1, totalInputTokens(usage))),
    shownNumber(usage.outputTokens),
    dollars(cost),
  ]);
  const share = (saved: number): string => percent(saved);
  return {
    title: `Cost: ${dollars(costUsd)}, ${percent(cachedShare)} of the agent's input from the cache`,
    lines: [
      ...inColumns([['', 'calls', 'tokens in', 'cached', 'tokens out', 'cost'], ...rows]).map(headed),
      { text: '' },
      { text: 'With and without condensation', style: 'strong' },
      ...(account.condensations === 0
        ? [{ text: 'Nothing was condensed.' }]
        : inColumns([
            ['', 'condensed', 'without', 'saved'],
            [
              'tokens sent',
              shownNumber(Math.round(account.tokensSent)),
              shownNumber(Math.round(account.tokensUncondensed)),
              share(savedTokens),
            ],
            [
              'largest request',
              shownNumber(Math.round(account.peakSent)),
              shownNumber(Math.round(account.peakUncondensed)),
              '',
            ],
            ['cost', dollars(account.costUsd), dollars(account.costUncondensedUsd), share(savedBill)],
          ]).map(headed)),
      {
        text: `Estimates for ${counted(steps, 'model call')} at the prices of ${account.pricedAs.join(' and ')}, with a prompt cache that holds the request before.`,
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

function headed(text: string, index: number): PageLine {
  return index === 0 ? { text, style: 'dim' } : { text };
}

function breakInWords({ cause, rewrittenTokens }: CacheBreak): string {
  return `${causeInWords(cause)}: ${tokens(rewrittenTokens)} written again`;
}

function causeInWords(cause: CacheBreak['cause']): string {
  if (cause?.type === 'condensation') {
    const { condenser, reason } = cause.metadata ?? {};
    return `condensation, ${reasonInWords({
      condenser: typeof condenser === 'string' ? condenser : undefined,
      reason: typeof reason === 'string' ? reason : undefined,
    })}`;
  }
  if (cause?.type === 'condensation-revert') return 'a condensation was taken back';
  return cause?.type === 'system-prompt' ? 'the instructions or the tools have changed' : 'the history was changed';
}
