import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { textsOf } from './command-pattern.js';
import { simpleCommands } from './command.js';

const words = (command: string) => simpleCommands(command)?.map(textsOf);

describe('what is understood', () => {
  test.each([
    ['npm test', [['npm', 'test']]],
    ['  npm\ttest \n', [['npm', 'test']]],
    [`git commit -m 'a "b" $c' "d 'e'"`, [['git', 'commit', '-m', 'a "b" $c', "d 'e'"]]],
    ['git diff HEAD~1 HEAD^', [['git', 'diff', 'HEAD~1', 'HEAD^']]],
    [`echo a'b'"c"''`, [['echo', 'abc']]],
    [`echo ''`, [['echo', '']]],
    [`git commit -m "one\n\ntwo"`, [['git', 'commit', '-m', 'one\n\ntwo']]],
    [
      'npm test 2>&1 | tail -5',
      [
        ['npm', 'test'],
        ['tail', '-5'],
      ],
    ],
    ['npm test >/dev/null 2>&1', [['npm', 'test']]],
    ['cd a && npm test || true; ls', [['cd', 'a'], ['npm', 'test'], ['true'], ['ls']]],
    ['ls\n\npwd;', [['ls'], ['pwd']]],
    ['make CC=gcc', [['make', 'CC=gcc']]],
  ])('%j', (command, expected) => {
    expect(words(command)).toEqual(expected);
  });
});

test.each([
  ['', 'nothing'],
  ['ls &', 'a background job'],
  ['ls & pwd', 'a background job'],
  ['ls |& cat', 'a pipe of bash'],
  ['ls > out', 'a file'],
  ['ls >| out', 'a file'],
  ['cat < in', 'a file'],
  ['cat <<x', 'a here-document'],
  ['cat <(ls)', 'a process substitution'],
  ['echo $(id)', 'a substitution'],
  ['echo "$(id)"', 'a substitution in quotes'],
  ['echo `id`', 'a substitution'],
  ['echo "`id`"', 'a substitution in quotes'],
  ['echo $HOME', 'a variable'],
  ['echo "${x:=y}"', 'a variable'],
  ['A=b ls', 'an assignment'],
  ['PATH=. npm test', 'an assignment'],
  ['ls *.ts', 'a glob'],
  ['ls a?', 'a glob'],
  ['ls [a]', 'a glob'],
  ['ls {a,b}', 'braces'],
  ['ls ~', 'a home'],
  ['ls ~root', 'a home'],
  ['make X=~/y', 'a home behind an assignment'],
  ['ls # comment', 'a comment'],
  ['ls \\; pwd', 'an escape'],
  ['echo "a\\"b"', 'an escape'],
  ["echo 'a", 'an open quote'],
  ['(ls)', 'a subshell'],
  ['{ ls; }', 'a group'],
  ['! ls', 'a negation'],
  ['if true; then ls; fi', 'a construct'],
  ['f() { ls; }', 'a function'],
  ['time ls', 'a word of some shells'],
  ['[[ a = b ]]', 'a word of some shells'],
  ['ls;; pwd', 'two joints'],
  ['ls &&', 'a joint with nothing behind it'],
  ['&& ls', 'a joint with nothing before it'],
  ['ls\n&& pwd', 'a joint at the beginning of a line'],
  ['ls\r', 'a control character'],
  ['ls \u0000', 'a control character'],
  ["ls '\u0000'", 'a control character in quotes'],
  ["ls '\u007f'", 'a control character in quotes'],
  ['ls\u00a0-a', 'a blank that is none in every locale'],
  ["ls$'a'", 'a quote of bash'],
  ['ls@(a)', 'a glob of bash'],
  ['2>&1', 'no command'],
])('%j is not understood: %s', (command) => {
  expect(simpleCommands(command)).toBeUndefined();
});

describe('against a real shell', () => {
  /** Signs that mean something to shells, and whole constructs. */
  const sign = fc.constantFrom(
    ...[...' \t\n;|&<>()$`"\'\\*?[]{}~#!=:%^@+,./-ab1'],
    '$(probe x)',
    '`probe x`',
    ' && probe ',
    ' || probe ',
    ';probe ',
    '|probe ',
    '\nprobe ',
    ' 2>&1',
    ' >/dev/null',
    '"a b"',
    "'a b'",
    "'$x'",
    '$x',
    '${x}',
    '\\\n',
    'A=b ',
    '~/',
    '{a,b}',
    'HEAD~1',
    ' -c ',
    ' # ',
    'é',
    '\u00a0',
    '<<a\n',
    '&',
    '>(probe)',
    "$'\\n'",
  );
  const command = fc.array(sign, { maxLength: 8 }).map((signs) => `probe ${signs.join('')}`);
  const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/ksh'].filter(existsSync);

  test('what is one simple command runs one program, with exactly these words', async () => {
    const { root } = await temporaryWorkspace();
    const log = join(root, 'calls');
    const probe = join(root, 'probe');
    await writeFile(probe, `#!/bin/sh\n{ printf '<'; printf '%s\\0' probe "$@"; printf '>'; } >> '${log}'\n`);
    await chmod(probe, 0o755);
    const runs = 600;
    let [understood, judged] = [0, 0];
    await fc.assert(
      fc.asyncProperty(command, async (text) => {
        judged++;
        const commands = words(text);
        // What stands behind && and || may not run, and what is piped runs in any order.
        if (commands?.length !== 1 && /[|&]/.test(text)) return;
        if (commands === undefined || commands.some(([program]) => program !== 'probe')) return;
        understood++;
        const shell = shells[understood % shells.length] as string;
        await rm(log, { force: true });
        spawnSync(shell, ['-c', text], { cwd: root, env: { PATH: root }, stdio: 'ignore' });
        const calls = commands.map((one) => `<${one.map((word) => `${word}\0`).join('')}>`);
        expect(await readFile(log, 'utf8')).toBe(calls.join(''));
      }),
      { numRuns: runs },
    );
    expect(judged).toBe(runs);
    expect(understood).toBeGreaterThan(runs / 20);
  });
});
