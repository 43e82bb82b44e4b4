import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  repairAnswer,
  repairConfig,
  repairEnd,
  repairFiles,
  repairRequest,
  repairTurns,
} from '../../test-support/repair-task.js';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';
import type { Terminal } from '../../test-support/terminal/terminal.js';

const shown = (terminal: Terminal) => terminal.screen().join('\n');

/** Types a key and waits for what it draws. */
async function step(terminal: Terminal, type: () => void): Promise<void> {
  const frames = terminal.frames.length;
  type();
  await terminal.waitFor(() => terminal.frames.length > frames);
}

/** Opens each condensation of the transcript, the last one first, and gives back what is seen of each. */
async function openedCondensations(terminal: Terminal, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  while (found.length < count) {
    await step(terminal, () => terminal.type('\x1b[1;3A'));
    if (!/▌.*◆/.test(shown(terminal))) continue;
    await step(terminal, () => terminal.press('Ctrl-O'));
    found.push(shown(terminal));
    await step(terminal, () => terminal.press('Ctrl-O'));
  }
  // What follows an escape at once is a key with Alt.
  await step(terminal, () => terminal.press('Escape'));
  return found;
}

/** Shows the page of a command, and gives back its first screen. */
async function page(terminal: Terminal, command: string): Promise<string> {
  await say(terminal, command);
  await terminal.waitFor('q closes');
  const text = shown(terminal);
  terminal.type('q');
  await waitForState(terminal, 'ready');
  return text;
}

describe.skipIf(pty === undefined)('a whole task', () => {
  test('condensed several times, with a pin that holds; each condensation opens, and one is taken back', async () => {
    const rig = await terminalRig({ files: repairFiles, config: repairConfig });
    const { model } = rig;
    const terminal = rig.open([], { columns: 100, rows: 45 });
    model.will({ calls: [use('read_file', { path: 'README.md' })] }, { text: 'I have read it.' });
    await say(terminal, 'Read the README first.');
    await waitForState(terminal, 'ready', 'I have read it.');
    await say(terminal, '/pin last');
    await terminal.waitFor('Pinned: ');

    model.will(...repairTurns, ...repairEnd);
    await say(terminal, repairRequest);
    await waitForState(terminal, 'waits for your yes', 'let rest');
    terminal.type('1');
    await waitForState(terminal, 'ready', 'All tests of compound pass.');
    expect(shown(terminal)).not.toContain('**before**');
    expect(repairAnswer).toContain('**before**');
    expect(await readFile(join(rig.workspace, 'src/compound.js'), 'utf8')).toContain('smallest');

    // What was read long ago is gone from the request, but for what was pinned.
    const pinned = '| `splitCompound(quantity, units, options)`';
    const forgotten = 'static from(';
    expect(repairFiles['README.md']).toContain(pinned);
    expect(repairFiles['src/rational.js']).toContain(forgotten);
    expect(model.requests.some((request) => JSON.stringify(request).includes(forgotten))).toBe(true);
    expect(model.lastRead).toContain(pinned);
    expect(model.lastRead).not.toContain(forgotten);

    const opened = await openedCondensations(terminal, 3);
    expect(opened[0]).toMatch(/forgotten|left out|summarized/);
    for (const each of opened) expect(each).toMatch(/asked for it/);
    expect(opened.filter((each) => /\bmasked\b/.test(each)).length).toBeGreaterThan(0);

    expect(await page(terminal, '/context')).toMatch(/tool|result/i);
    const view = await page(terminal, '/view');
    expect(view).toContain('What the model reads');
    expect(await page(terminal, '/cost')).toContain('With and without condensation');

    await say(terminal, '/undo-compact');
    await terminal.waitFor('Taken back: ');
    model.will({ text: 'I read it all again.' });
    await say(terminal, 'Do you remember more now?');
    await waitForState(terminal, 'ready', 'I read it all again.');
    expect(screenFaults(terminal)).toEqual([]);
    terminal.press('Ctrl-D');
    expect(await terminal.ended).toMatchObject({ status: 0 });
  });
});
