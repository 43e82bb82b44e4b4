import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isReaderGone, linePrinter } from './lines.js';

test('each line is written before its promise resolves', async () => {
  const stream = new PassThrough();
  const print = linePrinter(stream);
  await print('one');
  await print('two');
  stream.end();
  expect(await text(stream)).toBe('one\ntwo\n');
});

test('a reader of a real pipe that goes away is no error, and later lines are lost', async () => {
  const reader = spawn('head', ['-n', '1'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const print = linePrinter(reader.stdin);
  const read = text(reader.stdout);
  const closed = once(reader.stdin, 'close');
  await print('first');
  await once(reader, 'exit');
  // What a pipe buffers is written without an error: so much is not.
  for (let line = 0; line < 20; line++) await print('x'.repeat(100_000));
  await closed;
  await print('after the end');
  expect(await read).toBe('first\n');
});

test('a stream that was ended or destroyed is a reader that is gone', async () => {
  const stream = new PassThrough();
  const print = linePrinter(stream);
  stream.destroy();
  await print('lost');
  await print('lost');
  expect(isReaderGone(Object.assign(new Error('write EIO'), { code: 'EIO' }))).toBe(true);
  expect(isReaderGone(new Error('something else'))).toBe(false);
});

test('another error, such as a full disk, is thrown', () => {
  const stream = new PassThrough();
  linePrinter(stream);
  expect(() => stream.emit('error', Object.assign(new Error('no space left'), { code: 'ENOSPC' }))).toThrow('no space');
});
