import { expect, test } from 'vitest';
import { parseArguments } from '../../authoring/calls/arguments.js';
import { answeredIdentifiers, usedIdentifiers } from './identifiers.js';

const values = (facts: ReturnType<typeof usedIdentifiers>) =>
  facts.map((fact) => (fact.kind === 'identifier' ? `${fact.label}=${fact.value}` : ''));
const used = (input: unknown) => values(usedIdentifiers(parseArguments(JSON.stringify(input))));

test('arguments that are named so, and ids, hashes and addresses in texts', () => {
  expect(used({ order_id: '#W42', phone_number: '+1-555', url: 'https://example.com/a?b=1', count: 3 })).toEqual(
    ['order_id=#W42', 'phone_number=+1-555'].concat(['=https://example.com/a?b=1']),
  );
  expect(used({ cmd: 'git show 667da6d27c43 https://example.com/x.' })).toEqual([
    '=https://example.com/x',
    '=667da6d27c43',
  ]);
});

test('no secrets, and nothing that is no identifier', () => {
  expect(
    used({
      api_token: 'abc123def',
      password: 'hunter22',
      text: 'a defaced facade',
      flag: true,
      id: 'has blanks in it',
    }),
  ).toEqual([]);
});

test('an answer of a service gives its ids, one of a command only what it surely names', () => {
  const data =
    '{"reservation_id": "NO6JO3", "reservations": ["AIXC49"], "amount": 305, "access_token": "abcdef123456"} at 2024-05-20T12:17';
  expect(values(answeredIdentifiers(data, 'service'))).toEqual(['reservation_id=NO6JO3', '=AIXC49']);
  const output = 'error TS2802 in x\n[main 45ffe0a] Release\nhttps://example.com/help https://example.com/o/r/pull/12';
  expect(values(answeredIdentifiers(output, 'command'))).toEqual([
    '=https://example.com/o/r/pull/12',
    'commit=45ffe0a',
  ]);
});

test('no more than twelve of one answer', () => {
  const many = Array.from({ length: 50 }, (_, index) => `"flight_number": "HAT${100 + index}"`).join(',');
  expect(answeredIdentifiers(`{${many}}`, 'service')).toHaveLength(12);
});
