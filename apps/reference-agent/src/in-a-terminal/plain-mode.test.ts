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
  test.each([
    ['--plain', ['--plain'], {}],
    ['TERM=dumb', [], { TERM: 'dumb' }],
  ] as const)(
    '%s: a task, a no with a reason, a yes, an interrupt; the cursor is never moved',
    async (_, args, env) => {
      const rig = await terminalRig();
      const { model } = rig;
      const terminal = rig.open(args, { env, columns: 100, rows: 60 });
      const call = (name: string) => ({ calls: [use('run_command', { command: `touch ${name}` })] });
      model.will(call('one'), call('two'), { text: 'One was made, \x1b[2J\x1b]0;mine\x07and one was not.' });
      await answer(terminal, '>', 'Make two files.');
      await answer(terminal, 'Answer:', 'n not this one');
      await answer(terminal, 'Answer:', 'y');
      await terminal.waitFor('and one was not.');
      expect(model.lastRead).toContain('not this one');
      expect(['one', 'two'].map((name) => existsSync(join(rig.workspace, name)))).toEqual([false, true]);

      model.will({ text: 'This answer never ends.', delivery: { fault: 'stall', afterEvents: 5 } });
      await answer(terminal, '>', 'Say more.');
      await terminal.waitFor('This answer');
      terminal.press('Ctrl-C');
      await terminal.waitFor('Interrupted.');
      await answer(terminal, '>', '/help');
      await terminal.waitFor('/quit');
      await terminal.waitFor(() => terminal.text().trimEnd().endsWith('>'));
      terminal.press('Ctrl-D');
      expect(await terminal.ended).toMatchObject({ status: 0 });
      expect(terminal.output()).not.toContain('\x1b');
      expect(terminal.effects).toEqual([]);
      expect(terminal.modesLeft()).toEqual([]);
    },
  );
});
