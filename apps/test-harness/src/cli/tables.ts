import { widthOf } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { NeedName } from '../measure/needs.js';
import { tokenUnit } from '../replay/report.js';
import type { ReplayRow } from '../replay/report.js';
import type { Regret, Savings } from '../replay/savings.js';

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
 * Formats the rows as text below a title. One table says what each policy saves and forgets. With `all`, further tables follow: the
 * loop and the bill by prices, the parts of the bill, recall, recall by distance, further looks, and the requests.
 *
 * @param rent - the regret of the rule RENT, by prices
 */
export function reportTables(
  rows: readonly ReplayRow[],
  rent: readonly (Regret & { readonly prices: string })[],
  { all, hasStandIn, colours }: TableOptions,
): string {
  const [first] = rows;
  const main = first?.savings[0]?.prices ?? '';
  const sessions = count(first?.sessions ?? 0, 'session');
  const title = `${sessions}, ${count(first?.modelCalls ?? 0, 'model call')}; saved of the bill at ${main}`;
  const table = (name: string, columns: readonly Column[]): string => {
    const lines = rows.map((row) => [row.condenser, ...columns.map(([, cell]) => cell(row))]);
    return alignedTable([[name, ...columns.map(([head]) => head)], ...lines], colours.bold);
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
  const loops = needs.map((need) =>
    table(`in the loop, by ${need}`, [
      ...priceColumns(first, (savings) => shareText(savings?.inLoop[need]?.pooled)),
      ['worst session', ({ savings: [savings] }) => shareText(savings?.inLoop[need]?.worst)],
      ['dearer', ({ savings: [savings] }) => number(savings?.inLoop[need]?.dearer ?? 0)],
      ['re-reads/100 calls', ({ rereads }) => (rereads[need]?.stepsPerHundredCalls ?? 0).toFixed(1)],
      ['results', ({ rereads }) => number(rereads[need]?.results ?? 0)],
      ['tokens', ({ rereads }) => number(rereads[need]?.tokens ?? 0)],
      ['booked', ({ rereads }) => shareText(rereads[need]?.booked)],
    ]),
  );
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
    ['regret of when: mean', ({ savings: [savings] }) => percent(savings?.regret.mean ?? 0)],
    ['worst', ({ savings: [savings] }) => percent(savings?.regret.worst ?? 0)],
  ]);
  const online = rent
    .map(({ prices, mean, worst }) => `${prices} ${percent(mean)}, worst ${percent(worst)}`)
    .join(' · ');
  const regret = `Regret of the rule RENT, which drops to 15,000 tokens when the rent is due: ${online}`;
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
    ['head of 20,000, r = 0.05: saved, open loop', ({ looks: found }) => shareText(found?.largeHead.saved)],
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
  const more = [...loops, bill, parts, ...(rent.length > 0 ? [regret] : []), memory, byDistance, looks, requests];
  return [title, [summary, ...more].join('\n\n')].join('\n');
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

/** Formats lines of cells as a table: the first cell on the left, the others on the right of their columns. The first line is the head. */
export function alignedTable(cells: readonly (readonly string[])[], bold: Colours['bold']): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => widthOf(line[column] ?? ''))));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return column === 0 ? cell + space : space + cell;
      })
      .join('  '),
  );
  return [bold(lines[0] ?? ''), ...lines.slice(1)].join('\n');
}

/** Formats a share as per cent. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Formats a share, with a dash where it was not measured. */
function shareText(share: number | undefined): string {
  return share === undefined ? '–' : percent(share);
}

/** Formats a ratio, with a dash where it says nothing. */
function ratio(value: number | undefined): string {
  return value?.toFixed(2) ?? '–';
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
