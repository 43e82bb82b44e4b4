import { describe, expect, test } from 'vitest';
import { matchSkills } from './skills-in-view.js';
import { parseSkill } from './skill.js';
import type { Skill } from './skill.js';

const skill = (name: string, triggers: readonly string[]): Skill => ({
  name,
  kind: 'keyword',
  content: name,
  triggers,
  inputs: [],
});
const matches = (trigger: string, text: string) => matchSkills(text, [skill('s', [trigger])]).length === 1;

describe('a keyword', () => {
  test.each([
    ['git', 'Please use GIT.'],
    ['git', 'git'],
    ['git', '(git)'],
    ['git', 'git-lfs'],
    ['pull request', 'open a pull\n  request'],
    ['c++', 'in C++17'],
    ['.ts', 'file.ts'],
    ['straße', 'Die Straße.'],
    ['日本', '日本'],
    ['a.b', 'a.b'],
    ['データ', '新しいデータベース'],
    ['数据库', '请使用数据库部署'],
    ['docker', '使用docker部署'],
    ['도커', '도커를 써'],
    ['caf\u00e9', 'un cafe\u0301 noir'],
    ['cafe\u0301', 'un caf\u00e9 noir'],
    ['🚀', 'go🚀!'],
    ['[a](.*)', 'x[a](.*)y'],
  ])('%s is in %j', (trigger, text) => {
    expect(matches(trigger, text)).toBe(true);
  });

  test.each([
    ['git', 'a digit'],
    ['git', 'gitlab'],
    ['git', 'my_git'],
    ['git', 'git2'],
    ['ssh', 'sshé'],
    ['.ts', 'file.tsx'],
    ['a.b', 'axb'],
    ['cafe', 'un cafe\u0301 noir'],
    ['.*', 'anything'],
    [' ', 'any thing'],
    ['', 'anything'],
    ['git', ''],
  ])('quirk: %s is not in %j, though a part of a word may be', (trigger, text) => {
    expect(matches(trigger, text)).toBe(false);
  });
});

describe('a command', () => {
  test.each(['/fix', 'please /fix', '/fix 12', '/FIX.', 'now\n/fix, then', '/fix\nmore'])('is called in %j', (text) => {
    expect(matches('/fix', text)).toBe(true);
  });

  test.each(['/fixture', '/fix/it', 'src/fix', 'https://a.test/fix', '/fix-it', '/fix.ts'])(
    'is not called in %j',
    (text) => {
      expect(matches('/fix', text)).toBe(false);
    },
  );
});

test('each skill once, in the order of the skills, with its first trigger that matches', () => {
  const skills = [skill('b', ['two', 'one']), skill('none', ['three']), skill('a', ['one'])];
  expect(matchSkills('one two one', skills).map(({ skill: { name }, trigger }) => [name, trigger])).toEqual([
    ['b', 'two'],
    ['a', 'one'],
  ]);
});

test('a skill that is always on is not triggered', async () => {
  expect(matchSkills('anything', [await parseSkill('Text', { file: 'a.md' })])).toEqual([]);
});

const task = await parseSkill(
  '---\ninputs:\n- name: issue\n  description: its number\n- name: tone\n---\nFix ${issue} of ${repo}. Mail $HOME.',
  { file: 'fix.md' },
);

describe('a task', () => {
  const call = (text: string) => matchSkills(text, [task])[0]?.content;

  test('asks for what is missing', () => {
    expect(call('/fix')).toBe(
      'Fix ${issue} of ${repo}. Mail $HOME.\n\n' +
        'The user may have said these in other words. If not, ask for them before you begin:\n- issue: its number\n- tone\n- repo',
    );
  });

  test('takes what stands behind the command, on its line', () => {
    expect(call('/fix issue=12 tone="very kind" repo=\'a b\'\nissue=13')).toBe(
      'Fix 12 of a b. Mail $HOME.\n\nGiven:\n- tone: very kind',
    );
  });

  test('a value that looks like a placeholder or a pattern is put in as it is', () => {
    expect(call("/fix issue='${repo} $& $1' repo=r tone=t")).toMatch(/^Fix \$\{repo\} \$& \$1 of r\./);
  });
});
