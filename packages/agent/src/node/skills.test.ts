import { execFileSync } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSkills } from './skills.js';
import { instructionFileNames } from './files.js';

let base: string;
let root: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'palimpsest-skills-')));
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

  test.runIf(process.getuid?.() === 0)('a repository of another user around the folder is none', async () => {
    await put('AGENTS.md', 'root');
    await put('a/AGENTS.md', 'a');
    await chown(path.join(root, '.git'), 12_345, 12_345);
    expect(await names(path.join(root, 'a'))).toEqual(['AGENTS.md']);
    expect((await findSkills({ workingDirectory: path.join(root, 'a') })).skills[0]?.content).toBe('a');
  });

  test('each text is included once, without copies, links and pointers', async () => {
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

  test('a file that is too long is cut, and says so', async () => {
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

  test('a cut leaves no half of a character', async () => {
    await put('AGENTS.md', '123😀56');
    const { skills } = await findSkills({ workingDirectory: root, maxCharacters: 4 });
    expect(skills[0]?.content).toBe('123\n[4 more characters stand in AGENTS.md]');
  });

  test('a line that names a file which is not found by itself stays', async () => {
    await put('AGENTS.md', '@docs/rules.md');
    await put('CLAUDE.md', '@./AGENTS.md\r\n');
    expect(await names()).toEqual(['AGENTS.md']);
  });

  test('those of the user are not taken for those of a folder, whatever it is called; several users’ are all there', async () => {
    for (const file of ['../one/AGENTS.md', '../two/AGENTS.md', 'user/AGENTS.md', 'one/AGENTS.md'])
      await put(file, file);
    const { skills } = await findSkills({
      workingDirectory: path.join(root, 'user'),
      userDirectories: [path.join(base, 'one'), path.join(base, 'two')],
    });
    expect(skills.map(({ content }) => content)).toEqual(['../one/AGENTS.md', '../two/AGENTS.md', 'user/AGENTS.md']);
  });

  test('are found around a working directory that a link leads to', async () => {
    await put('AGENTS.md', 'root');
    await put('a/AGENTS.md', 'a');
    await symlink(path.join(root, 'a'), path.join(base, 'link'));
    expect(await names(path.join(base, 'link'))).toEqual(['AGENTS.md', 'a/AGENTS.md']);
  });

  test('a working directory that is missing or outside the root is an error, and so is an invalid length', async () => {
    await expect(findSkills({ workingDirectory: path.join(root, 'none') })).rejects.toThrow(/ENOENT.*none/);
    await expect(findSkills({ workingDirectory: base, rootDirectory: root })).rejects.toThrow(
      /is not in '.*repository'/,
    );
    await expect(findSkills({ workingDirectory: root, maxCharacters: -1 })).rejects.toThrow('maxCharacters must be');
  });

  test('folders, binary files and huge files are skipped', async () => {
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
      return skills.map(({ name, content }) => `${name.replace(user, '~')}: ${content}`);
    };
    await put('a/x', '');
    expect(await find()).toEqual(['~/AGENTS.md: My rules.', 'docker: user', 'mine: mine']);
    await put('.palimpsest/skills/docker.md', skill('root'));
    expect(await find()).toEqual(['~/AGENTS.md: My rules.', 'mine: mine', 'docker: root']);
    await put('a/.openhands/microagents/docker.md', skill('near'));
    expect(await find()).toContain('docker: near');
    expect(await find()).not.toContain('docker: root');
  });

  test('a user’s own may be links to elsewhere', async () => {
    await put('../dotfiles/rules.md', 'My rules.');
    await mkdir(path.join(base, 'user'));
    await symlink('../dotfiles/rules.md', path.join(base, 'user/AGENTS.md'));
    const { skills } = await findSkills({ workingDirectory: root, userDirectories: [path.join(base, 'user')] });
    expect(skills).toMatchObject([{ name: path.join(base, 'user/AGENTS.md'), content: 'My rules.' }]);
  });

  test('behind links that lead around in a circle are each found once', async () => {
    await put('.palimpsest/skills/a.md', 'A');
    await put('.palimpsest/skills/team/b.md', 'B');
    // Followed without a memory, these are more names than can ever be read.
    for (const name of ['one', 'two', 'three']) await symlink('..', path.join(root, '.palimpsest/skills/team', name));
    await symlink('itself', path.join(root, '.palimpsest/skills/itself'));
    await symlink('.github', path.join(root, '.github'));
    await symlink('../../docs', path.join(root, '.palimpsest/skills/docs'));
    await put('docs/c.md', 'C');
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['a', 'docs/c', 'team/b']);
    expect(problems).toEqual([]);
  });

  test('behind a link that leads out of the repository are not looked for', async () => {
    await put('../private/a.md', 'private');
    await put('.palimpsest/skills/b.md', 'B');
    await symlink(path.join(base, 'private'), path.join(root, '.palimpsest/skills/out'));
    await symlink(path.join(base, 'private'), path.join(root, '.openhands'));
    await put('../private/microagents/c.md', 'private');
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['b']);
    expect(problems.map(({ file }) => path.relative(root, file))).toEqual([
      '.openhands/microagents',
      '.palimpsest/skills/out',
    ]);
    for (const { message } of problems) expect(message).toContain('leads out');
  });

  test('are not read from a folder of thousands of files, which is a problem', async () => {
    await put('.palimpsest/skills/a.md', 'A');
    await put('AGENTS.md', 'Use tabs.');
    // Names of one file: 2,000 files take a second of the system's time.
    const other = path.join(root, 'other.txt');
    writeFileSync(other, '');
    for (let index = 0; index < 2_000; index++) linkSync(other, path.join(root, `.palimpsest/skills/${index}.txt`));
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['AGENTS.md']);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('more than 2000 files')]);
  });

  test('a broken one is a problem that names its file, and the others are found', async () => {
    await put('.palimpsest/skills/bad.md', '---\ntype: banana\n---\nText');
    await put('.palimpsest/skills/good.md', 'Text');
    const { skills, problems } = await findSkills({ workingDirectory: root });
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(problems.map(({ file }) => file)).toEqual([path.join(root, '.palimpsest/skills/bad.md')]);
  });

  test.skipIf(process.platform === 'win32')('folders too deep to be named are passed over', async () => {
    await put('.agents/skills/good/SKILL.md', '---\nname: good\ndescription: d\n---\nText');
    const deep = `const d = 'd'.repeat(200); for (let i = 0; i < 30; i++) { fs.mkdirSync(d); process.chdir(d); }`;
    execFileSync(process.execPath, ['-e', deep], { cwd: path.join(root, '.agents/skills') });
    try {
      expect(await names()).toEqual(['good']);
    } finally {
      // Node cannot name them either.
      execFileSync('rm', ['-r', path.join(root, '.agents')]);
    }
  });

  test('quirk: nothing is created', async () => {
    const user = path.join(base, 'user');
    await findSkills({ workingDirectory: root, userDirectories: [user] });
    expect(await readdir(base)).toEqual(['repository']);
    expect(await readdir(root)).toEqual(['.git']);
  });
});
