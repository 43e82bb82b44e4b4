import { savedWithRereads } from '../../replay/savings.js';
import { pricingText } from '../pricing-text.js';
import { countedText, figure, h, moneyText, percentText } from './dom.js';
import type { PageState } from './page-state.js';

/** Returns the section with the cost of the sessions, their cost with the policy, and the share that it forgets. @param whose - `Your` */
export function headlineSection(
  { data, sessions, rows, row, price, policy, isUncondensed }: PageState,
  whose: string = 'Your',
): HTMLElement {
  const savings = row?.savings[price];
  const prices = data.prices[price];
  const none = rows[0];
  if (savings === undefined || prices === undefined || row === undefined || none === undefined)
    return h('section', { class: 'headline' }, h('h2', {}, 'No session is left by this choice.'));
  const money = (value: number): HTMLElement => figure(value, (usd) => moneyText(usd, prices));
  if (isUncondensed)
    return h(
      'section',
      { class: 'headline', 'aria-labelledby': 'headline' },
      h(
        'h2',
        { id: 'headline' },
        `${whose} ${countedText(sessions.length, 'session')} cost `,
        h('strong', { class: 'cost' }, money(savings.billOfNone)),
        `. No policy that was tried had anything to condense in ${sessions.length === 1 ? 'it' : 'them'}, so none saves anything.`,
      ),
      h('p', { class: 'note' }, ...notes(data, sessions, price)),
    );
  const isNone = row === none;
  const saved = savedWithRereads(savings);
  const worst = savings.inLoop.evidence?.worst ?? savings.worstWithRereads;
  const asksModel = row.summariserCalls.inputTokens > 0;
  const sentence = h(
    'h2',
    { id: 'headline' },
    `${whose} ${countedText(sessions.length, 'session')} cost `,
    h('strong', { class: 'cost' }, money(savings.billOfNone)),
    ...(isNone
      ? [
          policy === undefined
            ? `. No condenser that was tried makes ${sessions.length === 1 ? 'it' : 'them'} cheaper.`
            : '. No condenser is chosen.',
        ]
      : [
          '. With ',
          h('strong', {}, row.condenser),
          sessions.length === 1 ? ' it would cost ' : ' they would cost ',
          h('strong', { class: 'saving' }, money(savings.billOfNone * (1 - saved))),
          ', with what is read again, and ',
          h('strong', { class: 'forgotten' }, figure(1 - row.recall, percentText)),
          ` ${asksModel ? 'at most ' : ''}of what later calls used would have been forgotten.`,
        ]),
  );
  return h(
    'section',
    { class: 'headline', 'aria-labelledby': 'headline' },
    sentence,
    h(
      'div',
      { class: 'cards' },
      card(
        'saved',
        figure(saved, percentText),
        'of the bill of the input, if what a call needs is read again before it',
      ),
      card(
        'saved without re-reads',
        figure(savings.pooled, percentText),
        h('span', {}, 'if nothing is read again: ', money(savings.bill)),
      ),
      card(
        'worst session',
        figure(worst, percentText),
        worst < 0 ? 'there it costs more than doing nothing' : 'saved in the session that saves least',
      ),
      card(
        'still in view',
        figure(row.recall, (share) => `${asksModel ? '≥ ' : ''}${percentText(share)}`),
        'of what later calls took from old results',
      ),
      card(
        'missed',
        figure(row.faultsPerHundredCalls, (faults) => faults.toFixed(1)),
        'old results in 100 calls, needed and not shown',
      ),
    ),
    h('p', { class: 'note' }, ...notes(data, sessions, price)),
  );
}

function card(title: string, value: HTMLElement, text: string | HTMLElement): HTMLElement {
  return h(
    'div',
    { class: 'card' },
    h('div', { class: 'card-title' }, title),
    h('div', { class: 'card-value' }, value),
    h('div', { class: 'card-text' }, text),
  );
}

function notes(
  { priced, older, sessions: all, uncondensed, skippedFiles, prices, contextWindow }: PageState['data'],
  chosen: readonly number[],
  price: number,
): readonly string[] {
  const sessions = chosen.flatMap((index) => all[index] ?? []);
  const pricing = pricingText(sessions, priced, (count) => countedText(count, 'session'));
  const compacted = sessions.filter(({ recordedCompactions }) => recordedCompactions > 0).length;
  return [
    price === 0
      ? `The bill is of the input, ${pricing}. Prompt caches are counted, answers of the model are not. `
      : `Prices are shares of an uncached input token (${prices[price]?.name ?? ''}). `,
    'Replayed from the logs: the agent itself saw everything. ',
    contextWindow === undefined
      ? ''
      : `The condensers were told of a window of ${contextWindow.toLocaleString('en-US')} tokens. `,
    compacted === 0
      ? ''
      : `${countedText(compacted, 'session')} had been compacted by the recording agent; here nothing but the condenser forgets. `,
    uncondensed === 0
      ? ''
      : `${countedText(uncondensed, 'session')}, in which no policy had anything to condense, ${uncondensed === 1 ? 'is' : 'are'} not counted. `,
    older === 0 ? '' : `${countedText(older, 'older session')} were left out. `,
    skippedFiles === 0 ? '' : `${countedText(skippedFiles, 'file')} held no session. `,
  ];
}
