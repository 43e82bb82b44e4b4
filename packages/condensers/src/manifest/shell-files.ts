import type { Fact, FileOperation } from './fact.js';
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
const lookingGit = new Set([
  'status',
  'log',
  'diff',
  'show',
  'branch',
  'blame',
  'ls-files',
  'rev-parse',
  'merge-base',
  'grep',
  'remote',
]);

/** What a shell text does to files, as far as its words say so. */
export function shellFileFacts(text: string, isKnown: (path: string) => boolean): readonly Fact[] {
  return shellCommands(text).flatMap((command) => [...writtenBy(command, isKnown), ...touchedBy(command, isKnown)]);
}

/** True for a shell text that shows something and changes nothing, such as `grep` or `git status`. */
export function onlyLooks(text: string): boolean {
  const commands = shellCommands(text);
  return commands.length > 0 && commands.every(({ words, writes }) => writes.length === 0 && isLook(words));
}

function isLook(words: readonly string[]): boolean {
  const [program = '', argument = ''] = words;
  if (program === 'git') return lookingGit.has(argument);
  if (program === 'sed') return !words.some((word) => /^-[a-z]*i|^--in-place/.test(word));
  return readers.has(program) || lookers.has(program);
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
      const inPlace = rest.some((word) => /^-[a-z]*i|^--in-place/.test(word));
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

/** A path that the words alone name: no pattern, no variable, nothing that another command makes. */
function isPlainPath(word: string): boolean {
  return (
    word !== '' && word !== '-' && !/[*?$`{}[\]=\n]/.test(word) && !/^\.{1,2}\/?$/.test(word) && !word.endsWith('/')
  );
}

function file(path: string, operation: FileOperation): Fact {
  return { kind: 'file', path, operation };
}
