import { shownNumber } from '../output/shown-number.js';

/** An amount of dollars, with as many places as tell something. */
export function dollars(amount: number | undefined): string {
  if (amount === undefined) return 'unknown';
  const size = Math.abs(amount);
  const places = size === 0 || size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.001 ? 4 : 6;
  return `${amount < 0 ? '-' : ''}$${size.toFixed(places)}`;
}

/** A share from 0 to 1. */
export function percent(share: number | undefined): string {
  return share === undefined ? 'unknown' : `${(100 * share + 0).toFixed(0)} %`;
}

/** Tokens, rounded. */
export function tokens(count: number): string {
  return `${shownNumber(Math.round(count))} tokens`;
}

/** A count with its noun. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Rows in columns, the first and the last to the left, those between to the right. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 || column === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
