import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isRunning, runningProcesses } from '../../test-support/running-processes.js';
import { gate, use } from '../../test-support/scripted-model.js';
import { say, shownState, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { openTerminal, palimpsest, pty } from '../../test-support/terminal/terminal.js';
import type { Terminal } from '../../test-support/terminal/terminal.js';

/** The command behind a shell, which says what it finds the terminal in. */
const shell = '"$@"; echo "status $?"; stty -a | grep -o -- "[-]*\\b\\(icanon\\|echo\\|isig\\|opost\\)\\b" | xargs';

/** The process of the command below the shell. */
function commandIn(terminal: Terminal): number {
  return Number(runningProcesses().find(({ parent }) => parent === terminal.pid)?.pid);
}

type Way = readonly [string, number, (terminal: Terminal) => void];
/** All where CI tests thoroughly: the others end on the same path, and SIGTERM and Ctrl-C have a test of their own below. */
const ways: readonly Way[] = [
  ['/quit', 0, (terminal) => (terminal.type('/quit'), terminal.press('Enter'))],
  ['SIGHUP', 129, (terminal) => process.kill(commandIn(terminal), 'SIGHUP')],
  ...(process.env['PALIMPSEST_THOROUGH'] === 'true'
    ? ([
        ['Ctrl-D', 0, (terminal) => terminal.press('Ctrl-D')],
        ['Ctrl-C twice', 0, (terminal) => terminal.press('Ctrl-C', 'Ctrl-C')],
        ['SIGTERM', 143, (terminal) => process.kill(commandIn(terminal), 'SIGTERM')],
      ] satisfies readonly Way[])
    : []),
];

describe.skipIf(pty === undefined)('the terminal is as it was', () => {
  test.each(ways)('after %s', async (_, status, leave) => {
    const rig = await terminalRig();
    const terminal = rig.open([], { shell });
    rig.model.will({ text: 'The last words.' });
    await say(terminal, 'Hello.');
    await waitForState(terminal, 'ready', 'The last words.');
    leave(terminal);
    await terminal.ended;
    expect(terminal.text()).toContain(`status ${status}`);
    expect(terminal.text()).toContain('opost isig icanon echo');
    expect(terminal.modesLeft()).toEqual([]);
    // What was said stays to be read, and how to go on.
    expect(terminal.text()).toContain('The last words.');
    expect(terminal.text()).toContain('palimpsest resume');
  });

  test('after SIGTERM in a command, whose processes end too', async () => {
    const rig = await terminalRig({ config: '[permissions]\nallow = ["run_command(sleep *)"]\n' });
    const terminal = rig.open([], { shell });
    const sleep = `sleep 63${process.pid}`;
    rig.model.will({ calls: [use('run_command', { command: sleep })] });
    await say(terminal, 'Hang.');
    await vi.waitUntil(() => isRunning(sleep), { timeout: 60_000 });
    process.kill(commandIn(terminal), 'SIGTERM');
    await terminal.ended;
    expect(terminal.text()).toContain('status 143');
    expect(terminal.modesLeft()).toEqual([]);
    await vi.waitUntil(() => !isRunning(sleep), { timeout: 60_000 });
  });

  test('in the middle of an answer, by Ctrl-C three times at once', async () => {
    const rig = await terminalRig();
    const terminal = rig.open([], { shell });
    rig.model.will({ text: 'One two three four five six.', delivery: { fault: 'pause', afterEvents: 4, ...gate() } });
    await say(terminal, 'Count.');
    await terminal.waitFor(() => shownState(terminal) === 'answering');
    terminal.press('Ctrl-C', 'Ctrl-C', 'Ctrl-C');
    await terminal.ended;
    expect(terminal.text()).toContain('status 0');
    expect(terminal.modesLeft()).toEqual([]);
  });

  test.skipIf(!existsSync('/bin/bash'))(
    'while it is stopped by Ctrl-Z, and it comes back with what was typed',
    async () => {
      const rig = await terminalRig();
      const command: readonly [string, ...string[]] = ['/bin/bash', '--norc', '--noediting', '-i'];
      const terminal = openTerminal({ command, cwd: rig.workspace, env: { ...rig.env, PS1: '$ ' } });
      onTestFinished(() => terminal.close());
      terminal.type(`${palimpsest.join(' ')}\r`);
      await waitForState(terminal, 'ready');
      terminal.type('half a line');
      await terminal.waitFor('half a line');
      terminal.press('Ctrl-Z');
      await terminal.waitFor('Stopped');
      terminal.type('stty -a | grep -c -- -icanon; fg\r');
      await waitForState(terminal, 'ready', 'half a line');
      terminal.press('Ctrl-C', 'Ctrl-D');
      await terminal.waitFor('palimpsest resume');
      // The next frame may have been drawn over it, and the shell may have printed its prompt behind what was typed.
      expect(terminal.output()).toMatch(/^(?:\$ )?0\r?$/m);
      expect(terminal.modesLeft()).toEqual([]);
    },
  );

  test('a terminal that goes away ends it', async () => {
    const rig = await terminalRig();
    const terminal = rig.open();
    rig.model.will({ text: 'Hi.' });
    await say(terminal, 'Hello.');
    await waitForState(terminal, 'ready', 'Hi.');
    terminal.hangUp();
    await terminal.ended;
    await vi.waitUntil(() => !runningProcesses().some(({ pid }) => pid === terminal.pid), { timeout: 60_000 });
  });
});
