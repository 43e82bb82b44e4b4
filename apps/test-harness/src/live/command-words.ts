import { HarnessError } from '../harness-error.js';

const word = /\s*((?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+)/gsy;
const piece = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)/gs;

/**
 * Splits a command into words as a shell does, by spaces, quotation marks and backslashes. Nothing else of a shell is in it.
 *
 * @throws {@link HarnessError} when it has no word, or a quotation mark is open
 */
export function commandWords(text: string): readonly string[] {
  const trimmed = text.trim();
  const found = [...trimmed.matchAll(word)];
  const length = found.reduce((sum, [all]) => sum + all.length, 0);
  if (found.length === 0 || length < trimmed.length) throw new HarnessError('live', `'${text}' is no command.`);
  return found.map(([, one = '']) =>
    [...one.matchAll(piece)]
      .map(([, single, double, escaped, plain]) => single ?? double?.replace(/\\(.)/gs, '$1') ?? escaped ?? plain)
      .join(''),
  );
}

/** Puts values into the words of a command: `{instruction}`, `{cwd}`. */
export function filledWords(words: readonly string[], values: Readonly<Record<string, string>>): readonly string[] {
  return words.map((each) => each.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all));
}
