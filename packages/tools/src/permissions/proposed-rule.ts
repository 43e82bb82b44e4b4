import { textsOf } from './command-pattern.js';
import { baseName, runnerPrefixLength, simpleCommands } from './command.js';
import { pathInside } from './rule.js';
import { permissions, subjectInputOf } from './permissions.js';
import type { ToolUse, PermissionOptions } from './permissions.js';

/**
 * Returns a rule to propose to a user who is asked about a call and may say yes to calls like it. Of a command that reads,
 * builds or tests it is the first words with ` *`; of any other command, and of one that is more than simple words, the command
 * itself. Of a change of a file it is the folder. Undefined if no rule would allow the call: rules that deny or ask win.
 *
 * @param rules - the rules in force, to which the proposed one would be added
 */
export function proposedRule(call: ToolUse, rules: PermissionOptions): string | undefined {
  const { toolName } = call;
  const subject = subjectInputOf(call, rules);
  const candidates =
    subject === undefined
      ? [toolName]
      : typeof subject.value !== 'string'
        ? []
        : (subject.is === 'command' ? commandPatterns(subject.value) : pathPatterns(subject.value, rules.root)).map(
            (pattern) => `${toolName}(${pattern})`,
          );
  return candidates.find((rule) => allows(rule, call, rules));
}

function allows(rule: string, call: ToolUse, rules: PermissionOptions): boolean {
  try {
    return permissions({ ...rules, allow: [...(rules.allow ?? []), rule] }).decide(call).outcome === 'allow';
  } catch {
    // A sign of the call means something else in a rule.
    return false;
  }
}

/** Returns the patterns for a command, the widest first. */
function commandPatterns(command: string): readonly string[] {
  const [words, ...more] = simpleCommands(command)?.map(textsOf) ?? [];
  const exact = command.trim();
  const itself = /[*<>]/.test(exact) ? [`= ${exact}`] : [exact, `= ${exact}`];
  if (words === undefined || more.length > 0) return [`= ${exact}`];
  const known = wordsBeforeAny(words);
  // What an option of a program does, or what the word behind it means, is not known here.
  const open = known > 0 && isPlain(words.slice(0, known)) ? [`${words.slice(0, known).join(' ')} *`] : [];
  return [...open, ...itself];
}

/** Words that need no quotes in a rule. */
function isPlain(words: readonly string[]): boolean {
  return words.every((word) => /^[A-Za-z0-9_@%+=:,./^-]+$/.test(word));
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs that change nothing, whatever words without a dash stand behind them. */
const readers = setOf(
  'ls cat head tail wc grep egrep fgrep rg stat file du df pwd tree which cmp diff basename dirname',
);
/** Programs that test and check what is in the workspace. */
const checkers = setOf('pytest vitest jest mocha tsc eslint mypy flake8 pylint phpunit rspec');
/**
 * Subcommands that read, build or test, whatever words without a dash stand behind them. Not `npm view` and `npm outdated`: they ask any server,
 * and run what a repository prepares. Not those of `dotnet` and `deno`: a word may be an option (`/logger:x.dll`), or a program from the net.
 */
const subcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', setOf('status diff log show blame ls-files rev-parse grep shortlog describe')],
  ['npm', setOf('test t ls')],
  ['pnpm', setOf('test t ls list why')],
  ['yarn', setOf('test why')],
  ['cargo', setOf('build test check clippy bench doc tree')],
  ['go', setOf('build test vet doc list')],
  ['ruff', setOf('check')],
  ['bun', setOf('test')],
  ['swift', setOf('build test')],
  ['zig', setOf('build test')],
]);
/** Programs whose `run NAME` is a script of the project. */
const scriptRunners = setOf('npm pnpm yarn bun');

/** Returns the number of words that say what a command does, so that any word without a dash may stand behind them; 0 if that is not known. */
function wordsBeforeAny(words: readonly string[]): number {
  const [program = '', next = '', third = ''] = words;
  const isNamed = program === baseName(program);
  if (!isNamed) return 0;
  if (readers.has(program) || checkers.has(program)) return 1;
  if (subcommands.get(program)?.has(next) === true) return 2;
  // `npm run --prefix *` would be a rule for any script of any folder.
  if (scriptRunners.has(program) && next === 'run' && /^[^-+]/.test(third)) return 3;
  const before = runnerPrefixLength(words);
  if (before > 0 && checkers.has(words[before] ?? '')) return before + 1;
  return /^python[\d.]*$/.test(program) && next === '-m' && checkers.has(third) ? 3 : 0;
}

/** Returns the patterns for a path: its folder, if it is an ordinary one; the file. */
function pathPatterns(path: string, root: string | undefined): readonly string[] {
  const inside = pathInside(path, root);
  // A star of a name would mean more in a rule.
  if (inside === undefined || inside === '.' || /[*?]/.test(inside)) return [];
  const folders = inside.split('/').slice(0, -1);
  // Folders that begin with a dot hold what programs obey, and need a rule for each file.
  const isOrdinary = folders.length > 0 && folders.every((name) => !name.startsWith('.'));
  return [...(isOrdinary ? [`${folders.join('/')}/**`] : []), inside];
}
