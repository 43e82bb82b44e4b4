import Table from 'cli-table3';
import type { Regret, ReplayRow } from './replay-report.js';
import { tokenUnit } from './token-unit.js';

/** The rows as tables of text below a title: what each condenser saves, what it forgets, and how it behaved. */
export function reportTable(
  rows: readonly ReplayRow[],
  rent: readonly (Regret & { readonly prices: string })[],
  options: { readonly colour: boolean },
): string {
  const [first] = rows;
  const prices = (first?.savings ?? []).map((savings) => savings.prices);
  const [main = ''] = prices;
  const dollars = first?.savings.filter(({ unit }) => unit === 'USD').map((savings) => savings.prices) ?? [];
  const title = `${count(first?.sessions ?? 0, 'session')}, ${count(first?.modelCalls ?? 0, 'model call')}`;
  const money = table(
    [
      'saved of the bill',
      ...dollars.map((name) => `USD\n${name}`),
      ...prices,
      `with re-reads\n${main}`,
      `mean\n${main}`,
      `worst\n${main}`,
      'captured',
      'dearer',
    ],
    rows.map(({ condenser, savings }) => [
      condenser,
      ...savings.filter(({ unit }) => unit === 'USD').map(({ bill }) => bill.toFixed(2)),
      ...savings.map(({ pooled }) => percent(pooled)),
      percent(savings[0]?.withRereads ?? 0),
      percent(savings[0]?.mean ?? 0),
      percent(savings[0]?.worst ?? 0),
      ratio(savings[0]?.captured),
      number(savings[0]?.dearer ?? 0),
    ]),
    options,
  );
  const hasLife = rows.some(({ savings }) => savings[0]?.withLife !== undefined);
  const more = table(
    [
      `more of the bill, ${main}`,
      'cache with\nmarks',
      ...(hasLife ? ['and a life of\n5 minutes'] : []),
      'own model:\ncalls',
      'tokens in\nand out',
      'share of\nthe bill',
      'agent’s output,\nin no bill',
      'regret of when,\nmean',
      'worst',
    ],
    rows.map(({ condenser, savings: [savings], summariserCalls, agentOutputTokens }) => [
      condenser,
      percent(savings?.atMarks ?? 0),
      ...(hasLife ? [percent(savings?.withLife ?? 0)] : []),
      number(summariserCalls.calls),
      number(summariserCalls.inputTokens + summariserCalls.outputTokens),
      percent(savings === undefined || savings.bill === 0 ? 0 : savings.summariserBill / savings.bill),
      number(agentOutputTokens),
      percent(savings?.regret.mean ?? 0),
      percent(savings?.regret.worst ?? 0),
    ]),
    options,
  );
  const memory = table(
    [
      'recall',
      'all',
      'identi-\nfiers',
      'anchors',
      'numbers',
      'in stubs\nalone',
      'NG',
      'faults per\n100 calls',
      'never\nshown',
      'tokens\nvs none',
    ],
    rows.map((row) => [
      row.condenser,
      percent(row.recall),
      percent(row.recallByKind.identifier),
      percent(row.recallByKind.anchor),
      percent(row.recallByKind.number),
      percent(row.recallInStubs),
      ratio(row.normalisedGain),
      row.faultsPerHundredCalls.toFixed(1),
      number(row.neverShown),
      percent(row.share),
    ]),
    options,
  );
  const distances = Object.keys(first?.recallByDistance ?? {});
  const byDistance = table(
    ['recall by distance', ...distances.map((least, index) => rangeOf(least, distances[index + 1]))],
    rows.map((row) => [row.condenser, ...distances.map((least) => percent(row.recallByDistance[least] ?? 1))]),
    options,
  );
  const behaviour = table(
    [
      'requests',
      `tokens sent\n(${tokenUnit})`,
      'average',
      'peak',
      'conden-\nsations',
      'prefix\nrewrites',
      'over-\nflows',
      'refused\nlists',
      'our time\n(ms/call)',
    ],
    rows.map((row) => [
      row.condenser,
      number(row.tokensSent),
      number(Math.round(row.averageTokens)),
      number(row.peakTokens),
      number(row.condensations),
      number(row.prefixRewrites),
      number(row.overflows),
      number(row.refusedLists),
      row.millisecondsPerCall.toFixed(2),
    ]),
    options,
  );
  const online = rent
    .map(({ prices, mean, worst }) => `${prices} ${percent(mean)}, worst ${percent(worst)}`)
    .join(' · ');
  const regret = `Regret of the rule RENT, which drops to 15,000 tokens when the rent is due: ${online}`;
  return [title, money, more, ...(rent.length > 0 ? [regret] : []), memory, byDistance, behaviour].join('\n');
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { colour }: { readonly colour: boolean },
): string {
  const shown = new Table({
    head: [...head],
    colAligns: ['left', ...Array<'right'>(head.length - 1).fill('right')],
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: colour ? { head: ['bold'], border: ['grey'] } : { head: [], border: [] },
  });
  shown.push(...rows.map((row) => [...row]));
  return shown.toString();
}

function rangeOf(least: string, next: string | undefined): string {
  return next === undefined ? `${least}+ calls` : `${least}–${Number(next) - 1}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** With a dash where it says nothing. */
function ratio(value: number | undefined): string {
  return value?.toFixed(2) ?? '–';
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
