import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { taskFrom } from './run.js';

const words = 'Why does it fail?';

/** What the task comes to, and what is told. Standard input is waited for as long as a test lasts, unless it is to be late. */
async function taken(stdin: Readable, flags: { readonly stdin?: boolean; readonly stdinMs?: number } = {}) {
  const { stdinMs = 600_000, ...more } = flags;
  let told = '';
  const stderr = { write: (text: string) => (told += text) };
  const interrupts = { signal: new AbortController().signal, exitStatus: 130 };
  const task = await taskFrom({ print: words, ...more }, { stdin, stderr, interrupts, waits: { stdinMs } });
  return { task, told };
}

test('standard input stands behind the task, to its end', async () => {
  const stdin = new PassThrough();
  stdin.write(Buffer.from('line 1\nhä').subarray(0, -1));
  const taking = taken(stdin, { stdinMs: 600_000 });
  await new Promise(setImmediate);
  stdin.end(Buffer.from('ä').subarray(1));
  expect(await taking).toEqual({ task: { words: `${words}\n\n<stdin>\nline 1\nhä\n</stdin>` }, told: '' });
});

test('standard input that is empty adds nothing, and is not told', async () => {
  expect(await taken(Readable.from([]))).toEqual({ task: { words }, told: '' });
  expect(await taken(Readable.from(['\n']))).toEqual({ task: { words }, told: '' });
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  expect(await taken(terminal)).toEqual({ task: { words }, told: '' });
});

test('standard input on which nothing comes in time is left, which is told; --stdin waits', async () => {
  const silent = new PassThrough();
  const { task, told } = await taken(silent, { stdinMs: 0 });
  expect(task).toEqual({ words });
  expect(told).toBe(
    'palimpsest: nothing came on standard input within 0 s: going on without it. --stdin waits for it.\n',
  );
  expect(silent.destroyed).toBe(true);
  const slow = new PassThrough();
  const taking = taken(slow, { stdinMs: 0, stdin: true });
  await new Promise(setImmediate);
  slow.end('late');
  expect(await taking).toEqual({ task: { words: `${words}\n\n<stdin>\nlate\n</stdin>` }, told: '' });
});

test('standard input that cannot be read is told', async () => {
  const broken = new Readable({ read: () => broken.destroy(new Error('EISDIR: it is a folder')) });
  expect(await taken(broken)).toEqual({
    task: { words },
    told: 'palimpsest: standard input cannot be read, going on without it: EISDIR: it is a folder\n',
  });
});

test('standard input that no model reads is refused, and not read to its end', async () => {
  const piece = 'x'.repeat(1_000_000);
  const endless = new Readable({ read: () => void endless.push(piece) });
  await expect(taken(endless)).rejects.toThrow('Standard input is longer than 10,000,000 characters');
  expect(endless.destroyed).toBe(true);
});

test('an interrupt ends the wait', async () => {
  const interrupted = new AbortController();
  const stderr = { write: () => undefined };
  const interrupts = { signal: interrupted.signal, exitStatus: 130 };
  for (const stdin of [false, true]) {
    const taking = taskFrom({ print: words, stdin }, { stdin: new PassThrough(), stderr, interrupts });
    interrupted.abort(new Error('SIGINT'));
    expect(await taking).toBe('interrupted');
  }
});
