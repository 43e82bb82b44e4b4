import type { FileOperation } from '../../authoring/calls/arguments.js';
import type { Fact } from './fact.js';
import { shellCommands } from './shell-words.js';
import type { ShellCommand } from './shell-words.js';

const readers = new Set(['cat', 'head', 'tail', 'nl', 'less', 'more', 'bat', 'tac']);
const lookers = new Set([
  ...[
    'ls',
    'pwd',
    'grep',
    'egrep',
    'rg',
    'ag',
    'ack',
    'find',
    'fd',
    'tree',
    'wc',
    'which',
    'type',
    'whoami',
    'file',
    'stat',
    'du',
  ],
  ...[
    'df',
    'env',
    'printenv',
    'date',
    'echo',
    'printf',
    'cd',
    'sort',
    'uniq',
    'cut',
    'awk',
    'jq',
    'sed',
    'diff',
    'true',
    'sleep',
    'ps',
  ],
]);
const lookingGit = new Set(['status', 'log', 'diff', 'show', 'blame', 'ls-files', 'rev-parse', 'merge-base', 'grep']);
/**
 * Programs that report their own failure under their own name: if they print nothing, the command after them and `&&` did run.
 */
const outspoken = new Set([
  ...['cat', 'cd', 'chmod', 'cp', 'echo', 'ln', 'ls', 'mkdir', 'mv', 'printf', 'pwd', 'rm', 'sed', 'tee', 'touch'],
  ...['git add', 'git mv', 'git rm'],
]);
/** Words after which a command may not run at all, or not in this order. */
const controlWords = new Set([
  ...['if', 'then', 'elif', 'else', 'for', 'while', 'until', 'do', 'case', 'function', 'set', 'exit', 'return', 'trap'],
]);
const fileTrouble =
  /no such file|permission denied|(?:is|not) a directory|read-only file system|no space left|cannot overwrite/i;
const changesBranch =
  /^-[A-Za-z]*[dDmMcCfut]|^--(?:delete|move|copy|force|track|no-track|set-upstream|unset-upstream|edit-description)/;
const inPlaceFlag = /^-[\dacnlprsuwzEW]*i|^--in-place/;

/** Returns the effects of a shell text on files, as far as its words show them. */
export function shellFileFacts(text: string, isKnown: (path: string) => boolean): readonly Fact[] {
  return shellCommands(text).flatMap((command) => [...writtenBy(command, isKnown), ...touchedBy(command, isKnown)]);
}

/**
 * Returns the effects on files of a shell text that failed: the files written by the commands before the last one, up
 * to the first command for which the text and its output do not show that it ran and succeeded.
 */
export function writesBeforeFailure(text: string, output: string, isKnown: (path: string) => boolean): readonly Fact[] {
  const isSilenced = /[2&]>(?!&)/.test(text);
  if (isSilenced || /^\S*sh: .*(?:syntax error|unexpected)/m.test(output)) return [];
  const facts: Fact[] = [];
  let mayBeSkipped = false;
  for (const command of shellCommands(text).slice(0, -1)) {
    const [program = ''] = command.words;
    mayBeSkipped &&= command.after === '&&';
    if (mayBeSkipped || command.after === '||' || controlWords.has(program) || complains(command, output)) break;
    facts.push(...writtenBy(command, isKnown), ...touchedBy(command, isKnown));
    mayBeSkipped = program !== '' && !outspoken.has(program === 'git' ? command.words.slice(0, 2).join(' ') : program);
  }
  return facts.filter((fact) => fact.kind === 'file' && fact.operation !== 'read');
}

/** True if an output shows that a command, or the shell that opened its files, failed. In doubt the result is true. */
function complains({ words: [program = ''], writes }: ShellCommand, output: string): boolean {
  return output.split('\n').some((line) => {
    if (program === 'git' && /^(?:fatal|error): /.test(line)) return true;
    if (program !== '' && ` ${line.replaceAll('/', ' ')}`.includes(` ${program}: `)) return true;
    return fileTrouble.test(line) && writes.some(({ path }) => line.includes(path));
  });
}

