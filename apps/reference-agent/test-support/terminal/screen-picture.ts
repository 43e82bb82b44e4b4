import type { Cell } from './emulated-screen.js';

/** Unit: pixels. */
const cellWidth = 8.4;
const cellHeight = 18;
const fontSize = 14;
const margin = 12;
const background = '#0d1117';
const foreground = '#d1d7e0';
/** The first sixteen colours of the palette. */
const named = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
];

/**
 * Returns a picture (SVG) of a terminal's cells. The same cells give the same text; blank lines at the end are left
 * out.
 *
 * @param title - what the picture shows, for readers who cannot see it
 */
export function screenPicture(cells: readonly (readonly Cell[])[], title: string): string {
  const last = cells.findLastIndex((line) =>
    line.some((cell) => cell.text.trim() !== '' || ground(cell) !== undefined),
  );
  const lines = cells.slice(0, last + 1);
  const columns = cells[0]?.length ?? 0;
  const width = Math.ceil(columns * cellWidth + 2 * margin);
  const height = lines.length * cellHeight + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}" fill="${foreground}">`,
    ...lines.flatMap((line, row) => [...grounds(line, row), ...texts(line, row)]),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Cells of a line, one after the other, that look alike. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly cells: readonly Cell[];
}

function runs(line: readonly Cell[], look: (cell: Cell) => string | undefined): readonly Run[] {
  const found: { from: number; to: number; cells: Cell[]; look: string }[] = [];
  for (const [column, cell] of line.entries()) {
    const own = cell.width === 0 ? found.at(-1)?.look : look(cell);
    const run = found.at(-1);
    if (run !== undefined && run.to === column && run.look === own) {
      run.to += 1;
      run.cells.push(cell);
    } else if (own !== undefined) found.push({ from: column, to: column + 1, cells: [cell], look: own });
  }
  return found;
}

function grounds(line: readonly Cell[], row: number): readonly string[] {
  return runs(line, ground).map(({ from, to, cells: [cell] }) => {
    const place = `x="${x(from)}" y="${margin + row * cellHeight}" width="${round((to - from) * cellWidth)}"`;
    return `<rect ${place} height="${cellHeight}" fill="${(cell && ground(cell)) ?? background}"/>`;
  });
}

function texts(line: readonly Cell[], row: number): readonly string[] {
  return runs(line, (cell) => (isBlank(cell) ? undefined : style(cell))).map(({ from, to, cells }) => {
    const words = cells.map((cell) => (cell.width === 0 ? '' : cell.text === '' ? ' ' : cell.text)).join('');
    const place = `x="${x(from)}" y="${margin + row * cellHeight + 13}" textLength="${round((to - from) * cellWidth)}"`;
    const looks = cells[0] === undefined ? '' : style(cells[0]);
    return `<text ${place} xml:space="preserve"${looks}>${escaped(words)}</text>`;
  });
}

function isBlank(cell: Cell): boolean {
  return cell.text.trim() === '' && !cell.isUnderlined && !cell.isStruckThrough;
}

/** The colour behind a cell, where it is not the terminal's own. */
function ground(cell: Cell): string | undefined {
  return cell.isInverse ? (hex(cell.foreground) ?? foreground) : hex(cell.background);
}

function style(cell: Cell): string {
  const ink = cell.isInverse ? (hex(cell.background) ?? background) : hex(cell.foreground);
  const line = [...(cell.isUnderlined ? ['underline'] : []), ...(cell.isStruckThrough ? ['line-through'] : [])].join(
    ' ',
  );
  return [
    ink === undefined ? '' : ` fill="${ink}"`,
    cell.isBold ? ' font-weight="bold"' : '',
    cell.isItalic ? ' font-style="italic"' : '',
    cell.isDim ? ' opacity="0.6"' : '',
    line === '' ? '' : ` text-decoration="${line}"`,
  ].join('');
}

/** The colours of xterm's palette: 16 named ones, a cube of 216, 24 greys. */
function hex(colour: number | string | undefined): string | undefined {
  if (typeof colour !== 'number') return colour;
  if (colour < 16) return named[colour];
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = colour - 16;
  const grey = 8 + 10 * (colour - 232);
  const parts =
    colour < 232 ? [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level) : [grey, grey, grey];
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function x(column: number): number {
  return round(margin + column * cellWidth);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '');
}
