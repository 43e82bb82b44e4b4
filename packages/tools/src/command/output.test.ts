import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import type { OutputMask } from './output.js';
import { runCommandTool } from './run-command-tool.js';
import { runCommand } from './run-command.js';
import type { RunCommandOptions } from './run-command.js';
import { LimitedOutput } from './output.js';

async function run(command: string, options: Partial<RunCommandOptions> = {}) {
  const workspace = await temporaryWorkspace();
  const directory = path.join((await temporaryWorkspace()).root, 'outputs');
  const result = await runCommand(workspace, command, {
    timeoutMs: 100_000,
    maxCharacters: 1_000,
    outputs: { directory },
    ...options,
  });
  return { result, directory };
}

test('the whole of a long output lies in a file that is named by what is in it', async () => {
  const { result, directory } = await run('echo first; seq 1 20000; echo last');
  const whole = `first\n${Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('')}last\n`;
  const handle = `output-${createHash('sha256').update(whole).digest('hex').slice(0, 32)}`;
  expect(result).toMatchObject({ isCut: true, characters: whole.length, kept: { handle, characters: whole.length } });
  expect(await readdir(directory)).toEqual([`${handle}.txt`]);
  expect(await readFile(path.join(directory, `${handle}.txt`), 'utf8')).toBe(whole);
  expect((await stat(path.join(directory, `${handle}.txt`))).mode & 0o077).toBe(0);
  expect(result.output).toContain(`left out; read_output with the handle '${handle}' reads all ${whole.length} …]`);
  expect(result.output).toMatch(/^first\n1\n[^]*20000\nlast\n$/);
});

test('a short output makes no file', async () => {
  const { result, directory } = await run('echo short');
  expect(result).toMatchObject({ output: 'short\n', isCut: false });
  expect(result.kept).toBeUndefined();
  await expect(readdir(directory)).rejects.toThrow();
});

