/**
 * What `palimpsest-harness replay --json` found, as a table for a first look.
 *
 * @typedef {{ readonly prices: string, readonly pooled: number }} Saving
 * @typedef {{ readonly condenser: string, readonly tokensSent: number, readonly recall: number, readonly savings: readonly Saving[] }} Row
 * @param {{ readonly rows: readonly Row[] }} report
 * @returns {readonly string[]}
 */
export function replayLines({ rows }) {
  const cells = rows.map(({ condenser, tokensSent, recall, savings }) => [
    condenser === 'priced' ? 'priced (the one of the demo)' : condenser,
    percent(savings.find(({ prices }) => prices === 'r = 0.1')?.pooled ?? 0),
    tokensSent.toLocaleString('en-US'),
    percent(recall),
  ]);
  return [
    'The same session replayed, with condensers whose sizes are as small as it is:',
    ...aligned([['', 'saved of the bill', 'tokens sent', 'recall'], ...cells]),
    'Fewer tokens are no smaller bill: recentEvents rewrites at each step what the provider has cached.',
    'Recall: the share of what later calls took from old results that was still to be read.',
    'Figures differ from those above: each condenser decides anew, tokens are counted, not estimated, and',
    'the bill is of input alone.',
  ];
}

/** @param {number} share */
function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/**
 * Cells in columns, the first to the left and the others to the right.
 *
 * @param {readonly (readonly string[])[]} rows
 */
function aligned(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   '),
  );
}
