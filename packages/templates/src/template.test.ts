import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PromptTemplateError } from './errors.js';
import { loadTemplate, parseTemplate } from './template.js';
import type { TemplateValue } from './template.js';
import { layeredTemplates, templatesFrom } from './source.js';

const render = async (
  text: string,
  variables: Record<string, TemplateValue> = {},
  others: Record<string, string> = {},
) => (await loadTemplate(templatesFrom({ 'main.j2': text, ...others }), 'main.j2')).render(variables);

async function failure(action: () => Promise<unknown>): Promise<PromptTemplateError> {
  const error: unknown = await action().catch((thrown: unknown) => thrown);
  if (!PromptTemplateError.isInstance(error)) throw new Error(`no PromptTemplateError: ${String(error)}`);
  return error;
}

describe('a template', () => {
  test('renders conditions, loops over maps, filters and comments', async () => {
    const text =
      '{# none #}{% for host, port in hosts.items() %}{{ host | upper }}={{ port }};{% endfor %}{% if no %}x{% endif %}';
    expect(await render(text, { hosts: { a: 1, b: 2 }, no: false })).toBe('A=1;B=2;');
  });

  test('keeps white space as Jinja does, and trims where a dash says so', async () => {
    expect(await render('a\n{% if yes %}\nb\n{%- endif %}\n', { yes: true })).toBe('a\n\nb');
  });

  test('does not escape for HTML', async () => {
    expect(await render('{{ text }}', { text: `<a href="x">&'</a>` })).toBe(`<a href="x">&'</a>`);
  });

  test('never reads a value as a template', async () => {
    const text = "{{ 7 * 7 }} {% include 'secret.j2' %} {# x #}";
    expect(await render('[{{ text }}]', { text }, { 'secret.j2': 'S' })).toBe(`[${text}]`);
  });

  test.each(['{{ text.constructor }}', "{{ ''.constructor.constructor('return 1')() }}", '{{ data.__proto__ }}'])(
    'reaches nothing of JavaScript: %s',
    async (text) => {
      expect((await failure(() => render(text, { text: 'a', data: {} }))).message).toContain('not defined');
    },
  );
});

describe('a variable that is not given', () => {
  test.each([
    ['{{ user }}', 'user'],
    ['{% if user %}x{% endif %}', 'user'],
    ['{% for one in user %}x{% endfor %}', 'user'],
    ['{{ known.nothing }}', 'known.nothing'],
    ['{% for x in [1] %}{{ user }}{% endfor %}', 'user'],
    ["{{ user.name | default('x') }}", 'user'],
    ['{{ user | upper }}', 'user'],
  ])('is an error in %s', async (text, name) => {
    const error = await failure(() => render(text, { known: { a: 1 } }));
    expect(error.message).toContain(`'${name}' is not defined`);
    expect(error.file).toBe('main.j2');
  });

  test('may be asked for', async () => {
    const text =
      "{{ user is defined }} {{ user is undefined }} {{ user | default('nobody') }} {{ known.b | default('-') }}";
    expect(await render(text, { known: { a: 1 } })).toBe('false true nobody -');
  });
});

describe('include', () => {
  test('puts the other template in, with the variables of the place', async () => {
    const text = "A{% for n in [1, 2] %}{% include 'part.j2' %}{% endfor %}B";
    expect(
      await render(text, { who: 'x' }, { 'part.j2': '({{ n }}{{ who }}{% include "leaf.j2" %})\n', 'leaf.j2': '!' }),
    ).toBe('A(1x!)(2x!)B');
  });

  test('names the part that is missing', async () => {
    const error = await failure(() => render("{% include 'part.j2' %}"));
    expect(error.file).toBe('part.j2');
    expect(error.message).toContain('does not exist');
  });

  test('names the part that does not parse', async () => {
    const error = await failure(() => render("{% include 'part.j2' %}", {}, { 'part.j2': '{% if x %}open' }));
    expect(error.file).toBe('part.j2');
    expect(error.message).toContain('does not parse');
  });

  test('of itself is an error, and not without end', async () => {
    const error = await failure(() => render("{% include 'part.j2' %}", {}, { 'part.j2': "{% include 'main.j2' %}" }));
    expect(error.message).toContain('main.j2 → part.j2 → main.j2');
  });

  test.each(['{% include name %}', "{% include 'part.j2' ignore missing %}"])(
    'is refused in other forms: %s',
    async (text) => {
      expect((await failure(() => render(text, {}, { 'part.j2': '' }))).message).toContain(
        "written {% include 'name' %}",
      );
    },
  );
});

test('a syntax error is told apart from a missing file', async () => {
  expect((await failure(() => render('{% if %}'))).message).toContain('does not parse');
  expect((await failure(() => render('{% extends "x" %}'))).message).toMatch(
    /'main.j2', line 1, does not parse.*extends/,
  );
  expect((await failure(() => loadTemplate(templatesFrom({}), 'main.j2'))).message).toContain('does not exist');
});

