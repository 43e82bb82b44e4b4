import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { processInterrupts } from './interrupts.js';

function fakeProcess() {
  const exits: number[] = [];
  const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() };
  const host = Object.assign(new EventEmitter(), streams, { exit: (status: number) => exits.push(status) });
  return { host, exits, interrupts: processInterrupts(host as unknown as NodeJS.Process) };
}

test('the first signal interrupts, the second one ends the process at once', () => {
  const { host, exits, interrupts } = fakeProcess();
  host.emit('SIGTERM');
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 143 });
  expect(exits).toEqual([]);
  host.emit('SIGINT');
  expect(exits).toEqual([130]);
});

test('a reader that goes away interrupts; any other error of an output is thrown', () => {
  const { host, interrupts } = fakeProcess();
  host.stderr.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  expect(interrupts.signal.aborted).toBe(false);
  host.stdout.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  expect(interrupts).toMatchObject({ signal: { aborted: true }, exitStatus: 141 });
  expect(() => host.stdout.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }))).toThrow('full');
});
