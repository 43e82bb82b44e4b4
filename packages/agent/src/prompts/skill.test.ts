import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { InvalidSkillError, parseSkill } from './skill.js';
import { matchSkills } from './skills-in-view.js';

const parse = (document: string, file = 'skills/docker.md') => parseSkill(document, { file });

async function failure(document: string): Promise<InvalidSkillError> {
  try {
    await parse(document);
  } catch (error) {
    if (InvalidSkillError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('a skill', () => {
  test('without front matter is always on, with the file’s name', async () => {
    expect(await parse('Use tabs.\n\n---\n\nAlways.')).toEqual({
      name: 'docker',
      kind: 'always',
      content: 'Use tabs.\n\n---\n\nAlways.',
      triggers: [],
      inputs: [],
    });
  });

  test('with triggers is shown on keywords', async () => {
    const skill = await parse(
      '---\nname: containers\ntype: knowledge\nversion: 1.0.0\ntriggers:\n- docker\n- 404\n---\n\nUse compose.\n',
    );
    expect(skill).toMatchObject({
      name: 'containers',
      kind: 'keyword',
      triggers: ['docker', '404'],
      content: 'Use compose.',
    });
  });

  test('with inputs is a task, called by its name', async () => {
    const skill = await parse(
      '---\ninputs:\n  - name: issue\n    description: its number\n  - name: style\n---\nFix ${issue}.',
    );
    expect(skill).toMatchObject({ kind: 'task', triggers: ['/docker'] });
    expect(skill.inputs).toEqual([
      { name: 'issue', description: 'its number' },
      { name: 'style', description: '' },
    ]);
  });

  test('a task has its command once, further triggers too, and may have no inputs', async () => {
    expect((await parse('---\ntype: task\ntriggers: [/docker, tidy up]\n---\nTidy.')).triggers).toEqual([
      '/docker',
      'tidy up',
    ]);
  });

  test('a name that is given counts more than the one in the file', async () => {
    expect((await parseSkill('---\nname: a\n---\nText', { file: 'x.md', name: 'team/a' })).name).toBe('team/a');
  });

  test('reads Windows line ends and a byte order mark', async () => {
    expect(await parse('\uFEFF---\r\ntriggers:\r\n- a\r\n---\r\nText\r\n')).toMatchObject({
      triggers: ['a'],
      content: 'Text',
    });
  });

  test('takes the words that YAML reads as something else, and prints nothing of what YAML warns of', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emitWarning.mockRestore());
    expect(await parse('---\nname: 7\ntriggers: [404, true, 1.5]\nother: !!odd x\n---\nText')).toMatchObject({
      name: '7',
      triggers: ['404', 'true', '1.5'],
    });
    expect(emitWarning).not.toHaveBeenCalled();
  });

  test('an empty front matter is none', async () => {
    expect(await parse('---\n---\nText')).toMatchObject({ kind: 'always', content: 'Text' });
  });
});

test('whatever a file holds, it is a skill that can be matched, or an error that names the file', async () => {
  const line = fc.oneof(
    fc.constantFrom(
      '---',
      '',
      '- a',
      'triggers:',
      'inputs:',
      '- name: x',
      'type: task',
      'type: repo',
      '  - null',
      ': :',
      '"',
    ),
    fc
      .tuple(fc.constantFrom('name', 'triggers', 'inputs', 'type'), fc.json())
      .map(([key, value]) => `${key}: ${value}`),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), async (lines, hasFrontMatter) => {
      const document = [...(hasFrontMatter ? ['---'] : []), ...lines].join('\n');
      try {
        const skill = await parse(document);
        expect(skill.content.trim()).not.toBe('');
        for (const trigger of skill.triggers) {
          expect(matchSkills(`Please: ${trigger} now`, [skill])).toMatchObject([{ skill: { name: skill.name } }]);
        }
      } catch (error) {
        if (!InvalidSkillError.isInstance(error)) throw error;
        expect(error.message).toContain("'skills/docker.md'");
      }
    }),
    { numRuns: 300, seed: 20_261_121 },
  );
});

describe('what is no skill names its file and the reason', () => {
  test.each([
    ['---\ntriggers: [a\n---\nText', /not YAML/],
    ['---\ntriggers: [a]\nText', /never ends its front matter/],
    ['---\ntriggers: a\n---\nText', /'triggers': must be a list, as in '\[docker\]'/],
    ['---\ntriggers: [a, null]\n---\nText', /'triggers\.1': must be a word/],
    ['---\ntriggers:\n- a\n-\n---\nText', /'triggers\.1': must be a word/],
    ['---\ntriggers: [{ a: b }]\n---\nText', /'triggers\.0': must be a word/],
    ["---\ntriggers: [' ']\n---\nText", /'triggers\.0': is empty/],
    ['---\nname: [a]\n---\nText', /'name': must be a word/],
    ['---\nname: "a\\nb"\n---\nText', /'name': must stand on one line/],
    ['---\ninputs: issue\n---\nText', /'inputs': must be a list, as in '\[\{ name: issue \}\]'/],
    ['---\ninputs: [issue]\n---\nText', /'inputs\.0': must have a name/],
    ['---\ninputs: [{ description: x }]\n---\nText', /'inputs\.0\.name'/],
    ['---\ninputs: [{ name: a b }]\n---\nText', /'inputs\.0\.name': may hold letters/],
    ['---\ninputs: [{ name: a }, { name: b }, { name: a }]\n---\nText', /two inputs 'a'/],
    ['---\ntriggers: [a]\ntriggers: [b]\n---\nText', /not YAML/],
    ['---\ntype: banana\n---\nText', /'type'.*repo.*knowledge.*task/],
    ['---\n- a\n---\nText', /its front matter/],
    ['---\ntriggers: [a]\n---\n \n', /no text/],
    ['', /no text/],
  ])('%j', async (document, reason) => {
    const error = await failure(document);
    expect(error.file).toBe('skills/docker.md');
    expect(error.message).toContain("'skills/docker.md'");
    expect(error.message).toMatch(reason);
  });

  test.each([
    ['repo', 'triggers: [a]', /write 'type: knowledge'/],
    ['knowledge', 'name: a', /add some, or write 'type: repo'/],
    ['knowledge', 'inputs: [{ name: a }]', /write 'type: task'/],
  ])('quirk: a type %s is not silently overruled by %s', async (type, line, reason) => {
    expect((await failure(`---\ntype: ${type}\n${line}\n---\nText`)).message).toMatch(reason);
  });
});
