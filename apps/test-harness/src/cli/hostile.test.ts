import { expect, test } from 'vitest';
import { harness } from '../../test-support/harness.js';

test('prints a table for each price of a cached token, or every result as JSON', async () => {
  const { code, stdout } = await harness('hostile', '-c', 'noOp', '--steps', '4');
  expect(code).toBe(0);
  for (const price of ['0.1', '0.05', '0.025']) expect(stdout).toContain(`4 steps, r = ${price}`);
  expect(stdout.match(/^noOp +0\.0 % +0\.0 % .* 0\.0 %$/gm)).toHaveLength(3);
  const { stdout: json } = await harness('hostile', '-c', 'noOp', '--steps', '4', '--json');
  const report = JSON.parse(json) as { readonly rows: unknown[]; readonly results: unknown[] };
  expect(report.rows[0]).toMatchObject({ steps: 4 });
  expect(report.rows).toHaveLength(3);
  expect(report.results).toHaveLength(135);
});
