import { alignedTable } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { NeedName } from '../measure/needs.js';
import { pairedRows } from '../replay/paired.js';
import type { PairedDifference } from '../replay/paired.js';
import { reportRows, tokenUnit } from '../replay/report.js';
import type { ReplayRow } from '../replay/report.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { ruleRegrets } from '../replay/savings.js';
import type { Regret, Savings } from '../replay/savings.js';
import { count, number, percent, ratio, shareText } from './number-text.js';

/** Options of {@link reportTables}. */
export interface TableOptions {
  /** True if every table is shown, not the first one alone. */
  readonly all: boolean;
  /** True if condensers that call a model got a stand-in, so that they forget at most what is shown. */
  readonly hasStandIn: boolean;
  readonly colours: Pick<Colours, 'bold'>;
}

/** The models of what a call needs of an old result, in words. */
const needLegends: Readonly<Record<NeedName, string>> = {
  evidence:
    'By evidence: a call needs paths, names, lines and numbers that it took from old results. Recognised: by the condenser.',
  quotes: 'By quotes: a call needs the runs of words that it repeats.',
  newest: 'By newest: a call needs the newest result of the same call, and of each file that it names.',
};

/** A column: its head, and its cell in the row of a policy. */
type Column = readonly [head: string, cell: (row: ReplayRow) => string];

/**
 * Formats what the sessions came to as text below a title. One table says what each policy saves and forgets. With `all`, further tables
 * follow: what is saved by prices, the parts of the bill, what the timing costs, what is still in view, by age, other measures, the requests,
 * and the differences between the policies. Below a table stands what its heads mean.
 */
