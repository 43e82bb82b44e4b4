import type { SessionRow } from './host.js';
import { bareRow, isBlankRow, isSessionRow, rowKey } from './rows.js';

/** A row of the transcript that a model reads, and its place in the transcript. */
export interface ReadRow {
  readonly row: SessionRow;
  readonly index: number;
}

/**
 * Returns the rows that a model reads, without thinking, in the order in which the engine sends them: a call that was made while another one was open belongs to the same answer, and its
 * results follow all calls of the answer. Undefined if a row has an unknown shape: such a list is not touched.
 */
export function readRows(messages: readonly SessionRow[]): readonly ReadRow[] | undefined {
  if (!messages.every(isSessionRow)) return undefined;
  const read: ReadRow[] = [];
  const open = new Set<string>();
  let results: ReadRow[] = [];
  messages.forEach((message, index) => {
    if (isBlankRow(message)) return;
    const one = { row: bareRow(message), index };
    const { role, toolUses, toolResults = [] } = one.row;
    if (role === 'assistant' && open.size > 0) read.push(one);
    else if (role === 'user' && toolResults.length > 0 && open.size > 0) results.push(one);
    else {
      read.push(...results, one);
      results = [];
    }
    for (const { tool_use_id: id } of toolUses) open.add(id);
    for (const { tool_use_id: id } of toolResults) open.delete(id);
    if (open.size === 0) {
      read.push(...results);
      results = [];
    }
  });
  return [...read, ...results];
}

/**
 * Returns the rows with which the conversation goes on. Those before the first change are the engine's own. From there on every row is
 * built anew: an own row behind a change would bring the whole old list with it.
 *
 * @param messages - the transcript
 * @param read - what {@link readRows} has returned of it
 * @param wanted - the rows that a model should read
 */
export function answerRows(
  messages: readonly SessionRow[],
  read: readonly ReadRow[],
  wanted: readonly SessionRow[],
): { readonly own: readonly SessionRow[]; readonly anew: readonly SessionRow[] } {
  let same = 0;
  while (same < wanted.length && same < read.length && isSame(read[same]?.row, wanted[same])) same++;
  if (same === read.length && same === wanted.length) return { own: messages, anew: [] };
  const cut = cutBefore(read, same);
  let end = read[cut]?.index ?? messages.length;
  // A thinking block belongs to what comes behind it, and ends no answer.
  while (end > 0 && messages[end - 1]?.role === 'assistant' && isBlankRow(messages[end - 1] as SessionRow)) end--;
  return { own: messages.slice(0, end), anew: wanted.slice(cut) };
}

/** The last place, at most `count`, at which an answer or words of the person begin, and before which no later row of the transcript stands. */
function cutBefore(read: readonly ReadRow[], count: number): number {
  let cut = count;
  const isInAnswer = () => read[cut]?.row.role === 'assistant' && read[cut - 1]?.row.role === 'assistant';
  let first = Infinity;
  for (const { index } of read.slice(count)) first = Math.min(first, index);
  while (cut > 0 && (isInAnswer() || read.slice(0, cut).some(({ index }) => index > first))) {
    cut--;
    first = Math.min(first, read[cut]?.index ?? Infinity);
  }
  return cut;
}

function isSame(one: SessionRow | undefined, other: SessionRow | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && rowKey(one) === rowKey(other));
}
