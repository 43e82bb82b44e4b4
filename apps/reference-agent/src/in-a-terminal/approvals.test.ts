import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, shownState, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

const run = (command: string) => ({ calls: [use('run_command', { command })] });

describe.skipIf(pty === undefined)('a call that waits for a yes', () => {
  test('no with a reason, once, for the session, by a rule that holds in the next session', async () => {
    const rig = await terminalRig({ files: { 'src/a.js': 'let a = 1;\nlet b = 2;\n' } });
    const { model } = rig;
    const terminal = rig.open();
    const there = (name: string) => existsSync(join(rig.workspace, name));

    model.will(run('touch denied'), { text: 'I will not.' });
    await say(terminal, 'Try it.');
    await waitForState(terminal, 'waits for your yes', 'touch denied');
    expect(there('denied')).toBe(false);
    terminal.press('Down', 'Down', 'Down', 'Enter');
    await terminal.waitFor('Why not?');
    terminal.type('No new files, please.');
    terminal.press('Enter');
    await waitForState(terminal, 'ready', 'I will not.');
    expect(model.lastRead).toContain('No new files, please.');
    expect(there('denied')).toBe(false);

    const edit = { path: 'src/a.js', old_text: 'let b = 2;', new_text: 'let b = 3;' };
    model.will({ calls: [use('edit_file', edit)] }, { text: 'Edited.' });
    await say(terminal, 'Edit it.');
    await waitForState(terminal, 'waits for your yes', 'let b = 3;');
    const shown = terminal.screen().join('\n');
    expect(shown).toMatch(/-.*let b = 2;/);
    expect(shown).toMatch(/\+.*let b = 3;/);
    expect(await readFile(join(rig.workspace, 'src/a.js'), 'utf8')).toContain('let b = 2;');
    terminal.type('1');
    await waitForState(terminal, 'ready', 'Edited.');
    expect(await readFile(join(rig.workspace, 'src/a.js'), 'utf8')).toContain('let b = 3;');

    // For this session: the same command runs again without a question.
    model.will(run('echo for-now > one'), run('echo for-now > one'), { text: 'Ran twice.' });
    await say(terminal, 'Run it twice.');
    await waitForState(terminal, 'waits for your yes', 'for-now');
    terminal.type('2');
    await waitForState(terminal, 'ready', 'Ran twice.');
    expect(there('one')).toBe(true);

    // By a rule, which the next session knows too.
    model.will(run('touch kept'), { text: 'Touched.' });
    await say(terminal, 'Touch it.');
    await waitForState(terminal, 'waits for your yes', 'touch kept');
    terminal.type('3');
    await terminal.waitFor('The rule that allows');
    terminal.press('Enter');
    await waitForState(terminal, 'ready', 'Touched.');
    expect(screenFaults(terminal)).toEqual([]);
    terminal.press('Ctrl-D');
    await terminal.ended;

    const next = rig.open();
    model.will(run('touch kept'), { text: 'Touched again.' }, run('echo for-now > one'));
    await say(next, 'Touch it.');
    await waitForState(next, 'ready', 'Touched again.');
    await say(next, 'Run it.');
    await waitForState(next, 'waits for your yes', 'for-now');
    expect(shownState(next)).toBe('waits for your yes');
  });
});
