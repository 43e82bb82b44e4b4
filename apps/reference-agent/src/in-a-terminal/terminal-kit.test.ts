import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { emulatedScreen } from '../../test-support/terminal/emulated-screen.js';
import { frameFaults } from '../../test-support/terminal/frame-faults.js';
import { screenPicture } from '../../test-support/terminal/screen-picture.js';
import { openTerminal, palimpsest, pty } from '../../test-support/terminal/terminal.js';
import type { TerminalOptions } from '../../test-support/terminal/terminal.js';

/** The terminal of the tests, which must see what is wrong before it can show that nothing is. */

const begin = '\x1b[?2026h';
const end = '\x1b[?2026l';

async function painted(...texts: readonly string[]) {
  const screen = emulatedScreen(10, 4);
  for (const text of texts) await screen.write(text);
  return screen;
}

test('a frame is what is seen at the end of an update, and nothing is seen before', async () => {
  const screen = await painted(`${begin}one\r\ntwo${end}`, `${begin}\rthree`);
  expect(screen.screen()).toEqual(['one', 'two', '', '']);
  await screen.write(end);
  expect(screen.screen()).toEqual(['one', 'three', '', '']);
  expect(screen.frames.map(({ lines }) => lines[1])).toEqual(['two', 'three']);
  expect(frameFaults(screen.frames)).toEqual([]);
});

test.each([
  ['a line that is too wide', [`${begin}one${end}`, `${begin}\rmore than ten${end}`], 'frame 1: lines 1 were wrapped'],
  [
    'text outside of an update',
    [`${begin}one${end}`, 'two', `${begin}${end}`],
    'frame 1: text was painted before it, outside of an update',
  ],
] as const)('%s is a fault', async (_, texts, fault) => {
  const faults = frameFaults((await painted(...texts)).frames);
  expect(faults).toEqual([expect.stringContaining(fault)]);
});

test('a rule of the caller is a fault of each frame that breaks it', async () => {
  const screen = await painted(`${begin}one${end}`, `${begin}two${end}`);
  const faults = frameFaults(screen.frames, (lines) =>
    lines[0]?.includes('two') === true ? 'there is a two' : undefined,
  );
  expect(faults).toEqual([expect.stringContaining('frame 1: there is a two')]);
});

test('what reaches beyond the text is recorded', async () => {
  const { effects } = await painted('\x1b]0;mine\x07\x1b]52;c;cGFsaW1wc2VzdA==\x1b\\\x07\x1b[?1049h\x1b[?1000h');
  expect(effects).toEqual(['title mine', 'clipboard c;cGFsaW1wc2VzdA==', 'bell', 'alternate screen', 'mouse']);
});

test('modes that a shell does not want are found until they are off', async () => {
  const screen = await painted('\x1b[?25l\x1b[?2004h\x1b[>7u\x1b[>4;2m\x1b[?1h\x1b[?1004h\x1b[?7l');
  expect(screen.modesLeft()).toEqual([
    ...['cursor hidden', '1 keyboard protocols', 'modifyOtherKeys', 'bracketed paste'],
    ...['application cursor keys', 'focus', 'no wraparound'],
  ]);
  await screen.write('\x1b[?25h\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?1l\x1b[?1004l\x1b[?7h');
  expect(screen.modesLeft()).toEqual([]);
});

test('a picture has the text, the colours and the ground of the cells', async () => {
  const screen = await painted('\x1b[1;31mred\x1b[0m <&>\r\n\x1b[38;5;196;48;2;1;2;3m\u{4f60}x');
  const picture = screenPicture(screen.cells(), 'A <title>');
  expect(picture).toContain('<title>A &lt;title&gt;</title>');
  expect(picture).toContain('xml:space="preserve" fill="#ff7b72" font-weight="bold">red</text>');
  expect(picture).toContain('>&lt;&amp;&gt;</text>');
  expect(picture).toContain('width="25.2" height="18" fill="#010203"');
  expect(picture).toContain('fill="#ff0000">\u{4f60}x</text>');
});

