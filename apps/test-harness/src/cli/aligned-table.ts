import { widthOf } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';

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
export function shareText(share: number | undefined): string {
  return share === undefined ? '–' : percent(share);
}

/** Formats a ratio, with a dash where it says nothing. */
export function ratio(value: number | undefined): string {
  return value?.toFixed(2) ?? '–';
}

/** Formats a count or a size. */
export function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** Formats a count with its noun, which takes an s. */
export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}