export function reportTables(
  sessions: readonly ReplayedSession[],
  { all, hasStandIn, colours: { bold } }: TableOptions,
): string {
  const rows = reportRows(sessions);
  const [first] = rows;
  const main = first?.savings[0]?.prices ?? '';
  const title = `${count(first?.sessions ?? 0, 'session')}, ${count(first?.modelCalls ?? 0, 'model call')}; saved is a share of the bill at ${main}`;
  const table = (name: string, columns: readonly Column[], legend?: string): string => {
    const lines = rows.map((row) => [row.condenser, ...columns.map(([, cell]) => cell(row))]);
    const text = alignedTable([[name, ...columns.map(([head]) => head)], ...lines], bold);
    return legend === undefined ? text : `${text}\n${legend}`;
  };
  const summary = table('', [
    ...dollarColumns(first),
    ['saved with re-reads', ({ savings: [savings] }) => shareText(savings?.inLoop.evidence?.pooled)],
    ['worst session', ({ savings: [savings] }) => shareText(savings?.inLoop.evidence?.worst)],
    ['without re-reads', ({ savings: [savings] }) => percent(savings?.pooled ?? 0)],
    ['forgotten', (row) => forgottenText(row, hasStandIn)],
    ['missed/100 calls', ({ faultsPerHundredCalls }) => faultsPerHundredCalls.toFixed(1)],
    ['tokens sent', ({ share }) => percent(share)],
  ]);
  if (!all) return `${title}\n${summary}`;

  const needs = Object.keys(first?.savings[0]?.inLoop ?? {}) as NeedName[];
  const loops = needs.flatMap((need) => [
    table(
      `saved with re-reads, by ${need}`,
      [
        ...priceColumns(first, (savings) => shareText(savings?.inLoop[need]?.pooled)),
        ['re-reads/100 calls', ({ rereads }) => (rereads[need]?.stepsPerHundredCalls ?? 0).toFixed(1)],
        ['results', ({ rereads }) => number(rereads[need]?.results ?? 0)],
        ['tokens', ({ rereads }) => number(rereads[need]?.tokens ?? 0)],
        ['recognised', ({ rereads }) => shareText(rereads[need]?.booked)],
      ],
      needLegends[need],
    ),
    table(
      `sessions > 2 % dearer, by ${need}`,
      (first?.savings ?? []).flatMap(({ prices }, index): readonly Column[] => [
        [prices, ({ savings }) => number(savings[index]?.inLoop[need]?.dearer ?? 0)],
        ['worst', ({ savings }) => shareText(savings[index]?.inLoop[need]?.worst)],
      ]),
    ),
  ]);
  const bill = table(
    'saved without re-reads',
    [
      ...priceColumns(first, (savings) => percent(savings?.pooled ?? 0)),
      ['with estimate', ({ savings: [savings] }) => percent(savings?.withRereads ?? 0)],
      ['session mean', ({ savings: [savings] }) => percent(savings?.mean ?? 0)],
      ['worst', ({ savings: [savings] }) => percent(savings?.worst ?? 0)],
      ['of optimum', ({ savings: [savings] }) => ratio(savings?.captured)],
      ['dearer', ({ savings: [savings] }) => number(savings?.dearer ?? 0)],
    ],
    'With estimate: what is missed is read again, by an estimate. Of optimum: the share of what the best possible drops save.',
  );
  const hasLife = rows.some(({ savings: [savings] }) => savings?.withLife !== undefined);
  const parts = table(
    'parts of the bill',
    [
      ['saved: cache marks', ({ savings: [savings] }) => percent(savings?.atMarks ?? 0)],
      ...(hasLife
        ? [['and 5 minutes’ life', ({ savings: [savings] }) => percent(savings?.withLife ?? 0)] satisfies Column]
        : []),
      ['own model’s calls', ({ summariserCalls }) => number(summariserCalls.calls)],
      ['tokens', ({ summariserCalls }) => number(summariserCalls.inputTokens + summariserCalls.outputTokens)],
      ['share of bill', ({ savings: [savings] }) => percent((savings?.summariserBill ?? 0) / (savings?.bill || 1))],
      ['agent’s output', ({ agentOutputTokens }) => number(agentOutputTokens)],
    ],
    `At ${main}. Cache marks: a cache that is read at four marks alone. Own model: calls of the condenser for summaries, and their\ntokens. The agent’s output is in no bill.`,
  );
  const timing = alignedTable(
    [
      ['cost of timing', ...(first?.savings ?? []).flatMap(({ prices }) => [prices, 'worst'])],
      ...rows.map(({ condenser, savings }) => [condenser, ...regretCells(savings.map((each) => each.regret))]),
      ...ruleRegrets(sessions).map((each) => [`rule: ${each.rule}`, ...regretCells(each.regret)]),
    ],
    bold,
  );
  const regret = `${timing}\nWhat acting at other calls than the best ones costs, in the mean and worst session. Rules are no condensers: RENT knows no\nfuture; insured, no session may become more than 2 % dearer.`;
  const memory = table(
    'still in view',
    [
      ['all', ({ recall }) => percent(recall)],
      ['paths, names', ({ recallByKind }) => percent(recallByKind.identifier)],
      ['lines to edit', ({ recallByKind }) => percent(recallByKind.anchor)],
      ['numbers', ({ recallByKind }) => percent(recallByKind.number)],
      ['only abridged', ({ recallInStubs }) => percent(recallInStubs)],
      ['gain', ({ normalisedGain }) => ratio(normalisedGain)],
      ['hidden unread', ({ neverShown }) => number(neverShown)],
    ],
    'Of what later calls took from old results. Only abridged: in masks and summaries alone. Gain: 0 is what the newest events of\nthis size show, 1 what a view that knows the future shows. Hidden unread: results that no request had shown before.',
  );
  const looks = table(
    'other measures',
    [
      ['quotes in view', ({ looks: found }) => shareText(found?.quotes)],
      ['gain', ({ looks: found }) => ratio(found?.normalisedGainByQuotes)],
      ['exact edits', ({ looks: found }) => shareText(found?.hardEdits)],
      ['number', ({ looks: found }) => number(found?.hardEditCount ?? 0)],
      ['false re-reads', ({ looks: found }) => shareText(found?.falseRereads)],
      ['user’s words', ({ userWords }) => percent(userWords.messages)],
      ['all of them', ({ userWords }) => percent(userWords.requests)],
    ],
    'Quotes: runs of words that a later call repeats. Exact edits: of text that was read long ago and is still whole in view.\nFalse re-reads look like re-reads, though nothing was forgotten. User’s words: messages that a request shows whole.',
  );
  const largeHead = table(
    '20,000 tokens of instructions',
    [
      ['saved without re-reads', ({ looks: found }) => shareText(found?.largeHead.saved)],
      ['still in view', ({ looks: found }) => shareText(found?.largeHead.recall)],
      ['quotes in view', ({ looks: found }) => shareText(found?.largeHead.quotes)],
    ],
    'If every request begins with so many tokens of instructions and tools; at r = 0.05.',
  );
  const distances = Object.keys(first?.recallByDistance ?? {});
  const byDistance = table(
    'still in view, by age in calls',
    distances.map((least, index): Column => {
      const next = distances[index + 1];
      const range = next === undefined ? `${least}+` : `${least}–${Number(next) - 1}`;
      return [range, ({ recallByDistance }) => percent(recallByDistance[least] ?? 1)];
    }),
  );
  const requests = table(`requests (${tokenUnit})`, [
    ['tokens sent', ({ tokensSent }) => number(tokensSent)],
    ['average', ({ averageTokens }) => number(Math.round(averageTokens))],
    ['peak', ({ peakTokens }) => number(peakTokens)],
    ['condensations', ({ condensations }) => number(condensations)],
    ['prefix rewrites', ({ prefixRewrites }) => number(prefixRewrites)],
    ['overflows', ({ overflows }) => number(overflows)],
    ['refused', ({ refusedLists }) => number(refusedLists)],
    ['ms/call', ({ millisecondsPerCall }) => millisecondsPerCall.toFixed(2)],
  ]);
  const more = [
    ...loops,
    bill,
    parts,
    regret,
    memory,
    byDistance,
    looks,
    largeHead,
    requests,
    ...pairedTable(sessions, bold),
  ];
  return [title, [summary, ...more].join('\n\n')].join('\n');
}

