import { expect, it } from 'vitest';
import { run } from './program.js';

const node = (script: string) => ({
  program: process.execPath,
  args: ['-e', script],
  env: {},
  cwd: import.meta.dirname,
});

it('returns what a program leaves', async () => {
  const finished = await run(node("console.log('out'); console.error('err'); process.exitCode = 3"), 60_000);
  expect(finished).toEqual({ output: 'out\n', errors: 'err\n', status: 3 });
});

it('ends a program that does not end', async () => {
  expect((await run(node('setInterval(() => {}, 1000)'), 500)).status).toBeUndefined();
});

it('talks with a program, and ends it then', async () => {
  const echo = node("process.stdin.on('data', (data) => console.log('heard ' + data))");
  const { output } = await run(echo, 60_000, async ({ write, until }) => {
    write('this');
    await until(/heard this/);
  });
  expect(output).toContain('heard this');
});
