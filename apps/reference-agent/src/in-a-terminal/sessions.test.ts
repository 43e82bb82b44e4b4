import { describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../test-support/running-processes.js';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

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
});