describe('an error names the line of the tag', () => {
  const parts = { 'part.j2': 'a\nb\n{{ nobody.x }}', 'open.j2': 'a\n{% if x %}', 'bad.j2': '\n{{ a b }}' };

  test.each([
    ['that ends inside of a string', "a\n{# {{ x }} #}\n{{ 'b }}\n", 'main.j2', 3, /does not parse/],
    ['that holds an odd character', 'a\r\n\r\n{{ x ? }}', 'main.j2', 3, /Unexpected character: \?/],
    ['that is none', 'a\n{{ x }}\n{% nothing %}\n{{ x }}', 'main.j2', 3, /nothing/],
    ['that ends where it should not', '\n{{ x }}{{ }}', 'main.j2', 2, /does not parse/],
    ['in which a variable is used', '{{ x }}\n{% if x %}\n{{ x.y }}{% endif %}', 'main.j2', 3, /'x.y' is not defined/],
    ['in a branch', '{% if not x %}a{% else %}\n{{ x.y }}{% endif %}', 'main.j2', 2, /'x.y' is not defined/],
    [
      'in the else of a loop',
      '{% for i in [] %}{% else %}\n{{ x.y }}{% endfor %}',
      'main.j2',
      2,
      /'x.y' is not defined/,
    ],
    ['around others', '{% filter nothing %}\n{{ x }}{% endfilter %}', 'main.j2', 1, /nothing/],
    ['in an included file', "{{ x }}\n{% include 'part.j2' %}\n{{ y }}", 'part.j2', 3, /'nobody' is not defined/],
    ['in an included file that does not parse', "\n\n\n{% include 'bad.j2' %}", 'bad.j2', 2, /does not parse/],
    ['that is not an include as we know it', '\n\n{% include name %}', 'main.j2', 3, /written/],
  ])('%s', async (_, text, file, line, reason) => {
    const error = await failure(() => render(text, { x: { a: 1 } }, parts));
    expect({ file: error.file, line: error.line }).toEqual({ file, line });
    expect(error.message).toContain(`'${file}', line ${line}, `);
    expect(error.message).toMatch(reason);
  });

  test('and says so where a block is not closed', async () => {
    for (const text of ['{% if x %}', '{% for a in x %}b', '{{ x', '{% macro m() %}']) {
      const error = await failure(() => render(text, { x: 1 }));
      expect(error.message).toMatch(/'main.j2'.* does not parse: (it ends inside|Unexpected end)/);
    }
    expect((await failure(() => render("{% include 'open.j2' %}{% endif %}", {}, parts))).file).toBe('open.j2');
  });
});

test('a macro that calls itself without end is an error', async () => {
  await failure(() => render('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'));
});

test('whatever a template holds, it is rendered, or an error names the file', async () => {
  const whole = [
    '{{ x }}',
    '{{ x | upper }}',
    '{{ x() }}',
    '{{ y.z }}',
    '{{ x[0] }}',
    '{# x #}',
    "{% include 'part.j2' %}",
    'a\n',
  ];
  const blocks = [
    '{% if x %}',
    '{% else %}',
    '{% endif %}',
    '{% for a in x %}',
    '{% endfor %}',
    '{% set y = x %}',
    '{%- if y is defined -%}',
  ];
  const broken = ['{{', '}}', '{%', '%}', "{{ ' }}", '{{ x | }}', '{{ x. }}', '{% if %}', '{% macro m( %}', '\\'];
  const piece = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...whole) },
    { weight: 5, arbitrary: fc.constantFrom(...blocks) },
    { weight: 1, arbitrary: fc.constantFrom(...broken) },
  );
  const ends = { rendered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (pieces) => {
      try {
        await render(pieces.join(''), { x: [1] }, { 'part.j2': 'P{{ x }}' });
        ends.rendered++;
      } catch (error) {
        if (!PromptTemplateError.isInstance(error)) throw error;
        expect(['main.j2', 'part.j2']).toContain(error.file);
        expect(error.message).not.toMatch(/Cannot read properties|is not iterable/);
        ends.refused++;
      }
    }),
    { numRuns: 500, seed: 20_261_121 },
  );
  expect(Math.min(ends.rendered, ends.refused)).toBeGreaterThan(50);
});

test('a file is read as editors leave it: with a byte order mark, and line ends of Windows', async () => {
  const others = { 'part.j2': '\uFEFFpart\r\n' };
  expect(
    await render("\uFEFFa\r\n{% include 'part.j2' %}\r\n{% if yes -%}\r\nb{% endif %}", { yes: true }, others),
  ).toBe('a\npart\nb');
  expect(await render('')).toBe('');
});

test('a map’s method is not hidden by a key of its name, as in Jinja', async () => {
  const text =
    '{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}{{ map["items"] }}{{ map.get("keys") }}{% set items = "keys" %}{{ map[items] }}';
  expect(await render(text, { map: { items: 1, keys: 2 } })).toBe('items=1;keys=2;122');
});

test('a source that fails is named', async () => {
  const source = { locate: (name: string) => `db:${name}`, read: () => Promise.reject(new Error('offline')) };
  const error = await failure(() => loadTemplate(source, 'main.j2'));
  expect(error.file).toBe('db:main.j2');
  expect(error.cause).toMatchObject({ message: 'offline' });
});

