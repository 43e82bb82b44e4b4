/** A template that would take all time or all memory, and what it is given. */
export interface HostileTemplate {
  readonly name: string;
  readonly text: string;
  /** What becomes of it. */
  readonly says: string;
  readonly includes?: Readonly<Record<string, string>>;
  /** @defaultValue the default of the package */
  readonly maxSteps?: number;
}

const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';

/** What takes the longest is met at this part of its size; where CI tests thoroughly, at its whole size. */
const part = (count: number): number => (isThorough ? count : count / 5);

/** What takes all steps, one by one. */
const maxSteps = part(1_000_000);
const stopped = { says: `more than ${maxSteps} steps`, maxSteps };

const doubled = (times: number, statement: string): string => Array.from({ length: times }, () => statement).join('');

/** Parts that include each other twice: as many texts as 2 to the power of 40. */
const laughs = Object.fromEntries(
  Array.from({ length: 40 }, (_, level) => [
    `part-${level}`,
    level === 39 ? 'ha' : `{% include 'part-${level + 1}' %}{% include 'part-${level + 1}' %}`,
  ]),
);
const chain = Object.fromEntries(
  Array.from({ length: 5_000 }, (_, level) => [
    `link-${level}`,
    level === 4_999 ? 'x' : `{% include 'link-${level + 1}' %}`,
  ]),
);

