import { sliceText } from '@palimpsest/events';

/** The best lines are shown, each up to a length. */
const mostLines = 3;
const longestLine = 240;

/**
 * The lines of a text that score highest, in the order of the text, each with its number. The numbers also keep a line of the text
 * from looking like a line of the answer. A long line is cut around the place that `at` names.
 */
export function excerptOf(
  text: string,
  judge: (line: string) => { readonly score: number; readonly at: number },
): readonly string[] {
  const best: { readonly line: string; readonly number: number; readonly score: number; readonly at: number }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const { score, at } = judge(line);
    if (score <= (best.length < mostLines ? 0 : (best.at(-1)?.score ?? 0))) continue;
    best.push({ line, number: index + 1, score, at });
    best.sort((a, b) => b.score - a.score || a.number - b.number).splice(mostLines);
  }
  return best
    .toSorted((a, b) => a.number - b.number)
    .map(({ line, number, at }) => `  ${number}| ${around(line.replaceAll('\r', ' '), at)}`);
}

function around(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = Math.max(0, Math.min(at - longestLine / 3, line.length - longestLine));
  const end = start + longestLine;
  return `${start > 0 ? '…' : ''}${sliceText(line, start, end)}${end < line.length ? '…' : ''}`;
}
