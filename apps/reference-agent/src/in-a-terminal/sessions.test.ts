import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../test-support/running-processes.js';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

const write = (path: string, content: string) => ({ calls: [use('write_file', { path, content })] });

describe.skipIf(pty === undefined)('a session', () => {
  test('goes on after kill -9 in the middle of a command, with all that was said', async () => {
    const rig = await terminalRig({ config: '[permissions]\nallow = ["run_command(sleep *)"]\n' });
    const sleep = `sleep 64${process.pid}`;
    const { model } = rig;
    const killed = rig.open();
    model.will({ text: 'The first answer.' }, { calls: [use('run_command', { command: sleep })] });
    await say(killed, 'Say something.');
    await waitForState(killed, 'ready', 'The first answer.');
    await say(killed, 'Wait for long.');
    await waitForState(killed, 'running tools');
    await vi.waitUntil(() => isRunning(sleep), { timeout: 60_000 });
    killed.kill('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 9 });
    await vi.waitUntil(() => !isRunning(sleep), { timeout: 60_000 });

    const terminal = rig.open(['--continue']);
    await waitForState(terminal, 'ready', 'The first answer.');
    const shown = terminal.screen().join('\n');
    expect(shown).toContain('Say something.');
    expect(shown).toContain('Wait for long.');
    model.will({ text: 'I know what was cut off.' });
    await say(terminal, 'Go on.');
    await waitForState(terminal, 'ready', 'I know what was cut off.');
    expect(model.lastRead).toMatch(/interrupted|cut off/i);
    expect(screenFaults(terminal)).toEqual([]);
  });

  test('goes back to before a message: the files, and a conversation that ends there', async () => {
    const rig = await terminalRig({ files: { 'a.txt': 'zero\n' }, config: '[permissions]\nallow = ["write_file"]\n' });
    const { model } = rig;
    const text = () => readFile(join(rig.workspace, 'a.txt'), 'utf8');
    const terminal = rig.open();
    model.will({ calls: [use('read_file', { path: 'a.txt' })] }, write('a.txt', 'one\n'), { text: 'It is one.' });
    await say(terminal, 'Make it one.');
    await waitForState(terminal, 'ready', 'It is one.');
    model.will(write('a.txt', 'two\n'), { text: 'It is two.' });
    await say(terminal, 'Make it two.');
    await waitForState(terminal, 'ready', 'It is two.');
    expect(await text()).toBe('two\n');

    await say(terminal, '/rewind');
    await terminal.waitFor('Back to before which message?');
    terminal.press('Enter');
    await terminal.waitFor('Go back?');
    terminal.press('Enter');
    await terminal.waitFor('goes on from there');
    expect(await text()).toBe('one\n');
    // The message is in the input line again, to be said in another way.
    await waitForState(terminal, 'ready', 'Make it two.');
    terminal.type(' Or three.');
    model.will({ text: 'Then three.' });
    terminal.press('Enter');
    await waitForState(terminal, 'ready', 'Then three.');
    expect(model.lastRead).toContain('Make it two. Or three.');
    expect(model.lastRead).not.toContain('It is two.');
    expect(model.lastRead).toContain('It is one.');
    expect(screenFaults(terminal)).toEqual([]);
    terminal.press('Ctrl-D');
    await terminal.ended;
    const list = rig.open(['list']);
    await list.ended;
    expect(
      list
        .text()
        .split('\n')
        .filter((line) => /Make it/.test(line)),
    ).toHaveLength(2);
  });
});