describe.skipIf(pty === undefined)('a program in a pseudo-terminal', () => {
  const open = (options: Omit<TerminalOptions, 'cwd' | 'env'>) => {
    const terminal = openTerminal({
      ...options,
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
    });
    onTestFinished(() => terminal.close());
    return terminal;
  };
  const node = (program: string) => open({ command: [process.execPath, '-e', program], columns: 40, rows: 10 });

  test('1 MB of paste arrives whole, in brackets', async () => {
    const terminal = node(`
      const digest = require('node:crypto').createHash('sha256');
      let bytes = 0;
      process.stdin.setRawMode(true).on('data', (data) => {
        digest.update(data);
        bytes += data.length;
        if (bytes === 2 ** 20 + 12) process.stdout.write('\\n' + digest.digest('hex').slice(0, 32), () => process.exit(3));
      });
      process.stdout.write('\\x1b[?2004hready');`);
    await terminal.waitFor('ready');
    const text = 'a line of fifteen\r\n'.repeat(2 ** 20).slice(0, 2 ** 20);
    terminal.paste(text);
    expect(await terminal.ended).toMatchObject({ status: 3 });
    const digest = createHash('sha256').update(`\x1b[200~${text}\x1b[201~`).digest('hex');
    expect(terminal.text()).toContain(digest.slice(0, 32));
    expect(terminal.modesLeft()).toEqual(['bracketed paste']);
  });

  test('what a program writes right before its end is read whole, also by a machine that comes to it late', async () => {
    const after = globalThis.setTimeout;
    // The 200 ms that node-pty waits for the rest are over at once.
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms?: number) =>
      ms === 200 ? callback() : after(callback, ms)) as typeof setTimeout);
    const text = 'x'.repeat(8_000);
    const terminal = open({ command: ['/bin/sh', '-c', `printf ${text}; exit 3`] });
    // Until node-pty has seen the end nothing is read: this thread waits.
    execFileSync('/bin/sh', ['-c', `while kill -0 ${terminal.pid} 2>/dev/null; do sleep 0.01; done`], {
      timeout: 10_000,
    });
    expect(await terminal.ended).toMatchObject({ status: 3 });
    expect(terminal.output()).toBe(text);
  });

  test('keys, a new size and a signal arrive', async () => {
    const terminal = node(`
      process.stdin.setRawMode(true).on('data', (key) => console.log(JSON.stringify(String(key))));
      process.stdout.on('resize', () => console.log(process.stdout.columns, process.stdout.rows));
      console.log('ready');`);
    await terminal.waitFor('ready');
    terminal.press('Up', 'Ctrl-C');
    await terminal.waitFor(String.raw`\u0003`);
    expect(terminal.text()).toContain(String.raw`\u001b[A`);
    terminal.resize(60, 20);
    await terminal.waitFor('60 20');
    terminal.kill('SIGTERM');
    expect(await terminal.ended).toMatchObject({ signal: 15 });
    await expect(terminal.waitFor('more')).rejects.toThrow(/ended before there was more\. The screen:\n(.*\n)*60 20$/);
  });

  test.each([60, 200])('palimpsest --help at %i columns, whole and through head', async (columns) => {
    const help = open({ command: [...palimpsest, '--help'], columns });
    const head = open({ command: ['sh', '-c', '"$@" --help | head -n 3', 'sh', ...palimpsest], columns });
    expect(await help.ended).toMatchObject({ status: 0 });
    expect(help.text()).toContain('--max-cost');
    // Lines are broken between words, not by the terminal.
    expect(
      Math.max(
        ...help
          .text()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(columns);
    expect(await head.ended).toMatchObject({ status: 0 });
    expect(head.text().trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(head.text()).not.toContain('EPIPE');
    for (const terminal of [help, head]) expect([...terminal.modesLeft(), ...terminal.effects]).toEqual([]);
  });
});