test('an error of a layer names the place in it, and one that a source words itself stays', async () => {
  const base = {
    locate: (name: string) => `base/${name}`,
    read: (name: string) => (name === 'a.j2' ? '{{ x.y' : undefined),
  };
  const own = templatesFrom({});
  expect((await failure(() => loadTemplate(layeredTemplates(own, base), 'a.j2'))).file).toBe('base/a.j2');
  const worded = new PromptTemplateError('a.j2', 'is too secret.');
  const strict = { locate: (name: string) => name, read: () => Promise.reject(worded) };
  expect(await failure(() => loadTemplate(strict, 'a.j2'))).toBe(worded);
});

test('layers: the first source that has a template gives it, also to an include of a later one', async () => {
  const own = templatesFrom({ 'part.j2': 'own' });
  const base = templatesFrom({ 'main.j2': "{% include 'part.j2' %}", 'part.j2': 'base' });
  expect((await loadTemplate(layeredTemplates(own, base), 'main.j2')).render({})).toBe('own');
  await expect(loadTemplate(layeredTemplates(own, base), 'nope.j2')).rejects.toThrow("'nope.j2' does not exist");
});

test('a text at hand is parsed without waiting, with what it can include', () => {
  const template = parseTemplate("{% include 'part' %}{{ y | default('-') }}", { includes: { part: '{{ x }}' } });
  expect(template.render({ x: 1 })).toBe('1-');
  expect(() => parseTemplate("{% include 'other' %}")).toThrow(
    "'other' does not exist. Give it among what can be included",
  );
  expect(() => parseTemplate('\n{{ x', { name: 'mine' })).toThrow(/'mine'.* does not parse/);
});

test('with trimBlocks a tag on a line of its own leaves no line behind', () => {
  const text = 'a\n  {% if yes %}\nb\n  {% endif %}\nc';
  expect(parseTemplate(text, { trimBlocks: true }).render({ yes: true })).toBe('a\nb\nc');
  expect(parseTemplate(text).render({ yes: true })).toBe('a\n  \nb\n  \nc');
});

describe('what Jinja has', () => {
  test.each([
    ['macros', '{% macro m(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, b=3) }}', '[12][13]'],
    ['call blocks', '{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}x{% endcall %}', '<x>'],
    [
      'namespaces',
      '{% set n = namespace(c=0) %}{% for i in [1, 2] %}{% set n.c = n.c + i %}{% endfor %}{{ n.c }}',
      '3',
    ],
    [
      'lists that grow',
      '{% set n = namespace(l=[]) %}{% for i in range(3) %}{% set n.l = n.l + [i] %}{% endfor %}{{ n.l }}',
      '[0, 1, 2]',
    ],
    [
      'break and continue',
      '{% for i in range(2000) %}{% if i is odd %}{% continue %}{% endif %}{% if i > 4 %}{% break %}{% endif %}{{ i }}{% endfor %}',
      '024',
    ],
    [
      'loop, else and if of a loop',
      '{% for i in [1, 2, 3] if i > 1 %}{{ loop.index }}{{ i }}{% else %}no{% endfor %}',
      '1223',
    ],
    ['filter blocks and set blocks', '{% filter upper %}a{% endfilter %}{% set b %}c{% endset %}{{ b }}', 'Ac'],
    [
      'range in its three forms',
      '{{ range(2) }}{{ range(1, 3) }}{{ range(3, 0, -1) }}{{ range(0, 5, 2) }}',
      '[0, 1][1, 2][3, 2, 1][0, 2, 4]',
    ],
    [
      'slices, methods and operators',
      "{{ 'abc'[1:] }}{{ 'a,b'.split(',') }}{{ 'a-b'.replace('-', '+') }}{{ 'a' in 'ab' }}{{ 2 ** 3 }}",
      'bc["a", "b"]a+btrue8',
    ],
    [
      'filters with arguments',
      "{{ [1, 2] | join(', ') }}{{ {'b': 1} | tojson }}{{ ' a ' | trim }}{{ [{'n': 2}, {'n': 1}] | sort(attribute='n') | map(attribute='n') | join }}",
      '1, 2{"b": 1}a12',
    ],
    ['conditions in an expression', "{{ 'a' if false else 'b' }}{{ not true }}{{ 1 == 1 and 'x' }}", 'bfalsex'],
  ])('%s', (_, text, rendered) => {
    expect(parseTemplate(text).render({})).toBe(rendered);
  });
});

test.each(['{{ range(1, 2, 0) }}', '{{ range(1.5) }}'])('a range without an end or of parts is refused: %s', (text) => {
  expect(() => parseTemplate(text).render({})).toThrow('range() takes whole numbers, and a step that is not 0');
});

test('a variable may have a name that Jinja gives to something else', () => {
  expect(parseTemplate('{{ range }} {{ namespace }}').render({ range: 'a', namespace: 'b' })).toBe('a b');
});
