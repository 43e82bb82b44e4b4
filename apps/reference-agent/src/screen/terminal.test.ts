import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { emulatedScreen } from '../../test-support/terminal/emulated-screen.js';
import { ProcessTerminal } from './terminal.js';

/** A terminal that was started, on streams that behave as those of a terminal do, behind what stood there before. */
async function started(before = '') {
  const screen = emulatedScreen(80, 24);
  await screen.write(before);
  const output = () =>
    Object.assign(
      new Writable({ write: (chunk: Buffer, _, done) => void screen.write(chunk.toString()).then(() => done()) }),
      { columns: 80, rows: 24, isTTY: true },
    );
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw), isTTY: true });
  const stray: string[] = [];
  const [stdout, stderr] = [output(), output()];
  const terminal = new ProcessTerminal({
    stdin: stdin as never,
    stdout: stdout as never,
    stderr: stderr as never,
    onStrayLine: (line) => stray.push(line),
  });
  onTestFinished(() => terminal.stop());
  const got: string[] = [];
  terminal.start(
    (data) => got.push(data),
    () => undefined,
  );
  /** Resolves when all that was typed is read, and all that was written is painted. */
  const settled = async () => {
    do await new Promise(setImmediate);
    while (stdin.writableLength + stdin.readableLength + stdout.writableLength > 0);
  };
  return { terminal, stdin, stdout, stderr, screen, modes, stray, settled, got };
}

test('the terminal is left as it was', async () => {
  const { terminal, screen, modes, settled } = await started('$ before');
  terminal.write('a frame');
  await settled();
  expect(screen.screen()[0]).toBe('a frame');
  terminal.stop();
  terminal.stop();
  await settled();
  expect(screen.screen()[0]).toBe('$ before');
  expect(screen.modesLeft()).toEqual([]);
  expect(modes).toEqual([true, false]);
});

test('what others write is told line by line, and the frame stays whole', async () => {
  const { terminal, screen, stdout, stderr, stray, settled } = await started();
  terminal.write('a frame');
  await new Promise<void>((resolve) => stderr.write('a warning\nand ', () => resolve()));
  stderr.write(Buffer.from('more\n'));
  stdout.write('stray\n');
  await settled();
  expect(stray).toEqual(['a warning', 'and more', 'stray']);
  expect(screen.screen()[0]).toBe('a frame');
  terminal.stop();
  stdout.write('after');
  await settled();
  expect(screen.text()).toContain('after');
});

test('the lines above the screen are the user’s own, and are not cleared', async () => {
  const { terminal, screen, settled } = await started();
  const written: string[] = [];
  const { write } = screen;
  screen.write = (text) => (written.push(text), write(text));
  terminal.write('\u001b[2J\u001b[H\u001b[3Jframe');
  await settled();
  expect(written.join('')).not.toContain('\u001b[3J');
});

test('keys come one by one, and a paste whole, however it is divided', async () => {
  const { stdin, settled, got } = await started();
  const text = `${'line\r\n'.repeat(2_000)}\u001b[A end`;
  const sent = `ab\u001b[A\u001b[200~${text}\u001b[201~c`;
  for (let at = 0; at < sent.length; at += 7) stdin.write(sent.slice(at, at + 7));
  await settled();
  expect(got).toEqual(['a', 'b', '\u001b[A', `\u001b[200~${text}\u001b[201~`, 'c']);
});

test('characters of two UTF-16 units come whole, also with a modifier', async () => {
  const { stdin, settled, got } = await started();
  // The four bytes of the last one come in two pieces.
  stdin.write(Buffer.from('a😀\u001b𝒳').subarray(0, -2));
  stdin.write(Buffer.from('𝒳').subarray(-2));
  await settled();
  expect(got).toEqual(['a', '😀', '\u001b𝒳']);
});

test('a terminal that knows the protocol of kitty is asked for it, and is given back without it', async () => {
  const { terminal, stdin, screen, settled, got } = await started();
  stdin.write('\u001b[?0u');
  await settled();
  expect(terminal.kittyProtocolActive).toBe(true);
  expect(screen.modesLeft()).toContain('1 keyboard protocols');
  expect(got).toEqual([]);
  terminal.stop();
  await settled();
  expect(screen.modesLeft()).toEqual([]);
});
