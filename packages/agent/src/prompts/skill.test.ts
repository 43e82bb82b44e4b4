import { describe, expect, test } from 'vitest';
import { InvalidSkillError } from './errors.js';
import { parseSkill } from './skill.js';

const parse = (document: string, file = 'skills/docker.md') => parseSkill(document, { file });

function failure(document: string): InvalidSkillError {
  try {
    parse(document);
  } catch (error) {
    if (InvalidSkillError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('a skill', () => {
  test('without front matter is always on, with the file’s name', () => {
    expect(parse('Use tabs.\n\n---\n\nAlways.')).toEqual({
      name: 'docker',
      kind: 'always',
      content: 'Use tabs.\n\n---\n\nAlways.',
      triggers: [],
      inputs: [],
    });
  });

  test('with triggers is shown on keywords', () => {
    const skill = parse(
      '---\nname: containers\ntype: knowledge\nversion: 1.0.0\ntriggers:\n- docker\n- 404\n---\n\nUse compose.\n',
    );
    expect(skill).toMatchObject({
      name: 'containers',
      kind: 'keyword',
      triggers: ['docker', '404'],
      content: 'Use compose.',
    });
  });

  test('with inputs is a task, called by its name', () => {
    const skill = parse(
      '---\ninputs:\n  - name: issue\n    description: its number\n  - name: style\n---\nFix ${issue}.',
    );
    expect(skill).toMatchObject({ kind: 'task', triggers: ['/docker'] });
    expect(skill.inputs).toEqual([
      { name: 'issue', description: 'its number' },
      { name: 'style', description: '' },
    ]);
  });

  test('a task has its command once, further triggers too, and may have no inputs', () => {
    expect(parse('---\ntype: task\ntriggers: [/docker, tidy up]\n---\nTidy.').triggers).toEqual(['/docker', 'tidy up']);
  });

  test('a name that is given counts more than the one in the file', () => {
    expect(parseSkill('---\nname: a\n---\nText', { file: 'x.md', name: 'team/a' }).name).toBe('team/a');
  });

  test('reads Windows line ends and a byte order mark', () => {
    expect(parse('\uFEFF---\r\ntriggers:\r\n- a\r\n---\r\nText\r\n')).toMatchObject({
      triggers: ['a'],
      content: 'Text',
    });
  });

  test('an empty front matter is none', () => {
    expect(parse('---\n---\nText')).toMatchObject({ kind: 'always', content: 'Text' });
  });
});

describe('what is no skill names its file and the reason', () => {
  test.each([
    ['---\ntriggers: [a\n---\nText', /not YAML/],
    ['---\ntriggers: [a]\nText', /never ends its front matter/],
    ['---\ntriggers: a\n---\nText', /'triggers'/],
    ['---\ninputs: [{ description: x }]\n---\nText', /'inputs\.0\.name'/],
    ['---\ntype: banana\n---\nText', /'type'.*repo.*knowledge.*task/],
    ['---\n- a\n---\nText', /its front matter/],
    ['---\ntriggers: [a]\n---\n \n', /no text/],
    ['', /no text/],
  ])('%j', (document, reason) => {
    const error = failure(document);
    expect(error.file).toBe('skills/docker.md');
    expect(error.message).toContain("'skills/docker.md'");
    expect(error.message).toMatch(reason);
  });

  test.each([
    ['repo', 'triggers: [a]', /write 'type: knowledge'/],
    ['knowledge', 'name: a', /add some, or write 'type: repo'/],
    ['knowledge', 'inputs: [{ name: a }]', /write 'type: task'/],
  ])('quirk: a type %s is not silently overruled by %s', (type, line, reason) => {
    expect(failure(`---\ntype: ${type}\n${line}\n---\nText`).message).toMatch(reason);
  });
});
