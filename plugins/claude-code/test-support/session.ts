import type { SessionRow } from '../src/host.js';

/** Rows as Claude Code hands them to `session.compact`: the shapes are recorded, the texts are made up. */
export function sessionRowsOf(steps: number, { chars = 400, handles = true } = {}): SessionRow[] {
  const rows: SessionRow[] = [
    said('user', 'Read the files of the shop and find the wrong price. Never change a test.'),
  ];
  for (let step = 0; step < steps; step++) rows.push(...stepRows(step, chars));
  return handles ? withHandles(rows) : rows;
}

/** Gives every row a handle, as the engine does anew at each call. */
export function withHandles(rows: readonly SessionRow[], name = 'row'): SessionRow[] {
  return rows.map((row, index) => ({ ...row, handle: `${name}-${index}` }));
}

/** A thinking block, which is a row without text; words at each third step; a call; its result. */
export function stepRows(step: number, chars = 400): SessionRow[] {
  const words = step % 3 === 0 ? [said('assistant', `I read file ${step} now.`)] : [];
  if (step % 5 === 4) return [said('assistant', ''), ...words, ...parallelCalls(step, chars)];
  const isError = step % 7 === 3;
  return [
    said('assistant', ''),
    ...words,
    call(`toolu_${step}`, step),
    result(`toolu_${step}`, isError ? 'File does not exist.' : fileText(step, chars), isError),
  ];
}

/** Claude Code runs a call while the next one still arrives: the first result stands between them. */
function parallelCalls(step: number, chars: number): SessionRow[] {
  const [first, second, third] = ['a', 'b', 'c'].map((name) => `toolu_${step}${name}`) as [string, string, string];
  return [
    ...[call(first, step), call(second, step + 1), result(first, fileText(step, chars))],
    ...[call(third, step + 2), result(third, fileText(step + 2, chars)), result(second, fileText(step + 1, chars))],
  ];
}

export function said(role: SessionRow['role'], text: string): SessionRow {
  return { role, text, toolUses: [] };
}

export function call(tool_use_id: string, file: number): SessionRow {
  const use = { tool_use_id, tool: 'Read', input: { file_path: `/shop/src/file-${file}.ts` } };
  return { role: 'assistant', text: '', toolUses: [use] };
}

export function result(tool_use_id: string, text: string, isError = false): SessionRow {
  return { role: 'user', text: '', toolUses: [], toolResults: [{ tool_use_id, text, isError }] };
}

export function fileText(file: number, chars: number): string {
  return `export const price${file} = ${file}.5; // the price of article ${file}\n`.repeat(Math.ceil(chars / 50));
}
