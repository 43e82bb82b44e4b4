import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSkills } from './find-skills.js';
import { instructionFileNames } from './instruction-files.js';

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'palimpsest-skills-'));
  root = path.join(base, 'repository');
  await put('.git/HEAD', 'ref: refs/heads/main');
});
afterEach(() => rm(base, { recursive: true }));

async function put(file: string, text: string): Promise<void> {
  const target = path.resolve(root, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}
const names = async (workingDirectory = root) =>
  (await findSkills({ workingDirectory })).skills.map(({ name }) => name);

describe('instruction files', () => {
  test('are all found, the weakest first', async () => {
    for (const name of instructionFileNames) await put(name, `from ${name}`);
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual([...instructionFileNames]);
    expect(skills.at(-1)).toEqual({
      name: 'AGENTS.md',
      kind: 'always',
      content: 'from AGENTS.md',
      triggers: [],
      inputs: [],
    });
    expect(problems).toEqual([]);
  });

  test('from the root of the repository down to the working directory, and not beside or above it', async () => {
    await put('../AGENTS.md', 'above');
    await put('AGENTS.md', 'root');
    await put('packages/AGENTS.md', 'packages');
    await put('packages/a/AGENTS.md', 'a');
    await put('packages/b/AGENTS.md', 'b');
    expect(await names(path.join(root, 'packages/a'))).toEqual([
      'AGENTS.md',
      'packages/AGENTS.md',
      'packages/a/AGENTS.md',
    ]);
  });

  test('without a repository only the working directory counts', async () => {
    await put('../AGENTS.md', 'above');
    await put('../plain/AGENTS.md', 'plain');
    expect(await names(path.join(base, 'plain'))).toEqual(['AGENTS.md']);
  });

  test('each is included once: a copy, a link and a pointer are not', async () => {
    await put('AGENTS.md', 'Use tabs.');
    await put('.cursorrules', 'Use tabs.\n');
    await symlink('AGENTS.md', path.join(root, 'CLAUDE.md'));
    await put('GEMINI.md', '@AGENTS.md\n');
    await put('.windsurfrules', ' \n');
    expect(await names()).toEqual(['AGENTS.md']);
  });

  test('quirk: names count in any case, and the choice among several does not depend on the disk', async () => {
    await put('agents.md', 'lower');
    expect(await names()).toEqual(['agents.md']);
    await put('Agents.md', 'mixed');
    expect(await names()).toHaveLength(1);
    const caseMatters = (await readdir(root)).filter((name) => /agents/i.test(name)).length === 2;
    if (caseMatters) {
      expect(await names()).toEqual(['Agents.md']);
      await put('AGENTS.md', 'upper');
      expect(await names()).toEqual(['AGENTS.md']);
    }
  });

  test('a line of dashes is no front matter', async () => {
    await put('AGENTS.md', '---\ntriggers: [a\n\nUse tabs.');
    expect((await findSkills({ workingDirectory: root })).skills[0]?.content).toContain('triggers: [a');
  });

  test('what is too long is cut and says so', async () => {
    await put('AGENTS.md', 'x'.repeat(120));
    const { skills } = await findSkills({ workingDirectory: root, maxCharacters: 100 });
    expect(skills[0]?.content).toBe(`${'x'.repeat(100)}\n[20 more characters stand in AGENTS.md]`);
  });

  test('a link that leads out of the repository is not read', async () => {
    await put('../private.txt', 'private');
    await symlink('../private.txt', path.join(root, 'AGENTS.md'));
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills).toEqual([]);
    expect(problems[0]?.message).toMatch(/AGENTS\.md' is a link that leads out/);
  });

  test('a folder, a file that is no text and a huge one are passed over', async () => {
    await mkdir(path.join(root, '.clinerules'));
    await put('CLAUDE.md', 'a\0b');
    await put('GEMINI.md', 'x'.repeat(1_048_577));
    await put('AGENTS.md', 'Use tabs.');
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['AGENTS.md']);
    expect(problems.map(({ file }) => path.basename(file))).toEqual(['GEMINI.md', 'CLAUDE.md']);
  });
});

describe('skills', () => {
  test('stand in folders, nested ones too; README.md is none', async () => {
    await put('.openhands/microagents/docker.md', '---\ntriggers: [docker]\n---\nUse compose.');
    await put('.palimpsest/skills/team/fix.md', '---\ninputs: [{ name: issue }]\n---\nFix it.');
    await put('.palimpsest/skills/README.md', 'About skills.');
    await put('.palimpsest/skills/notes.txt', 'Notes.');
    const { skills } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name, kind, triggers }) => [name, kind, triggers])).toEqual([
      ['docker', 'keyword', ['docker']],
      ['team/fix', 'task', ['/team/fix']],
    ]);
  });

  test('of one name: the repository’s counts more than the user’s, and the nearer more than the farther', async () => {
    const user = path.join(base, 'user');
    const skill = (text: string) => `---\ntriggers: [docker]\n---\n${text}`;
    await put('../user/skills/docker.md', skill('user'));
    await put('../user/skills/mine.md', skill('mine'));
    await put('../user/AGENTS.md', 'My rules.');
    const find = async () => {
      const { skills } = await findSkills({
        workingDirectory: path.join(root, 'a'),
        userDirectories: [user, `${user}-none`],
      });
      return skills.map(({ name, content }) => `${name}: ${content}`);
    };
    await put('a/x', '');
    expect(await find()).toEqual(['user/AGENTS.md: My rules.', 'docker: user', 'mine: mine']);
    await put('.palimpsest/skills/docker.md', skill('root'));
    expect(await find()).toEqual(['user/AGENTS.md: My rules.', 'mine: mine', 'docker: root']);
    await put('a/.openhands/microagents/docker.md', skill('near'));
    expect(await find()).toContain('docker: near');
    expect(await find()).not.toContain('docker: root');
  });

  test('a user’s own may be links to elsewhere', async () => {
    await put('../dotfiles/rules.md', 'My rules.');
    await mkdir(path.join(base, 'user'));
    await symlink('../dotfiles/rules.md', path.join(base, 'user/AGENTS.md'));
    const { skills } = await findSkills({ workingDirectory: root, userDirectories: [path.join(base, 'user')] });
    expect(skills).toMatchObject([{ name: 'user/AGENTS.md', content: 'My rules.' }]);
  });

  test('a broken one is a problem that names its file, and the others are found', async () => {
    await put('.palimpsest/skills/bad.md', '---\ntype: banana\n---\nText');
    await put('.palimpsest/skills/good.md', 'Text');
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(problems.map(({ file }) => file)).toEqual([path.join(root, '.palimpsest/skills/bad.md')]);
  });

  test('quirk: nothing is created', async () => {
    const user = path.join(base, 'user');
    await findSkills({ workingDirectory: root, userDirectories: [user] });
    expect(await readdir(base)).toEqual(['repository']);
    expect(await readdir(root)).toEqual(['.git']);
  });
});
