import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { processInterrupts } from './context.js';

function fakeProcess() {
  const exits: number[] = [];
  const said: string[] = [];
  const stderr = Object.assign(new EventEmitter(), { write: (text: string) => said.push(text) });
  const streams = { stdout: new EventEmitter(), stderr, exitCode: 0 };
  const host = Object.assign(new EventEmitter(), streams, { exit: (status: number) => exits.push(status) });
  return { host, exits, said, interrupts: processInterrupts(host as unknown as NodeJS.Process) };
}

test('the first signal interrupts, the second one ends the process at once', () => {
  const { host, exits, interrupts } = fakeProcess();
  host.emit('SIGTERM');
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 143 });
  expect(exits).toEqual([]);
  host.emit('SIGINT');
  expect(exits).toEqual([130]);
});

test('SIGINT can be taken by who talks with the user; a process that ends is still ended by it', () => {
  const { host, exits, interrupts } = fakeProcess();
  let taken = 0;
  interrupts.onSigint?.(() => taken++);
  host.emit('SIGINT');
  host.emit('SIGINT');
  expect([taken, interrupts.signal.aborted, exits]).toEqual([2, false, []]);
  host.emit('SIGHUP');
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 129 });
  host.emit('SIGINT');
  expect([taken, exits]).toEqual([2, [130]]);
});

test('a reader that goes away interrupts', () => {
  const { host, interrupts } = fakeProcess();
  host.stderr.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  expect(interrupts.signal.aborted).toBe(false);
  host.stdout.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 141 });
});

test('output that cannot be written is told once, ends the run, and is a failure whatever the command says', () => {
  const { host, said, interrupts } = fakeProcess();
  for (const _ of [1, 2]) host.stdout.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }));
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 1 });
  expect(said).toEqual(['palimpsest: cannot write to standard output: full\n']);
  host.emit('exit');
  expect(host.exitCode).toBe(1);
});
