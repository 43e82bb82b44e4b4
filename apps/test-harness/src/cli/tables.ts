import type { Colours } from '@palimpsest/terminal';
import type { NeedName } from '../measure/needs.js';
import { pairedRows } from '../replay/paired.js';
import type { PairedDifference } from '../replay/paired.js';
import { reportRows, tokenUnit } from '../replay/report.js';
import type { ReplayRow } from '../replay/report.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { ruleRegrets } from '../replay/savings.js';
import type { Regret, Savings } from '../replay/savings.js';
import { alignedTable, count, number, percent, ratio, shareText } from './aligned-table.js';

/** Options of {@link reportTables}. */
export interface TableOptions {
  /** True if every table is shown, not the first one alone. */
  readonly all: boolean;
  /** True if condensers that call a model got a stand-in, so that they forget at most what is shown. */
  readonly hasStandIn: boolean;
  readonly colours: Pick<Colours, 'bold'>;
}

/** A column: its head, and its cell in the row of a policy. */
type Column = readonly [head: string, cell: (row: ReplayRow) => string];

/**
 * Formats what the sessions came to as text below a title. One table says what each policy saves and forgets. With `all`, further tables
 * follow: the loop and the bill by prices, the parts of the bill, the regret of when it acted, recall, recall by distance, further looks, the
 * requests, and the differences between the policies.
 */