export const hostileTemplates: readonly HostileTemplate[] = [
  { name: 'a long range', says: 'more than 1000000 steps', text: '{% for i in range(30000000) %}x{% endfor %}' },
  { name: 'a range that is only counted', says: 'more than 1000000 steps', text: '{{ range(900000000) | length }}' },
  { name: 'a range without an end', says: 'a step that is not 0', text: '{{ range(1, 2, 0) }}' },
  {
    name: 'a loop without a body',
    ...stopped,
    text: `{% for i in range(${part(900_000)}) %}{% endfor %}{% for i in range(${part(900_000)}) %}{% endfor %}`,
  },
  {
    name: 'loops in loops',
    ...stopped,
    text: doubled(6, '{% for i in range(1000) %}') + 'x' + doubled(6, '{% endfor %}'),
  },
  {
    name: 'empty loops in loops',
    ...stopped,
    text: doubled(6, '{% for i in range(1000) %}') + doubled(6, '{% endfor %}'),
  },
  {
    name: 'a filtered loop in a loop',
    ...stopped,
    text: `{% set all = range(${part(100_000)}) %}{% for i in all %}{% for j in all if j < 0 %}{% endfor %}{% endfor %}`,
  },
  {
    name: 'a text doubled',
    says: 'a text of more than 10000000 characters',
    text: `{% set a = 'xxxxxxxxxx' %}${doubled(60, '{% set a = a ~ a %}')}{{ a }}`,
  },
  {
    name: 'a text doubled with plus',
    says: 'a text of more than 10000000 characters',
    text: `{% set a = 'xxxxxxxxxx' %}${doubled(60, '{% set a = a + a %}')}{{ a | length }}`,
  },
  {
    name: 'a text doubled in blocks',
    says: 'a text of more than 10000000 characters',
    text: `{% set a = 'xxxxxxxxxx' %}${doubled(60, '{% set a %}{{ a }}{{ a }}{% endset %}')}`,
  },
  { name: 'a text multiplied', says: 'Unknown operator "*"', text: "{{ 'x' * 1000000000 }}" },
  {
    name: 'a list doubled',
    says: 'more than 1000000 steps',
    text: `{% set a = [1] %}${doubled(60, '{% set a = a + a %}')}{{ a | length }}`,
  },
  {
    name: 'a list in itself, printed',
    says: 'more than 1000000 steps',
    text: `{% set a = ['x'] %}${doubled(60, '{% set a = [a, a] %}')}{{ a }}`,
  },
  {
    name: 'a list in itself, as JSON',
    says: 'more than 1000000 steps',
    text: `{% set a = ['x'] %}${doubled(60, '{% set a = [a, a] %}')}{{ a | tojson }}`,
  },
  {
    name: 'a list in itself, compared',
    says: 'more than 1000000 steps',
    text: `{% set a = ['x'] %}${doubled(60, '{% set a = [a, a] %}')}{{ a == 'x' }}`,
  },
  {
    name: 'a list in itself, joined to a text',
    says: 'more than 1000000 steps',
    text: `{% set a = ['x'] %}${doubled(60, '{% set a = [a, a] %}')}{{ 'x' ~ a }}`,
  },
  {
    name: 'a list in itself, joined',
    says: 'more than 1000000 steps',
    text: `{% set a = ['x'] %}${doubled(60, '{% set a = [a, a] %}')}{{ a | join(',') }}`,
  },
  {
    name: 'a map in itself, sorted',
    says: 'more than 1000000 steps',
    text: `{% set a = {'x': 'y'} %}${doubled(60, "{% set a = {'x': a, 'y': a} %}")}{{ a | string }}`,
  },
  {
    name: 'a large join',
    says: 'a text of more than 10000000 characters',
    text: `{% set a = 'x' %}${doubled(22, '{% set a = a ~ a %}')}{{ range(100000) | join(a) }}`,
  },
  {
    name: 'a large replacement',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(22, '{% set a = a ~ a %}')}{{ a | replace('x', a) }}`,
  },
  {
    name: 'a large replacement by a method',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(22, '{% set a = a ~ a %}')}{{ a.replace('', a) }}`,
  },
  {
    name: 'a large replacement by a member in brackets',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(22, '{% set a = a ~ a %}')}{{ a['replace']('x', a) }}`,
  },
  {
    name: 'a wide indent',
    says: 'a text of more than 10000000 characters',
    text: "{{ 'a\\nb\\nc' | indent(500000000) }}",
  },
  {
    name: 'wide JSON',
    says: 'a text of more than 10000000 characters',
    text: '{{ range(1000) | tojson(indent=100000000) }}',
  },
  {
    name: 'a search for what is nearly there',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(21, '{% set a = a ~ a %}')}{% set b = 'y' ~ a[:1000000] %}{% for i in range(1000) %}{{ b in a }}{% endfor %}`,
  },
  {
    name: 'slices of a long text',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(21, '{% set a = a ~ a %}')}{% for i in range(100000) %}{{ a[0:1] }}{% endfor %}`,
  },
  {
    name: 'a long text in capitals, often',
    says: 'more than 1000000 steps',
    text: `{% set a = 'x' %}${doubled(21, '{% set a = a ~ a %}')}{% for i in range(100000) %}{% if a | upper == 'x' %}{% endif %}{% endfor %}`,
  },
  {
    name: 'long texts sorted',
    says: 'a text of more than 10000000 characters',
    text: `{% set a = 'x' %}${doubled(20, '{% set a = a ~ a %}')}{% set l = [] %}{% for i in range(3) %}{% endfor %}{{ ([a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a] + [a]) | sort | length }}`,
  },
  {
    name: 'a long text split',
    says: 'more than 1000000 steps',
    text: `{% set a = 'xy' %}${doubled(22, '{% set a = a ~ a %}')}{% for i in range(100) %}{{ a.split('x') | length }}{% endfor %}`,
  },
  {
    name: 'a macro that calls itself',
    says: 'its parts stand in each other',
    text: '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  },
  {
    name: 'a macro that calls itself twice',
    ...stopped,
    text: '{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  },
  {
    name: 'a large macro, defined often',
    ...stopped,
    // So often that only what the macro holds takes all steps.
    text: `{% for i in range(${part(5_000)}) %}{% macro m() %}${doubled(5_000, '{{ 1 }}')}{% endmacro %}{% endfor %}`,
  },
  {
    name: 'arguments spread',
    ...stopped,
    // So many calls that only their arguments take all steps.
    text: `{% macro m() %}{{ varargs | length }}{% endmacro %}{% set a = range(${part(5_000)}) %}{% for i in range(${part(5_000)}) %}{{ m(*a) }}{% endfor %}`,
  },
  {
    name: 'names that are asked for',
    ...stopped,
    text: `{% for i in range(${part(300_000)}) %}{% if a is defined %}{% endif %}{% if b is defined %}{% endif %}{% endfor %}`,
  },
  {
    name: 'parentheses',
    says: 'its parts stand in each other',
    text: `{{ ${'('.repeat(part(200_000))}1${')'.repeat(part(200_000))} }}`,
  },
  { name: 'brackets', says: 'its parts stand in each other', text: `{{ ${'['.repeat(3_000)}${']'.repeat(3_000)} }}` },
  { name: 'negations', says: 'its parts stand in each other', text: `{{ ${'not '.repeat(part(100_000))}x }}` },
  { name: 'a long sum', says: 'its parts stand in each other', text: `{{ ${'1 + '.repeat(part(100_000))}1 }}` },
  {
    name: 'blocks in blocks',
    says: 'its parts stand in each other',
    text: doubled(part(20_000), '{% if true %}') + doubled(part(20_000), '{% endif %}'),
  },
  { name: 'tags that do not end', says: 'Missing end of comment tag', text: '{#'.repeat(400_000) },
  { name: 'many tags', says: `a text of ${part(190_000)} characters`, text: '{{1}}'.repeat(part(190_000)) },
  { name: 'white space', says: 'characters of white space in a row', text: ' '.repeat(900_000) + 'x' },
  {
    name: 'white space in pieces',
    says: `a text of ${part(990_000)} characters`,
    text: `${' '.repeat(999)}x`.repeat(part(990)),
  },
  { name: 'a long string', says: 'a text of 400000 characters', text: `{{ '${'\\\\'.repeat(400_000)}' }}` },
  {
    name: 'includes that include twice',
    says: 'has more than 1000000 characters',
    text: "{% include 'part-0' %}",
    includes: laughs,
  },
  { name: 'a chain of includes', says: 'more than 50 others', text: "{% include 'link-0' %}", includes: chain },
  { name: 'a large template', says: 'has more than 1000000 characters', text: 'x'.repeat(20_000_000) },
];
