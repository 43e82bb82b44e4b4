import type { Colours } from '@palimpsest/terminal';
import type { DiffLine, FileDiff } from '@palimpsest/tools/diff';
import { brokenAtWidth, columnsOf, harmless } from './shown-width.js';

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-', gap: '⋯' };

/** A diff in lines that begin with their number and `+`, `-` or a space, coloured too. Unit of `width`: columns. */
export function diffLines({ lines }: Pick<FileDiff, 'lines'>, width: number, colours: Colours): string[] {
  const digits = String(Math.max(0, ...lines.map(({ line = 0 }) => line))).length;
  // On a terminal that is too narrow for both, the text counts more than its number.
  const isNumbered = width >= digits + 22 && lines.some(({ line }) => line !== undefined);
  return lines.flatMap(({ kind, text, line }) => {
    const colour = colourOf(kind, colours);
    const number = isNumbered ? `${String(line ?? '').padStart(digits)} ` : '';
    const head = `${number}${signs[kind]} `;
    const [first = '', ...rest] = brokenAtWidth(harmless(text), width - columnsOf(head));
    return [colour(head + first), ...rest.map((more) => colour(' '.repeat(columnsOf(head)) + more))];
  });
}

/** How much a diff changes: `+3 −1`. */
export function diffSize({ added, removed }: FileDiff, colours: Colours): string {
  return `${colours.green(`+${added}`)} ${colours.red(`-${removed}`)}`;
}

function colourOf(kind: DiffLine['kind'], { green, red, dim }: Colours): (text: string) => string {
  switch (kind) {
    case 'added':
      return green;
    case 'removed':
      return red;
    case 'same':
      return String;
    case 'gap':
      return dim;
  }
}
