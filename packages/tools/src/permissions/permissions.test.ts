import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PermissionRuleError } from './rule.js';
import { permissions } from './permissions.js';
import type { PermissionRules } from './permissions.js';

const running = (command: string, rules: PermissionRules) =>
  permissions(rules).decide({ toolName: 'run_command', input: { command } }).outcome;
const editing = (path: string, rules: PermissionRules, root = '/work') =>
  permissions({ ...rules, root }).decide({ toolName: 'edit_file', input: { path } }).outcome;

describe('a rule that allows a command', () => {
  test.each([
    ['run_command(npm test)', 'npm test', 'allow'],
    ['run_command(npm test)', 'npm  "test"', 'allow'],
    ['run_command(npm test)', 'npm test -- --watch', undefined],
    ['run_command(npm test)', 'npm testing', undefined],
    ['run_command(npm test)', './npm test', undefined],
    ['run_command(npm test)', 'npm test 2>&1', 'allow'],
    ['run_command(npm test)', 'npm test > /etc/x', undefined],
    ['run_command(npm test)', 'npm test; rm -rf /', undefined],
    ['run_command(npm test)', 'npm test && rm -rf /', undefined],
    ['run_command(npm test)', 'npm test | sh', undefined],
    ['run_command(npm test)', 'npm test $(rm -rf /)', undefined],
    ['run_command(npm test)', 'npm test\nrm -rf /', undefined],
    ['run_command(npm test)', 'npm test & rm -rf /', undefined],
    ['run_command(npm test)', 'NODE_OPTIONS=--require=./x npm test', undefined],
    ['run_command(git diff *)', 'git diff', 'allow'],
    ['run_command(git diff *)', 'git diff HEAD~1 src', 'allow'],
    ['run_command(git diff *)', 'git diff --output=x', undefined],
    ['run_command(git diff *)', "git diff '--output=x'", undefined],
    ['run_command(git diff *)', 'git diff -- src', undefined],
    ['run_command(git diff *)', 'git -c core.pager=x diff', undefined],
    ['run_command(git diff --stat *)', 'git diff --stat HEAD', 'allow'],
    ['run_command(git diff **)', 'git diff --stat HEAD', 'allow'],
    ['run_command(npm run test:*)', 'npm run test:unit', 'allow'],
    ['run_command(npm run test:*)', 'npm run test:unit x', undefined],
    ['run_command(npm run *:unit)', 'npm run --script-shell=x:unit', undefined],
    ['run_command(grep * src)', 'grep word src', 'allow'],
    ['run_command(grep * src)', 'grep -f src', undefined],
    ['run_command(find *)', 'find . -exec rm {} +', undefined],
    ['run_command(find *)', 'find . -delete', undefined],
    ['run_command(vim *)', 'vim', 'error'],
    ['run_command(date *)', 'date +%s', undefined],
    ['run_command(python -m pytest *)', 'python -m pytest tests', 'allow'],
    ['run_command(node scripts/check.js **)', 'node scripts/check.js --fix', 'allow'],
    ['run_command(npx vitest run)', 'npx vitest run', 'allow'],
    ['run_command(npx vitest *)', 'npx vitest run', 'allow'],
    ['run_command(npx vitest *)', 'npx --package=evil vitest', undefined],
    ['run_command(npm *)', 'npm test', 'allow'],
    ['run_command(npm *)', 'npm exec evil', undefined],
    ['run_command(npm **)', 'npm exec evil', undefined],
    ['run_command(npm *)', 'npm init evil', undefined],
    ['run_command(yarn *)', 'yarn create evil', undefined],
    ['run_command(npm exec evil)', 'npm exec evil', 'allow'],
    ['run_command(docker run node *)', 'docker run node x', 'allow'],
    ['run_command(docker *)', 'docker run evil', undefined],
    ["run_command(sh -c 'npm test')", "sh -c 'npm test'", 'allow'],
    ["run_command(echo '*')", 'echo x', undefined],
    ['run_command', 'rm -rf $HOME', 'allow'],
    ['*', 'rm -rf $HOME', 'allow'],
    ['read_file', 'ls', undefined],
  ])('%s for %j: %s', (rule, command, expected) => {
    if (expected === 'error') expect(() => running(command, { allow: [rule] })).toThrow(PermissionRuleError);
    else expect(running(command, { allow: [rule] })).toBe(expected);
  });

  test('every part of a command needs a rule', () => {
    const allow = ['run_command(npm test)', 'run_command(tail **)'];
    const decision = permissions({ allow }).decide({
      toolName: 'run_command',
      input: { command: 'npm test 2>&1 | tail -5' },
    });
    expect(decision).toEqual({
      outcome: 'allow',
      rules: allow,
      reason: "The rules 'run_command(npm test)', 'run_command(tail **)' allow it.",
    });
    expect(running('npm test | head -5', { allow })).toBeUndefined();
  });

  test.each([undefined, null, 7, {}, { command: 7 }, ['npm test']])(
    'an input without a command meets none: %j',
    (input) => {
      const rules = permissions({ allow: ['run_command(npm test)'] });
      expect(rules.decide({ toolName: 'run_command', input }).outcome).toBeUndefined();
    },
  );
});

