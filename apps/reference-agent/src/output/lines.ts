import { printableText } from '@palimpsest/terminal';

/** A line for people. A surface styles and wraps it, prefixes it or prints it. */
export interface Line {
  /** Text on one line. It may be untrusted: the surface makes it printable. */
  readonly text: string;
  /** Text of the program before it, such as the number of a line. What is wrapped goes on behind it. @defaultValue none */
  readonly lead?: string;
  /** Unit: columns. @defaultValue 0 */
  readonly indent?: number;
  /** @defaultValue 'plain' */
  readonly style?: 'plain' | 'dim' | 'strong' | 'hidden' | 'added' | 'removed' | 'problem';
  /** True: each space counts, as in code, so it is broken at the last column and not between words. @defaultValue false */
  readonly isVerbatim?: boolean;
}

/** Something long to read. */
export interface Page {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** An item of a choice. */
export interface Choice {
  readonly label: string;
  readonly detail?: string;
  readonly value: string;
}

/** Returns a text as lines that share their other fields. */
export function textLines(text: string, line: Omit<Line, 'text'> = {}): readonly Line[] {
  // Most texts hold no carriage return, and a search for one character is much faster.
  const lines = text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n');
  return lines.map((each) => ({ text: each, ...line }));
}

const signs: Readonly<Partial<Record<NonNullable<Line['style']>, string>>> = {
  added: '+ ',
  removed: '- ',
  hidden: '(hidden) ',
  problem: '! ',
};

/** Returns a line without colours, ready to be printed, in which a sign says what a colour says elsewhere. Tabs are kept. */
export function uncoloured({ text, lead = '', indent = 0, style = 'plain' }: Line): string {
  return ' '.repeat(indent) + (signs[style] ?? '') + printableWithTabs(lead + text);
}

/** Makes a text printable. Tabs are kept: they are no danger, and part of what is quoted. */
export function printableWithTabs(text: string): string {
  return text.split('\t').map(printableText).join('\t');
}

/** Made with the first number: the tables of a language take longer to load than all of our own code that prints. */
let numbers: Intl.NumberFormat | undefined;

/** Returns a number as people read it: `12,345`. */
export function formatNumber(count: number): string {
  numbers ??= new Intl.NumberFormat('en-US');
  return numbers.format(count);
}

/** Returns a number of tokens in thousands or millions: `12.3k`. */
export function formatThousands(tokens: number): string {
  if (tokens < 999_500) return `${(tokens / 1_000).toFixed(tokens < 99_950 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(tokens % 1_000_000 === 0 ? 0 : 1)}M`;
}

/** Returns an amount of money with as many places as say something: `$1.50`, `$0.0123`. Unit: USD. */
export function formatDollars(amount: number | undefined): string {
  if (amount === undefined) return 'unknown';
  const size = Math.abs(amount);
  const places = size === 0 || size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.001 ? 4 : 6;
  return `${amount < 0 ? '−' : ''}$${size.toFixed(places)}`;
}

/** Returns a share from 0 to 1: `12 %`. */
export function formatShare(share: number | undefined): string {
  return share === undefined ? 'unknown' : `${(100 * share + 0).toFixed(0)} %`;
}

/** Returns a count of tokens, rounded. */
export function formatTokens(count: number): string {
  return formatCount(Math.round(count), 'token');
}

/** Returns a count with its noun. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Aligns rows in columns, the first and the last to the left, those between to the right. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
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
