import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../test-support/running-processes.js';
import { gate, ScriptedModel, use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`);
const never = { fault: 'slow-first-byte', until: new Promise(() => undefined) } as const;

describe.skipIf(pty === undefined)('a key interrupts at once', () => {
  test('the model, an answer, a tool that hangs, a pause before a retry, a call that waits; and the work goes on', async () => {
    let isOverloaded = false;
    const model = await ScriptedModel.start({
      faults: () => (isOverloaded ? { fault: 'overloaded', retryAfterSeconds: 50 } : undefined),
    });
    const rig = await terminalRig({ model, config: '[permissions]\nallow = ["run_command(sleep *)"]\n' });
    const terminal = rig.open();

    model.will({ text: 'Never said.', delivery: never });
    await say(terminal, 'Wait for the model.');
    await model.asked(1);
    // The screen may still show that it was ready before: then the next words would follow the key at once, as one key with Alt.
    await waitForState(terminal, 'thinking');
    terminal.press('Escape');
    await waitForState(terminal, 'ready');

    const long = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
    model.will({ text: long, delivery: { fault: 'stall', afterEvents: 20 } });
    await say(terminal, 'Say much.');
    await waitForState(terminal, 'answering', 'word1 ');
    terminal.press('Ctrl-C');
    await waitForState(terminal, 'ready');

    const seconds = `62${process.pid}`;
    model.will({ calls: [use('run_command', { command: `sleep ${seconds}` })] });
    await say(terminal, 'Hang.');
    await waitForState(terminal, 'running tools');
    await vi.waitUntil(() => isRunning(`sleep ${seconds}`), { timeout: 60_000 });
    terminal.press('Escape');
    await waitForState(terminal, 'ready');
    await vi.waitUntil(() => !isRunning(`sleep ${seconds}`), { timeout: 60_000 });

    isOverloaded = true;
    await say(terminal, 'Try again and again.');
    await waitForState(terminal, 'trying again');
    terminal.press('Escape');
    await waitForState(terminal, 'ready');
    isOverloaded = false;

    model.will({ calls: [use('write_file', { path: 'a.txt', content: 'a' })] });
    await say(terminal, 'Write.');
    await waitForState(terminal, 'waits for your yes', 'write_file');
    terminal.press('Escape');
    await waitForState(terminal, 'ready', 'denied');
    await expect(readFile(join(rig.workspace, 'a.txt'))).rejects.toThrow('ENOENT');

    model.will({ text: 'All is well.' });
    await say(terminal, 'And now?');
    await waitForState(terminal, 'ready', 'All is well.');
    // The model reads what was interrupted, and what the user said each time.
    expect(model.lastRead).toContain('Wait for the model.');
    expect(model.lastRead).toContain('The user interrupted the run.');
    expect(screenFaults(terminal)).toEqual([]);
    terminal.press('Ctrl-D');
    expect(await terminal.ended).toEqual({ status: 0, signal: undefined });
  });

  test.each([true, false])('a condensation that a model writes (in the background: %s)', async (background) => {
    const held = gate();
    const model = await ScriptedModel.start();
    model.summary = { text: 'What was read.', delivery: { fault: 'slow-first-byte', until: held.until } };
    const modelCall = 'modelCall = { extendsAgentRequest = false }';
    const rig = await terminalRig({
      model,
      files: Object.fromEntries(names.map((name) => [name, `${name}\n`])),
      config: `[condenser]\ntype = "llmSummarizing"\nmaxSize = 8\nkeepFirst = 1\nbackground = ${background}\n${modelCall}\n`,
    });
    const terminal = rig.open();
    model.will(...names.map((path) => ({ calls: [use('read_file', { path })] })));
    await say(terminal, 'Read them all.');
    if (background) {
      await waitForState(terminal, 'ready', 'nothing more to do');
      expect(terminal.screen().join('\n')).toContain('condensing behind');
    } else {
      await waitForState(terminal, 'condensing');
      terminal.press('Escape');
      await waitForState(terminal, 'ready');
    }
    held.open();
    // A summary that has come is in the next request.
    await terminal.waitFor(() => !terminal.screen().join('\n').includes('condensing behind'));
    await say(terminal, 'And now?');
    await waitForState(terminal, 'ready', 'condensed: ');
    terminal.press('Ctrl-D');
    expect(await terminal.ended).toEqual({ status: 0, signal: undefined });
  });
});
