import { widthOf } from './text.js';
import type { Colours } from './text.js';

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