describe('no rule for one command allows a second one', () => {
  const allow = ['run_command(safe)', 'run_command(safe *)', 'run_command(safe -x **)', 'run_command(safe a* **)'];
  const rules = permissions({ allow });
  const part = fc.oneof(
    fc.constantFrom(
      ...[...' \t\n;|&<>()$`"\'\\*?{}~#!=-ax'],
      'evil',
      ' evil',
      ';evil',
      '$(evil)',
      '&&',
      'safe ',
      ' -x ',
      "'",
      '"',
    ),
    fc.string({ maxLength: 3 }),
  );
  const command = fc.array(part, { maxLength: 10 }).map((parts) => `safe ${parts.join('')}`);

  test('whatever stands around it', () => {
    fc.assert(
      fc.property(
        command,
        fc.constantFrom('; evil', '&& evil', '| evil', '\nevil', '$(evil)', '`evil`', '& evil'),
        (text, second) => {
          const open = rules.decide({ toolName: 'run_command', input: { command: `${text} ${second}` } });
          // Inside of quotes that the text has opened, the second command is a word of the first.
          const isQuoted = (text.split("'").length - 1) % 2 === 1 || (text.split('"').length - 1) % 2 === 1;
          if (!isQuoted) expect(open.outcome).not.toBe('allow');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('in any place of it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('safe', 'safe a b', 'safe -x --y z'),
        fc.nat(20),
        fc.constantFrom(';', '&&', '||', '|', '\n', '&'),
        (text, at, joint) => {
          const index = at % (text.length + 1);
          const broken = `${text.slice(0, index)} ${joint} evil ${joint} ${text.slice(index)}`;
          expect(rules.decide({ toolName: 'run_command', input: { command: broken } }).outcome).not.toBe('allow');
        },
      ),
    );
  });
});

describe('deny wins over ask, and ask over allow', () => {
  const rules = { allow: ['run_command'], ask: ['run_command(git push **)'], deny: ['run_command(rm *)'] };
  test.each([
    ['ls', 'allow'],
    ['git push', 'ask'],
    ['git -C . push --force', 'ask'],
    ['ls && git push', 'ask'],
    ['rm x', 'deny'],
    ['rm -rf x', 'deny'],
    ['/bin/rm -rf x', 'deny'],
    ['git push; rm x', 'deny'],
    ['env rm x', 'deny'],
    ['RM x', 'deny'],
    ['npm exec rm x', 'deny'],
    ['npx rm', 'deny'],
    ['sudo -u root rm x', 'deny'],
    ['ls | xargs rm', 'deny'],
    ['find . -name a -exec rm b', 'deny'],
    ["sh -c 'ls; rm -rf x'", 'deny'],
    [`bash -c "sh -c 'rm x'"`, 'deny'],
    ["sh -c 'rm $X'", 'ask'],
    ["ls && sh -c 'rm $X'", 'ask'],
    ['echo $(rm x)', 'ask'],
    ['X=1 rm x', 'ask'],
    ["python -c 'import os'", 'ask'],
    ["env python -c 'import os'", 'ask'],
    ['python x.py', 'allow'],
    ['grep rm file', 'allow'],
    ['git commit -m rm', 'allow'],
  ])('%j: %s', (command, outcome) => {
    expect(running(command, rules)).toBe(outcome);
  });

  test('long commands are judged in no time, or not at all', () => {
    for (const word of ['a ', '~', 'a~', '"a b" ', "sh -c 'a' ", 'env ', 'a;']) {
      const command = `env ${word.repeat(100_000 / word.length)}`;
      expect(running(command, rules)).toBe('ask');
      expect(['ask', 'allow', 'deny']).toContain(running(command.slice(0, 9_999), rules));
    }
    expect(running(`env ${'a '.repeat(498)}rm`, rules)).toBe('deny');
  });

  test('a rule for every tool', () => {
    expect(running('ls', { allow: ['run_command'], deny: ['*'] })).toBe('deny');
    expect(running('ls', { allow: ['*'], ask: ['run_command'] })).toBe('ask');
  });
});

describe('paths', () => {
  test.each([
    ['src/**', 'src/a.ts', 'allow'],
    ['src/**', './src//b/../a.ts', 'allow'],
    ['src/**', 'src/.hidden/a', 'allow'],
    ['src/**', '/work/src/a.ts', 'allow'],
    ['src/**', '/workplace/src/a.ts', undefined],
    ['src/**', 'src/../.env', undefined],
    ['src/**', 'src/../../work/src/a', undefined],
    ['src/**', '../src/a', undefined],
    ['src/**', 'srcs/a', undefined],
    ['src/**', 'SRC/a', undefined],
    ['src/**', 'src\\a', undefined],
    ['src/**', 'src/a\0b', undefined],
    ['docs/*.md', 'docs/a.md', 'allow'],
    ['docs/*.md', 'docs/b/a.md', undefined],
    ['docs/**/*.md', 'docs/a.md', 'allow'],
    ['docs/**/*.md', 'docs/b/c/a.md', 'allow'],
    ['**', 'a/b', 'allow'],
    ['*', 'a', 'allow'],
    ['*', 'a/b', undefined],
    ['app/[id]/{a}.ts', 'app/[id]/{a}.ts', 'allow'],
    ['app/[id]/?.ts', 'app/i/a.ts', undefined],
    ['a?.ts', 'ab.ts', 'allow'],
  ])('%s for %j: %s', (pattern, path, expected) => {
    expect(editing(path, { allow: [`edit_file(${pattern})`] })).toBe(expected);
  });

  test.each(['.env', 'a/../.env', '.ENV', '/work/.env', '.env.', '.env::$DATA', 'config/.Env'])(
    '%j is denied',
    (path) => {
      expect(editing(path, { allow: ['edit_file'], deny: ['edit_file(**/.env)'] })).toBe('deny');
    },
  );

  test('a path that leads out is not allowed beside a rule that it cannot be compared with', () => {
    expect(editing('../x', { allow: ['edit_file'], deny: ['edit_file(.env)'] })).toBe('ask');
  });

  test('a rule must allow each name of a path, and one name is enough to deny it', () => {
    const otherNames = (path: string) => (path === 'src/link' ? ['.env'] : []);
    const input = { path: 'src/link' };
    const outcome = (rules: PermissionRules) =>
      permissions({ ...rules, otherNames }).decide({ toolName: 'edit_file', input }).outcome;
    expect(outcome({ allow: ['edit_file(src/**)'] })).toBeUndefined();
    expect(outcome({ allow: ['edit_file(src/**)', 'edit_file(.env)'] })).toBe('allow');
    expect(outcome({ allow: ['edit_file'], deny: ['edit_file(.env)'] })).toBe('deny');
  });

  test('a path one of whose names leads outside is asked about where a rule is narrower', () => {
    const rules = permissions({
      root: '/work',
      allow: ['edit_file(src/**)'],
      deny: ['edit_file(.env)'],
      otherNames: () => ['/elsewhere/x'],
    });
    expect(rules.decide({ toolName: 'edit_file', input: { path: 'src/link' } }).outcome).toBe('ask');
  });

  test('a long path and a pattern of many stars take linear time', () => {
    const pattern = `edit_file(${'**/a*/'.repeat(30)}*a*a*a*b)`;
    expect(editing(`${'a/'.repeat(2_000)}${'a'.repeat(5_000)}`, { allow: [pattern] })).toBeUndefined();
  });
});

test.each([
  ['run_command(', 'neither'],
  ['', 'neither'],
  ['rm -rf', 'neither'],
  ['*(x)', 'no pattern'],
  ['run_command()', 'empty'],
  ['search(src)', 'no pattern'],
  ['run_command(a && b)', 'one simple command'],
  ['run_command(a $x)', 'one simple command'],
  ['run_command(*)', 'one simple command'],
  ['run_command(np* test)', 'one simple command'],
  ['run_command(a ** b)', 'at the end'],
  ['run_command(a 2>&1)', 'redirection'],
  ['run_command(env *)', 'runs any program'],
  ['run_command(xargs grep *)', 'runs any program'],
  ['run_command(sh -c *)', 'program text'],
  ['run_command(npx *)', 'name it'],
  ['run_command(npm exec **)', 'name it'],
  ['run_command(npx -y vitest *)', 'name it'],
  ['run_command(bash *)', 'program text'],
  ['run_command(python3.12 **)', 'program text'],
  ['run_command(sed -n *)', 'program text'],
  ['edit_file(../x)', 'inside the workspace'],
  ['edit_file(/etc/x)', 'inside the workspace'],
  ['edit_file(src\\a)', 'inside the workspace'],
  ['edit_file(src**)', 'whole folders'],
])('the rule %j is an error that names it', (rule, problem) => {
  const read = () => permissions({ allow: [rule] });
  expect(read).toThrow(PermissionRuleError);
  expect(read).toThrow(new RegExp(problem.replaceAll('*', '\\*')));
  expect(read).toThrow(`The permission rule '${rule}' cannot be read`);
});

test('a misspelt tool is an error where the tools are known', () => {
  const toolNames = ['run_command'];
  expect(() => permissions({ deny: ['run_comand(rm *)'], toolNames })).toThrow(
    "The permission rule 'run_comand(rm *)' cannot be read: there is no tool 'run_comand'; the tools are run_command.",
  );
  expect(permissions({ deny: ['run_command(env *)'], toolNames }).allow).toEqual([]);
});

test('tools of your own', () => {
  const rules = permissions({
    allow: ['deploy(staging *)'],
    subjects: { deploy: { input: 'line', is: 'command' } },
  });
  expect(rules.decide({ toolName: 'deploy', input: { line: 'staging now' } }).outcome).toBe('allow');
});

describe('names with wildcards', () => {
  const named = (rules: Parameters<typeof permissions>[0], toolName: string) =>
    permissions(rules).decide({ toolName, input: {} }).outcome;

  test('stand for the tools of a server, and for nothing else', () => {
    const rules = { allow: ['mcp__files__*'], deny: ['mcp__*__delete*'] };
    expect(named(rules, 'mcp__files__read')).toBe('allow');
    expect(named(rules, 'mcp__files__delete_all')).toBe('deny');
    expect(
      ['mcp__files2__read', 'mcp__file', 'xmcp__files__read', 'run_command'].map((name) => named(rules, name)),
    ).toEqual([...[undefined, undefined, undefined, undefined]]);
  });

  test('a rule for a tool that may not be there now is taken; one that meets none is an error', () => {
    const toolNames = ['read_file', 'mcp__files__*'];
    for (const rule of ['mcp__files__read', 'mcp__files__*', 'mcp__*', 'mcp__files__re*d', 'read_*']) {
      expect(() => permissions({ allow: [rule], toolNames })).not.toThrow();
    }
    for (const rule of ['mcp__fils__read', 'mcp__fils__*', 'write_*']) {
      expect(() => permissions({ allow: [rule], toolNames })).toThrow(/there is no tool/);
    }
    expect(() => permissions({ allow: ['mcp__files__*(x)'] })).toThrow(/has no pattern/);
  });
});
