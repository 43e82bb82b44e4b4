/** Prints a table in Markdown, padded as prettier does it. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  console.log([line(head), rule, ...rows.map(line)].join('\n') + '\n');
}

/** A number as a reader wants it: two digits that matter, or all before the point. Without one, a dash. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '—';
  const size = Math.abs(value);
  if (size >= 10) return Math.round(value).toLocaleString('en');
  if (size < 0.005) return '0';
  return String(Number(value.toFixed(size >= 1 ? 1 : 2)));
}
