import { expect, test } from 'vitest';
import { readTestResults } from './test-results.js';

const any = () => true;

test.each([
  ['pytest', 'FAILED tests/test_a.py::test_x - assert 1 == 2', 'tests/test_a.py::test_x'],
  ['pytest -v', 'tests/test_a.py::test_x FAILED   [ 50%]', 'tests/test_a.py::test_x'],
  ['unittest', 'FAIL: test_x (pkg.TestA)', 'test_x (pkg.TestA)'],
  ['go', '    --- FAIL: TestA/sub_case (0.00s)', 'TestA/sub_case'],
  ['go, a package', 'FAIL\texample.com/pkg\t0.123s', 'example.com/pkg'],
  ['cargo', 'test parser::tests::comments ... FAILED', 'parser::tests::comments'],
  ['TAP', 'not ok 3 - parses comments # time=1ms', 'parses comments'],
  ['vitest', ' FAIL  src/a.test.ts > parser > comments', 'src/a.test.ts > parser > comments'],
  ['vitest, coloured', '\u001b[31m × parses comments\u001b[39m 12ms', 'parses comments'],
  ['jest', '    ✕ parses comments (12 ms)', 'parses comments'],
  ['node:test', '✖ parses comments (1.234ms)', 'parses comments'],
  ['gradle', 'FooTest > bar FAILED', 'FooTest > bar'],
  ['rspec', 'rspec ./spec/a_spec.rb:12 # A does x', './spec/a_spec.rb:12'],
])('%s', (_runner, line, name) => {
  expect(readTestResults(`before\n${line}\nafter`, any)).toEqual({ failing: [name], passing: [] });
});

test('passing tests are read only where they matter', () => {
  const output = '✓ first (1 ms)\n✓ second\nok 3 - third\n--- PASS: TestA (0.00s)\ntests/a.py::test_x PASSED';
  expect(readTestResults(output, (name) => name !== 'first')).toEqual({
    failing: [],
    passing: ['second', 'third', 'TestA', 'tests/a.py::test_x'],
  });
});

test('headings, prose and long lines are no tests', () => {
  const output = `✖ failing tests:\nThe build failed because of an error.\nx 3\n✕ ${'long '.repeat(200)}`;
  expect(readTestResults(output, any)).toEqual({ failing: [], passing: [] });
});