/** Formats what a policy forgot; with a stand-in for its model, at most that. */
export function forgottenText({ summariserCalls, recall }: ReplayRow, hasStandIn: boolean): string {
  return `${hasStandIn && summariserCalls.calls > 0 ? '≤ ' : ''}${percent(1 - recall)}`;
}

function regretCells(regret: readonly Regret[]): readonly string[] {
  return regret.flatMap(({ mean, worst }) => [percent(mean), percent(worst)]);
}

/** Formats the differences between the first policy and the others. There is no table without two of them and two sessions. */
function pairedTable(sessions: readonly ReplayedSession[], bold: Colours['bold']): readonly string[] {
  const paired = pairedRows(sessions);
  if (paired === undefined) return [];
  const cells = (found: PairedDifference | undefined): readonly string[] =>
    found === undefined
      ? ['–', '–', '–']
      : [
          points(found.difference),
          `${points(found.low)} to ${points(found.high)}`,
          `${found.sameSign} of ${found.differing}`,
        ];
  const head = ['95 % interval', 'same sign'];
  const prices = paired.rows[0]?.saved[0]?.prices ?? '';
  const title = `Compared with ${paired.beside}, in percentage points; saved at ${prices}`;
  const differences = alignedTable(
    [
      ['', 'saved with re-reads', ...head, 'still in view', ...head],
      ...paired.rows.map(({ condenser, saved: [saved], recall }) => [condenser, ...cells(saved), ...cells(recall)]),
    ],
    bold,
  );
  const legend =
    'The interval holds 95 % of what other choices of the sessions give. Same sign: sessions that differ as the whole does.';
  return [`${title}\n${differences}\n${legend}`];
}

/** Formats a difference of shares as points of per cent, with its sign. */
function points(difference: number): string {
  const text = (100 * difference).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return difference > 0 ? `+${text}` : text;
}

/** A column for each row of prices. */
function priceColumns(first: ReplayRow | undefined, cell: (savings: Savings | undefined) => string): readonly Column[] {
  return (first?.savings ?? []).map(({ prices }, index): Column => [prices, ({ savings }) => cell(savings[index])]);
}

function dollarColumns(first: ReplayRow | undefined): readonly Column[] {
  return (first?.savings ?? []).flatMap(({ unit, prices }, index): readonly Column[] =>
    unit === 'USD' ? [[`USD, ${prices}`, ({ savings }) => savings[index]?.bill.toFixed(2) ?? '']] : [],
  );
}