export function reportTables(
  sessions: readonly ReplayedSession[],
  { all, hasStandIn, colours: { bold } }: TableOptions,
): string {
  const rows = reportRows(sessions);
  const [first] = rows;
  const main = first?.savings[0]?.prices ?? '';
  const title = `${count(first?.sessions ?? 0, 'session')}, ${count(first?.modelCalls ?? 0, 'model call')}; saved of the bill at ${main}`;
  const table = (name: string, columns: readonly Column[]): string => {
    const lines = rows.map((row) => [row.condenser, ...columns.map(([, cell]) => cell(row))]);
    return alignedTable([[name, ...columns.map(([head]) => head)], ...lines], bold);
  };
  const summary = table('', [
    ...dollarColumns(first),
    ['saved in the loop', ({ savings: [savings] }) => shareText(savings?.inLoop.evidence?.pooled)],
    ['worst session', ({ savings: [savings] }) => shareText(savings?.inLoop.evidence?.worst)],
    ['open loop', ({ savings: [savings] }) => percent(savings?.pooled ?? 0)],
    ['forgotten', (row) => `${hasStandIn && row.summariserCalls.calls > 0 ? '≤ ' : ''}${percent(1 - row.recall)}`],
    ['faults/100 calls', ({ faultsPerHundredCalls }) => faultsPerHundredCalls.toFixed(1)],
    ['tokens', ({ share }) => percent(share)],
  ]);
  if (!all) return `${title}\n${summary}`;

  const needs = Object.keys(first?.savings[0]?.inLoop ?? {}) as NeedName[];
  const loops = needs.flatMap((need) => [
    table(`in the loop, by ${need}`, [
      ...priceColumns(first, (savings) => shareText(savings?.inLoop[need]?.pooled)),
      ['re-reads/100 calls', ({ rereads }) => (rereads[need]?.stepsPerHundredCalls ?? 0).toFixed(1)],
      ['results', ({ rereads }) => number(rereads[need]?.results ?? 0)],
      ['tokens', ({ rereads }) => number(rereads[need]?.tokens ?? 0)],
      ['booked', ({ rereads }) => shareText(rereads[need]?.booked)],
    ]),
    table(
      `> 2 % dearer, by ${need}`,
      (first?.savings ?? []).flatMap(({ prices }, index): readonly Column[] => [
        [prices, ({ savings }) => number(savings[index]?.inLoop[need]?.dearer ?? 0)],
        ['worst', ({ savings }) => shareText(savings[index]?.inLoop[need]?.worst)],
      ]),
    ),
  ]);
  const bill = table('saved, open loop', [
    ...priceColumns(first, (savings) => percent(savings?.pooled ?? 0)),
    ['with re-reads', ({ savings: [savings] }) => percent(savings?.withRereads ?? 0)],
    ['mean', ({ savings: [savings] }) => percent(savings?.mean ?? 0)],
    ['worst session', ({ savings: [savings] }) => percent(savings?.worst ?? 0)],
    ['captured', ({ savings: [savings] }) => ratio(savings?.captured)],
    ['dearer', ({ savings: [savings] }) => number(savings?.dearer ?? 0)],
  ]);
  const hasLife = rows.some(({ savings: [savings] }) => savings?.withLife !== undefined);
  const parts = table(`more of the bill at ${main}`, [
    ['cache with marks', ({ savings: [savings] }) => percent(savings?.atMarks ?? 0)],
    ...(hasLife
      ? [['and a life of 5 minutes', ({ savings: [savings] }) => percent(savings?.withLife ?? 0)] satisfies Column]
      : []),
    ['own model: calls', ({ summariserCalls }) => number(summariserCalls.calls)],
    ['tokens', ({ summariserCalls }) => number(summariserCalls.inputTokens + summariserCalls.outputTokens)],
    ['share', ({ savings: [savings] }) => percent((savings?.summariserBill ?? 0) / (savings?.bill || 1))],
    ['agent’s output, in no bill', ({ agentOutputTokens }) => number(agentOutputTokens)],
  ]);
  const regret = alignedTable(
    [
      ['regret of when', ...(first?.savings ?? []).flatMap(({ prices }) => [prices, 'worst'])],
      ...rows.map(({ condenser, savings }) => [condenser, ...regretCells(savings.map((each) => each.regret))]),
      ...ruleRegrets(sessions).map((each) => [each.rule, ...regretCells(each.regret)]),
    ],
    bold,
  );
  const memory = table('recall', [
    ['all', ({ recall }) => percent(recall)],
    ['identifiers', ({ recallByKind }) => percent(recallByKind.identifier)],
    ['anchors', ({ recallByKind }) => percent(recallByKind.anchor)],
    ['numbers', ({ recallByKind }) => percent(recallByKind.number)],
    ['in stubs alone', ({ recallInStubs }) => percent(recallInStubs)],
    ['NG', ({ normalisedGain }) => ratio(normalisedGain)],
    ['never shown', ({ neverShown }) => number(neverShown)],
  ]);
  const looks = table('further looks', [
    ['quoted runs', ({ looks: found }) => shareText(found?.quotes)],
    ['NG', ({ looks: found }) => ratio(found?.normalisedGainByQuotes)],
    ['hard edits', ({ looks: found }) => shareText(found?.hardEdits)],
    ['of', ({ looks: found }) => number(found?.hardEditCount ?? 0)],
    ['false re-reads', ({ looks: found }) => shareText(found?.falseRereads)],
    ['user’s words', ({ userWords }) => percent(userWords.messages)],
    ['all in a request', ({ userWords }) => percent(userWords.requests)],
  ]);
  const largeHead = table('head of 20,000, r = 0.05', [
    ['saved, open loop', ({ looks: found }) => shareText(found?.largeHead.saved)],
    ['recall', ({ looks: found }) => shareText(found?.largeHead.recall)],
    ['quoted runs', ({ looks: found }) => shareText(found?.largeHead.quotes)],
  ]);
  const distances = Object.keys(first?.recallByDistance ?? {});
  const byDistance = table(
    'recall by distance in calls',
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
    ['refused lists', ({ refusedLists }) => number(refusedLists)],
    ['our time (ms/call)', ({ millisecondsPerCall }) => millisecondsPerCall.toFixed(2)],
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
  const head = ['95 %', 'same sign'];
  const prices = paired.rows[0]?.saved[0]?.prices ?? '';
  const title = `Beside ${paired.beside}, in points; saved at ${prices}`;
  const differences = alignedTable(
    [
      ['', 'in the loop', ...head, 'recall', ...head],
      ...paired.rows.map(({ condenser, saved: [saved], recall }) => [condenser, ...cells(saved), ...cells(recall)]),
    ],
    bold,
  );
  return [`${title}\n${differences}`];
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