/** Returns true for a shell text that only reads, such as `grep` or `git status`. */
export function onlyLooks(text: string): boolean {
  const commands = shellCommands(text);
  return commands.length > 0 && commands.every(({ words, writes }) => writes.length === 0 && isLook(words));
}

function isLook(words: readonly string[]): boolean {
  const [program = '', argument = ''] = words;
  if (program === 'git') return isGitLook(argument, words.slice(2));
  if (program === 'sed') return !words.some((word) => inPlaceFlag.test(word));
  if (program === 'find') return isFindLook(words);
  return readers.has(program) || lookers.has(program);
}

function isGitLook(command: string, rest: readonly string[]): boolean {
  const [first = ''] = rest;
  switch (command) {
    case 'branch':
      return (first === '' || first.startsWith('-')) && !rest.some((word) => changesBranch.test(word));
    case 'remote':
      return first === '' || /^(?:-v|--verbose|show|get-url)$/.test(first);
  }
  return lookingGit.has(command);
}

function isFindLook(words: readonly string[]): boolean {
  return words.every((word, index) => {
    if (/^-(?:exec|ok)(?:dir)?$/.test(word)) return isLook(words.slice(index + 1));
    return !/^-(?:delete|fprint|fprint0|fprintf|fls)$/.test(word);
  });
}

function writtenBy({ writes }: ShellCommand, isKnown: (path: string) => boolean): readonly Fact[] {
  return writes
    .filter(({ path }) => isPlainPath(path))
    .map(({ path, appends }) => file(path, appends || isKnown(path) ? 'modified' : 'created'));
}

function touchedBy({ words }: ShellCommand, isKnown: (path: string) => boolean): readonly Fact[] {
  const isGit = words[0] === 'git';
  const program = (isGit ? words[1] : words[0]) ?? '';
  const rest = words.slice(isGit ? 2 : 1);
  // These commands change only git's index, or nothing.
  if (isGit && rest.some((word) => /^--(?:cached|dry-run)$|^-[a-z]*n/.test(word))) return [];
  const paths = rest.filter((word) => !word.startsWith('-')).filter(isPlainPath);
  switch (program) {
    case 'rm':
    case 'unlink':
      return paths.map((path) => file(path, 'deleted'));
    case 'mv': {
      const target = paths.at(-1);
      if (paths.length < 2 || target === undefined) return [];
      return [...paths.slice(0, -1).map((path) => file(path, 'deleted')), file(target, 'created')];
    }
  }
  if (isGit) return [];
  switch (program) {
    case 'cp':
      return paths.length < 2 ? [] : paths.slice(-1).map((path) => file(path, isKnown(path) ? 'modified' : 'created'));
    case 'touch':
    case 'tee':
      return paths.map((path) => file(path, isKnown(path) ? 'modified' : 'created'));
    case 'sed':
    case 'perl': {
      const files = paths.filter((path) => /[./]/.test(path) && !isScript(path));
      const inPlace = rest.some((word) => inPlaceFlag.test(word));
      return inPlace || program === 'sed' ? files.map((path) => file(path, inPlace ? 'modified' : 'read')) : [];
    }
  }
  if (!readers.has(program)) return [];
  return paths.filter((path) => !/^\d+$/.test(path)).map((path) => file(path, 'read'));
}

/** An expression of `sed`, such as `s/a/b/` or `1,20p`. */
function isScript(word: string): boolean {
  return /^(?:s|y)([/|#,]).*\1/.test(word) || /^[\d,$]*[pdq]$/.test(word) || /^\/.*\/[pd,]/.test(word);
}

/** A path that is given literally: no pattern, no variable, no output of another command. */
function isPlainPath(word: string): boolean {
  return (
    word !== '' && word !== '-' && !/[*?$`{}[\]=\n]/.test(word) && !/^\.{1,2}\/?$/.test(word) && !word.endsWith('/')
  );
}

function file(path: string, operation: FileOperation): Fact {
  return { kind: 'file', path, operation };
}