test('a giant output costs little memory; its beginning is kept, up to the limit', async () => {
  const before = process.memoryUsage().rss;
  const workspace = await temporaryWorkspace();
  const { root } = await temporaryWorkspace();
  const outputs = { directory: path.join(root, 'outputs'), maxCharacters: 5_000_000 };
  const options = { timeoutMs: 100_000, outputs };
  const result = await runCommand(
    workspace,
    'yes "a line that comes again" | head -c 200000000; echo; echo last',
    options,
  );
  expect(result.characters).toBe(200_000_006);
  expect(result.kept).toMatchObject({ characters: 5_000_000 });
  expect(result.output).toContain('reads the first 5000000 of 200000006');
  expect(result.output).toMatch(/last\n$/);
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

test('where it cannot be kept, that is said, and the command goes on', async () => {
  const { root } = await temporaryWorkspace({ file: '' });
  const { result } = await run('seq 1 20000', { outputs: { directory: path.join(root, 'file') } });
  expect(result.kept).toMatchObject({ problem: expect.stringMatching(/EEXIST|ENOTDIR/) as string });
  expect(result.output).toMatch(/left out; they could not be kept: /);
  expect(result).toMatchObject({ exitStatus: 0, isCut: true });
});

test('an aborted command leaves no part of a file', async () => {
  const controller = new AbortController();
  const { root } = await temporaryWorkspace();
  const directory = path.join(root, 'outputs');
  const running = run('seq 1 20000; sleep 60', { outputs: { directory }, signal: controller.signal });
  while ((await readdir(directory).catch(() => [])).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await expect(running).rejects.toThrow(/abort/);
  expect(await readdir(directory)).toEqual([]);
});

test('what is masked is masked before the output is cut or kept', async () => {
  // A mask as `secretMask` makes it: it holds back what may become the value.
  const mask: OutputMask = (emit) => {
    let rest = '';
    return {
      write: (text) => {
        rest = (rest + text).replaceAll('hunter2-secret', '[secret X]');
        emit(rest.slice(0, -14));
        rest = rest.slice(-14);
      },
      end: () => emit(rest),
    };
  };
  const command =
    'i=0; while [ $i -lt 300 ]; do printf "hunter2-secret %s " $i; i=$((i+1)); done; printf "hunter2-"; sleep 0.1; printf "secret"';
  const { result, directory } = await run(command, { mask });
  const [file = ''] = await readdir(directory);
  const kept = await readFile(path.join(directory, file), 'utf8');
  expect(kept).toMatch(/^\[secret X\] 0 [^]*\[secret X\]$/);
  for (const text of [kept, result.output]) expect(text).not.toMatch(/hunter2|-secret/);
});

test('bytes that are no text, and characters that come in two pieces', async () => {
  const { result } = await run(
    `printf 'gr\\374n\\n'; printf '\\360\\237'; sleep 0.05; printf '\\230\\200\\n'; head -c 3000 /dev/urandom | tr -d '\\n'; printf '\\nend\\n'`,
  );
  expect(result.output).toMatch(/^gr\ufffdn\n😀\n\[… \d+ characters that are no text …\]\nend\n$/);
});

test('terminal sequences do not reach the model', async () => {
  const { result } = await run(`printf '\\033]0;owned\\007\\033[2J\\033[31mred\\033[0m\\n10%%\\r20%%\\r100%%\\n'`);
  expect(result.output).toBe('red\n100%\n');
});

test('the tool shows no more than the model may read, with one note', async () => {
  const workspace = await temporaryWorkspace();
  const outputs = { directory: path.join((await temporaryWorkspace()).root, 'outputs') };
  const tool = runCommandTool(workspace, { outputs });
  const result = await tool.execute(tool.parseInput({ command: 'seq 1 20000' }), {
    ...noContext,
    maxOutputCharacters: 2_000,
  });
  const { content, details } = result as { readonly content: string; readonly details: Record<string, unknown> };
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(content.match(/left out/g)).toHaveLength(1);
  expect(details).toMatchObject({
    outputHandle: expect.stringMatching(/^output-[\da-f]{32}$/) as string,
    outputCharacters: 108_894,
  });
});

const outputOf = (limit: number, pieces: readonly string[]) => {
  const output = new LimitedOutput(limit);
  for (const piece of pieces) output.add(piece);
  return output;
};

/**
 * Any character but half a surrogate pair. `unit: 'binary'` of fast-check is the same, with a map of all 1,112,064 characters that it
 * makes when the first text is asked for: nearly a second, and 80 MB that stay. With the way back, texts such as `__proto__` are tried.
 */
const anyCharacter = fc
  .nat(0x10_ff_ff)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map(
    (code) => String.fromCodePoint(code),
    (text) => String(text).codePointAt(0) ?? Number.NaN,
  );

test('keeps all that fits, in whatever pieces it comes, and cuts no character in two', () => {
  const pieces = fc.array(fc.string({ unit: anyCharacter, maxLength: 8 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 40 }), (written, limit) => {
      const whole = written.join('');
      const output = outputOf(limit, written);
      expect(output.length).toBe(whole.length);
      expect(output.isCut).toBe(whole.length > limit);
      const shown = output.toString();
      expect(shown.isWellFormed()).toBe(true);
      if (!output.isCut) {
        expect(shown).toBe(whole);
        return;
      }
      const [, head = '', left, tail = ''] = /^([^]*)\n\[… (\d+) characters left out …\]\n([^]*)$/.exec(shown) ?? [];
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      expect(head.length + Number(left) + tail.length).toBe(whole.length);
      expect(head.length + tail.length).toBeLessThanOrEqual(limit);
      expect(head.length + tail.length).toBeGreaterThanOrEqual(limit - 2);
    }),
    { seed: 20_261_122, numRuns: 500 },
  );
});

test('a cut inside of a character leaves the character out', () => {
  expect(outputOf(6, ['ab😀', 'cd😀ef']).toString()).toBe('ab\n[… 4 characters left out …]\n😀ef');
});
