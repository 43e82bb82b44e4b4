import { baseName, isInterpreter, isLauncher, isShell, runnerPrefixLength, simpleCommands } from './command.js';
import type { SimpleCommand, Word } from './command.js';

/** The part of a rule that is about a command. */
export interface CommandPattern {
  /** Returns true if the rule covers a command exactly as it promises: for rules that allow. */
  covers(words: readonly string[]): boolean;
  /** Returns true if the command is, or may contain, what the rule names: for rules that ask or deny. */
  touches(words: readonly string[]): boolean;
}

/** @throws TypeError with the reason why the pattern is none */
export function commandPattern(pattern: string, options: { readonly allows: boolean }): CommandPattern {
  const [words, ...more] = simpleCommands(pattern, { wildcards: true }) ?? [];
  if (words === undefined || more.length > 0) {
    throw new TypeError('the pattern is not one simple command; write a rule for each command of it');
  }
  if (/[<>]/.test(pattern)) throw new TypeError('a pattern holds no redirection');
  if (words.slice(0, -1).some(isAnyWords)) throw new TypeError("'**' stands at the end only");
  if (options.allows) assertNamesProgram(words);
  return {
    covers: (given) => covers(words, given),
    touches: (given) => programsIn(given).some((one) => occursIn(words, one)),
  };
}

/** Refuses a wildcard that stands for the program that runs. */
function assertNamesProgram(words: SimpleCommand): void {
  const program = words[0]?.[0] ?? '';
  const star = words.findIndex((word) => word.length > 1);
  if (star < 0) return;
  if (isLauncher(program)) {
    throw new TypeError(`'${program}' runs any program that its arguments name; write the whole command, without '*'`);
  }
  const before = runnerPrefixLength(textsOf(words));
  if (before > 0 && !namesWord(words, before)) {
    throw new TypeError(`'${textsOf(words.slice(0, before)).join(' ')}' runs any program; name it in front of '*'`);
  }
  if (!isInterpreter(program)) return;
  const script = words[1]?.[0] === '-m' ? 2 : 1;
  if (!namesWord(words, script))
    throw new TypeError(`'${program}' runs any program text; name the script in front of '*'`);
}

/** Returns true if a word is written out, and is no option. */
function namesWord(pattern: SimpleCommand, index: number): boolean {
  const word = pattern[index];
  return word?.length === 1 && !isOption(word[0] ?? '-') && pattern.slice(0, index).every(({ length }) => length === 1);
}

function covers(pattern: SimpleCommand, given: readonly string[]): boolean {
  const last = pattern.at(-1);
  const isOpen = last !== undefined && (isAnyWord(last) || isAnyWords(last));
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? given.length < fixed.length : given.length !== fixed.length) return false;
  if (!fixed.every((word, index) => matches(word, given[index] as string))) return false;
  // `npm *` is not a rule for what `npm exec` runs.
  const before = runnerPrefixLength(given);
  if (before > 0 && pattern.some(({ length }) => length > 1) && !namesWord(pattern, before)) return false;
  const behind = given.slice(fixed.length);
  return !isOpen || isAnyWords(last) || !behind.some((word) => isOption(word) || isOptionsFile(word, given));
}

/**
 * Returns true if the words of a pattern occur in this order, with the program first. Other words may stand between and behind
 * them.
 */
function occursIn(pattern: SimpleCommand, [program = '', ...given]: readonly string[]): boolean {
  const [name, ...words] = pattern;
  const isNamed = baseName(program) === baseName(name?.[0] ?? '');
  if (!isNamed) return false;
  let index = 0;
  for (const word of words) {
    if (isAnyWord(word) || isAnyWords(word)) continue;
    while (index < given.length && !matchesText(word, given[index] as string)) index++;
    if (index++ >= given.length) return false;
  }
  return true;
}

/** Returns the command, and those that it may run: behind a launcher, an interpreter, or an option such as `-exec`. */
function programsIn(words: readonly string[]): readonly (readonly string[])[] {
  if (!runsOthers(words)) return [words];
  const rest = words.slice(1);
  const inner = rest.flatMap((word) =>
    plainWord.test(word) ? [] : (simpleCommands(word) ?? []).flatMap((command) => programsIn(textsOf(command))),
  );
  return [words, ...rest.map((_, index) => rest.slice(index)), ...inner];
}

/**
 * Returns true if the command runs a program text that is not understood, such as `sh -c 'rm $X'` or `python -c 'import os'`.
 */
export function runsUnreadableProgram(words: readonly string[]): boolean {
  return programsIn(words).some((one) => {
    const [program = '', ...rest] = one;
    const isForeign = isInterpreter(program) && !isShell(program);
    const texts = runsOthers(one) ? rest.filter((word) => !plainWord.test(word)) : [];
    return texts.some((text) => isForeign || simpleCommands(text) === undefined);
  });
}

function runsOthers([program = '', ...rest]: readonly string[]): boolean {
  if (runnerPrefixLength([program, ...rest]) > 0) return true;
  return isLauncher(program) || isInterpreter(program) || rest.some((word) => /^-(?:-?exec|ok|x$|X$)/.test(word));
}

/** Returns the words of a command without wildcards. */
export function textsOf(command: SimpleCommand): readonly string[] {
  return command.map((word) => word.join(''));
}

const plainWord = /^[A-Za-z0-9_@%+=:,./^~-]*$/;

function matches(pattern: Word, text: string): boolean {
  // A wildcard at the beginning of a word never stands for an option.
  return matchesText(pattern, text) && (pattern[0] !== '' || pattern.length === 1 || !isOption(text));
}

/**
 * Returns true if the pieces occur in the text in this order, the first at its beginning and the last at its end. Linear in the
 * text.
 */
function matchesText(pieces: Word, text: string): boolean {
  const [first = '', ...more] = pieces;
  if (more.length === 0) return text === first;
  const last = more.pop() as string;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const piece of more) {
    const found = text.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from <= text.length - last.length;
}

/** Programs that read options from a file: `pytest @file`. */
const optionsFileReaders = new Set(
  'pytest py.test mypy ruff pylint tsc gcc g++ cc c++ clang clang++ ld rustc javac java swiftc dotnet msbuild csc'.split(
    ' ',
  ),
);

function isOptionsFile(word: string, command: readonly string[]): boolean {
  return word.startsWith('@') && command.some((each) => optionsFileReaders.has(baseName(each)));
}

const isAnyWord = (word: Word): boolean => word.length === 2 && word.join('') === '';
const isAnyWords = (word: Word): boolean => word.length === 3 && word.join('') === '';

function isOption(word: string): boolean {
  return word.startsWith('-') || word.startsWith('+');
}
