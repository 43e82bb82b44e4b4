import { expect, test } from 'vitest';
import { parseTemplate } from './template.js';

const used = (text: string, includes: Record<string, string> = {}) =>
  parseTemplate(text, { includes }).variables.map(({ path, written, isOptional, file, line }) =>
    [path, written, isOptional ? 'optional' : 'required', `${file}:${line}`].join(' '),
  );

test('a template says what it uses, and where first', () => {
  expect(used('{{ a }}\n{{ b.c }}{{ a }}\n{% if d %}\n{{ e[f] }}{% endif %}')).toEqual([
    'a a required template:1',
    'b b required template:2',
    'd d required template:3',
    'e e required template:4',
    'f f required template:4',
  ]);
});

test('members of the items of a list are named with the list', () => {
  expect(used('{% for one in list %}{{ one.x }}{{ loop.index }}{{ one["y"] }}{% endfor %}')).toEqual([
    'list list required template:1',
    'list[].x one.x required template:1',
  ]);
});

test('what a template sets itself is none of its variables', () => {
  const text =
    '{% set a = 1 %}{% set b, c = [1, 2] %}{% set ns = namespace(x=1) %}{% set ns.x = 2 %}' +
    '{% macro m(d, e=2) %}{{ a }}{{ b }}{{ c }}{{ d }}{{ e }}{{ varargs }}{% endmacro %}{{ m(1, e=3) }}' +
    '{% for k, v in {"x": 1}.items() %}{{ k }}{{ v }}{% endfor %}{{ range(3) }}{{ true and none }}';
  expect(used(text)).toEqual([]);
});

test('names of filters, tests and arguments are none; what is given to them is', () => {
  expect(
    used("{{ x | join(y) | default('z') | replace('a', b) }}{{ x is defined }}{{ x | tojson(indent=c) }}"),
  ).toEqual([
    'x x required template:1',
    'y y required template:1',
    'b b required template:1',
    'c c required template:1',
  ]);
});

test('what is only asked for is optional, until it is used', () => {
  expect(
    used("{% if a is defined %}{% endif %}{{ b | default('x') }}\n{% if c is undefined %}{{ c }}{% endif %}"),
  ).toEqual(['a a optional template:1', 'b b optional template:1', 'c c required template:2']);
});

test('in an included part they have its place', () => {
  expect(used("\n{% include 'part' %}{{ a }}", { part: '\n\n{{ b }}' })).toEqual([
    'b b required part:3',
    'a a required template:2',
  ]);
});
