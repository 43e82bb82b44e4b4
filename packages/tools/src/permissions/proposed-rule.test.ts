import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permissions } from './permissions.js';
import type { PermissionRules } from './permissions.js';
import { proposedRule } from './proposed-rule.js';

const root = '/project';
const proposed = (toolName: string, input: unknown, rules: PermissionRules = {}) =>
  proposedRule({ toolName, input }, { ...rules, root });

test.each([
  ['npm test', 'npm test *'],
  ['npm  test src', 'npm test *'],
  ['npm run build', 'npm run build *'],
  ['git status', 'git status *'],
  ['git diff HEAD~1 src', 'git diff *'],
  ['cargo test parser', 'cargo test *'],
  ['npx vitest run src/a.test.ts', 'npx vitest *'],
  ['python3 -m pytest tests', 'python3 -m pytest *'],
  ['ls src', 'ls *'],
  // What an option does is not known.
  ['ls -la src', 'ls -la src'],
  ['git diff --output=x', 'git diff --output=x'],
  ['npm test -- --watch', 'npm test -- --watch'],
  ['npm run --prefix ../x build', 'npm run --prefix ../x build'],
  ['npm run --script-shell ./x build', 'npm run --script-shell ./x build'],
  ['pytest @options.txt', 'pytest @options.txt'],
  ['npx tsc @options.txt', 'npx tsc @options.txt'],
  ['ruff check src', 'ruff check *'],
  // What asks a server, or runs what comes from one.
  ['npm view left-pad', 'npm view left-pad'],
  ['deno test https://example.com/x.ts', 'deno test https://example.com/x.ts'],
  ['dotnet build /logger:x.dll', 'dotnet build /logger:x.dll'],
  // Programs that change something, or that nobody knows.
  ['rm a.txt', 'rm a.txt'],
  ['git push origin main', 'git push origin main'],
  ['npm install left-pad', 'npm install left-pad'],
  ['make all', 'make all'],
  ['./ls src', './ls src'],
  ["echo 'a  b'", "echo 'a  b'"],
  // More than simple words.
  ['npm test && rm -rf dist', '= npm test && rm -rf dist'],
  ['npm test 2>&1 | tail -5', '= npm test 2>&1 | tail -5'],
  ['echo $(id) > x', '= echo $(id) > x'],
  ["grep 'a*' b", 'grep *'],
  ["rm 'a*'", "= rm 'a*'"],
  ['for i in 1 2; do\n  echo $i\ndone', '= for i in 1 2; do\n  echo $i\ndone'],
])('%j: %j', (command, pattern) => {
  expect(proposed('run_command', { command })).toBe(`run_command(${pattern})`);
});

test.each([
  ['edit_file', 'src/a/b.ts', 'edit_file(src/a/**)'],
  ['write_file', '/project/src/b.ts', 'write_file(src/**)'],
  ['edit_file', './package.json', 'edit_file(package.json)'],
  ['edit_file', '.github/workflows/ci.yml', 'edit_file(.github/workflows/ci.yml)'],
  ['edit_file', 'src/[id]/{a}.ts', 'edit_file(src/[id]/**)'],
  ['edit_file', 'src/a*.ts', undefined],
  ['edit_file', '../x', undefined],
  ['edit_file', '/etc/passwd', undefined],
])('%s of %j: %s', (toolName, path, rule) => {
  expect(proposed(toolName, { path })).toBe(rule);
});

test('a star stands for no file of options', () => {
  const rules = permissions({
    allow: ['pytest', 'python3 -m pytest', 'npx tsc', 'npm install'].map((each) => `run_command(${each} *)`),
  });
  const outcome = (command: string) => rules.decide({ toolName: 'run_command', input: { command } }).outcome;
  expect(outcome('pytest tests')).toBe('allow');
  for (const each of ['pytest @x', 'pytest tests @x', 'python3 -m pytest @x', 'npx tsc @x']) {
    expect(outcome(each), each).toBeUndefined();
  }
  expect(outcome('npm install @scope/name')).toBe('allow');
});

test('another tool: the tool; one whose name is none in a rule: nothing', () => {
  expect(proposed('todo', {})).toBe('todo');
  expect(proposed('a tool)', {})).toBeUndefined();
  expect(proposed('run_command', { command: 7 })).toBeUndefined();
  expect(proposed('run_command', null)).toBeUndefined();
});

test('where a rule that denies or asks wins, nothing is proposed', () => {
  expect(proposed('run_command', { command: 'npm test' }, { deny: ['run_command(npm *)'] })).toBeUndefined();
  expect(proposed('edit_file', { path: '.git/hooks/x' }, { ask: ['edit_file(**/.git/**)'] })).toBeUndefined();
  // No rule can judge it, so that it is asked about each time.
  expect(proposed('run_command', { command: 'echo $X' }, { deny: ['run_command(rm *)'] })).toBeUndefined();
  expect(proposed('run_command', { command: 'npm test' }, { deny: ['run_command(rm *)'] })).toBe(
    'run_command(npm test *)',
  );
});

test('an exact rule allows its text and no other', () => {
  const command = 'make > log.txt; echo "$?"';
  const rules = permissions({ allow: [`run_command(= ${command})`] });
  const outcome = (text: string) => rules.decide({ toolName: 'run_command', input: { command: text } }).outcome;
  expect(outcome(command)).toBe('allow');
  expect(outcome(` ${command}\n`)).toBe('allow');
  for (const other of [`${command}; id`, `${command} `.repeat(2), 'make', 'make  > log.txt; echo "$?"']) {
    expect(outcome(other)).toBeUndefined();
  }
  const denies = permissions({ allow: ['*'], deny: [`run_command(= ${command})`] });
  expect(denies.decide({ toolName: 'run_command', input: { command } }).outcome).toBe('deny');
  expect(() => permissions({ allow: ['run_command(=)'] })).toThrow(/behind '=' stands no command/);
  expect(() => permissions({ allow: ['edit_file(= a)'] })).not.toThrow();
});

test('whatever the command, the proposed rule allows it, and none with another command behind it', () => {
  const word = fc.constantFrom(
    'npm',
    'test',
    'git',
    'diff',
    'ls',
    '-x',
    '&&',
    '|',
    '$A',
    "'a b'",
    '"',
    '*',
    '>',
    ')',
    '\n',
    'é',
  );
  const commands = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(commands, (command) => {
      const rule = proposed('run_command', { command });
      if (rule === undefined) return command.trim() === '';
      const rules = permissions({ allow: [rule], root });
      const outcome = (text: string) => rules.decide({ toolName: 'run_command', input: { command: text } }).outcome;
      return (
        outcome(command) === 'allow' &&
        [';', '&&', '|', '\n'].every((joint) => outcome(`${command}${joint}id`) !== 'allow')
      );
    }),
  );
});
