import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { use } from '../../test-support/scripted-model.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';
import type { Terminal } from '../../test-support/terminal/terminal.js';

/** Types a line when the program asks for one. */
async function answer(terminal: Terminal, prompt: string, line: string): Promise<void> {
  await terminal.waitFor(
    Object.assign(() => terminal.text().trimEnd().endsWith(prompt), { toString: () => `the prompt '${prompt}'` }),
  );
  terminal.type(`${line}\r`);
  // The terminal itself echoes it, and no prompt stands at the end any more.
  await terminal.waitFor(() => terminal.text().includes(`${prompt} ${line}`));
}

describe.skipIf(pty === undefined)('without a screen, line by line', () => {
  test('where nothing can be drawn on: an approval and an interrupt; the cursor is never moved', async () => {
    const rig = await terminalRig();
    const { model } = rig;
    const terminal = rig.open([], { env: { TERM: 'dumb' }, columns: 100, rows: 60 });
    model.will(
      { calls: [use('run_command', { command: 'touch one' })] },
      { text: 'It was made, \x1b[2J\x1b]0;mine\x07.' },
      { text: 'This answer never ends.', delivery: { fault: 'stall', afterEvents: 5 } },
    );
    await answer(terminal, '>', 'Make a file.');
    await answer(terminal, 'Answer:', 'y');
    await terminal.waitFor('It was made');
    expect(existsSync(join(rig.workspace, 'one'))).toBe(true);
    await answer(terminal, '>', 'Say more.');
    await terminal.waitFor('This answer');
    terminal.press('Ctrl-C');
    await terminal.waitFor('Interrupted.');
    await terminal.waitFor(() => terminal.text().trimEnd().endsWith('>'));
    terminal.press('Ctrl-D');
    expect(await terminal.ended).toMatchObject({ status: 0 });
    expect(terminal.output()).not.toContain('\x1b');
    expect(terminal.effects).toEqual([]);
    expect(terminal.modesLeft()).toEqual([]);
  });
});
