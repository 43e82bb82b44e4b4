import { Template } from '@huggingface/jinja';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate } from './template.js';

// What we put between the steps of the library spends a budget and changes no text.

const pieces = [
  '{{ x }}',
  '{{ xs }}{{ m }}{{ m.a }}',
  "{{ m['a'] }}{{ m.items() }}{{ m.keys() }}{{ m.values() }}{{ m.get('q', 5) }}",
  "{{ xs[1:] }}{{ xs[-1] }}{{ 'abc'[::-1] }}{{ 'abc'[0] }}",
  "{{ 'a,b' | upper }}{{ 'ab' | capitalize }}{{ 'ab cd' | title }}{{ ' q '.strip() }}",
  "{{ xs | join('-') }}{{ xs | join }}{{ xs | sort }}{{ xs | sort(reverse=true) }}{{ xs | unique }}{{ xs | reverse }}",
  '{{ m | tojson }}{{ m | tojson(indent=2) }}{{ m | dictsort }}{{ m | items }}',
  "{{ x ~ 'y' ~ xs }}{{ x + 1 }}{{ 7 // 2 }}{{ 7 % 4 }}{{ 2 ** 3 }}{{ -x }}{{ 1 / 2 }}",
  "{{ 'ab'.replace('a', 'c') }}{{ 'abc' | replace('b', 'XX') }}{{ 'abc'.replace('', '-') }}",
  "{{ 'a b c'.split() }}{{ 'a-b-c'.split('-', 1) }}{{ 'Ab'.startswith('A') }}{{ 'Ab'.endswith('b') }}",
  "{{ x in xs }}{{ 'a' in m }}{{ 'a' not in 'abc' }}{{ x == 1 and xs != 1 }}",
  '{% if x > 1 %}A{% elif x == 1 %}B{% else %}C{% endif %}',
  '{% for i in xs %}{{ loop.index }}:{{ i }}{% if not loop.last %},{% endif %}{% endfor %}',
  '{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}{% for k in m %}{{ k }}{% endfor %}',
  '{% for i in xs if i > 1 %}{{ i }}{% else %}none{% endfor %}{% for i in [] %}{% else %}E{% endfor %}',
  '{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}',
  '{% set y = x %}{{ y }}{% set y %}a{{ x }}{% endset %}{{ y }}',
  '{% set n = namespace(c=0) %}{% for i in xs %}{% set n.c = n.c + i %}{% endfor %}{{ n.c }}',
  '{% macro f(a, b=2) %}<{{ a }}{{ b }}>{% endmacro %}{{ f(x) }}{{ f(x, b=xs) }}{{ f(*[1, 2]) }}',
  '{% macro g() %}[{{ caller() }}]{% endmacro %}{% call g() %}z{% endcall %}{% filter upper %}a{{ x }}{% endfilter %}',
  "{{ [{'n': 2}, {'n': 1}] | map(attribute='n') | list }}{{ [{'n': 2}] | selectattr('n', 'eq', 2) | list | length }}",
  "{{ 'a\\nb' | indent(2) }}{{ 'a\\nb' | indent(width=3, first=true) }}{{ 'é' | tojson(ensure_ascii=true) }}",
  "{{ 1 if x else 2 }}{{ 't' if none }}{{ x is odd and x is number }}{{ none is none }}",
  "{{ zz | default('d') }}{{ zz is defined }}{{ '' | default('e', true) }}{{ '3' | int + 1 }}{{ '3.5' | float }}",
  '{{ [1, [2, {"a": 3}]] }}{{ true }}{{ none }}{{ 1.0 }}',
  '\n  {% if true %}\n w\n  {% endif %}\n',
  '  {%- if true -%}  q  {%- endif -%}  {# c #}',
  // The library refuses these.
  "{{ 'a' * 3 }}",
  '{{ x.y() }}',
  '{{ xs | nothing }}',
  '{{ (1, 2) }}',
];
const values = { x: 1, xs: [3, 1, 2], m: { a: 1, b: 'two' } };

function outcome(render: () => string): string {
  try {
    return `renders ${render()}`;
  } catch {
    return 'refuses';
  }
}

test('a template renders what the library renders, and is refused where the library refuses it', () => {
  const ends = new Set<string>();
  const text = fc
    .tuple(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }), fc.constantFrom('', ' ', '\n'))
    .map(([parts, between]) => parts.join(between));
  fc.assert(
    fc.property(text, (template) => {
      const expected = outcome(() => new Template(template).render(structuredClone(values)));
      ends.add(expected.slice(0, 7));
      expect(outcome(() => parseTemplate(template, { trimBlocks: true }).render(values))).toBe(expected);
    }),
    { numRuns: 1_000, seed: 20_261_122 },
  );
  expect([...ends].sort()).toEqual(['refuses', 'renders']);
});
