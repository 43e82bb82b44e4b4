import { sliceText } from '@palimpsest/events';

/** A longer line is cut. Unit: characters. */
const longest = 100;
const partOfPath = /[\w@~./:#-]/;
const pathAtEnd = /[\w@~./:#-]+$/;

/** The first line of a text that is not blank, word for word, or its beginning. It is not cut within a path or a word. */
export function firstLineOf(text: string): string {
  const [line = ''] = /\S.*/.exec(text) ?? [];
  if (line.length <= longest) return line.trimEnd().toWellFormed();
  const cut = sliceText(line, 0, longest - 1);
  const isWithin = partOfPath.test(cut.at(-1) ?? '') && partOfPath.test(line[cut.length] ?? '');
  const whole = (isWithin ? cut.replace(pathAtEnd, '') : cut).trimEnd();
  return whole === '' ? '' : `${whole}…`.toWellFormed();
}
