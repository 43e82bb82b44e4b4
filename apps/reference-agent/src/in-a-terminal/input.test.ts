import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { say, screenFaults, shownState, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

/** The text of the newest message of the user, as the model reads it. */
function lastMessage(request: { readonly messages?: unknown } | undefined): string {
  const messages = (request?.messages ?? []) as readonly { readonly role: string; readonly content: unknown }[];
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
  if (typeof content === 'string') return content;
  const blocks = (content ?? []) as readonly { readonly type: string; readonly text?: string }[];
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n');
}

describe.skipIf(pty === undefined)('what is typed', () => {
  test('before the agent is loaded is kept; @ completes the files of the folder', async () => {
    const rig = await terminalRig({ files: { 'src/quantity.js': 'export {};\n', 'src/other.js': '' } });
    rig.model.will({ text: 'I heard you.' });
    const terminal = rig.open();
    // Before the first frame: the line editor of the terminal holds it.
    terminal.type('Early words.');
    await terminal.waitFor('Early words.');
    await terminal.waitFor(() => shownState(terminal) !== undefined);
    terminal.press('Enter');
    await waitForState(terminal, 'ready', 'I heard you.');
    expect(lastMessage(rig.model.requests.at(-1))).toContain('Early words.');

    terminal.type('What is in @quan');
    await terminal.waitFor('quantity.js');
    terminal.press('Tab');
    await terminal.waitFor('@src/quantity.js');
    terminal.press('Enter');
    await rig.model.asked(2);
    expect(lastMessage(rig.model.requests[1])).toContain('src/quantity.js');
    expect(await readFile(join(rig.workspace, 'src/quantity.js'), 'utf8')).toBe('export {};\n');
  });

  test('several lines, a paste with the ends of lines of Windows, one of 1 MB, and the history', async () => {
    const rig = await terminalRig();
    const terminal = rig.open();
    await waitForState(terminal, 'ready');
    terminal.type('first 😀');
    terminal.press('Shift-Enter');
    terminal.type('second');
    terminal.paste('\r\nthird\r\n\tfourth');
    await terminal.waitFor('second');
    terminal.press('Enter');
    await rig.model.asked(1);
    expect(lastMessage(rig.model.requests[0])).toContain('first 😀\nsecond\nthird\n\tfourth');
    await waitForState(terminal, 'ready', 'nothing more');

    const whole = 'A line of the log.\r\n'.repeat(52_429).slice(0, 2 ** 20);
    terminal.paste(whole);
    await terminal.waitFor('[paste #');
    terminal.type(' and more');
    terminal.press('Enter');
    await rig.model.asked(2);
    expect(lastMessage(rig.model.requests[1])).toContain(`${whole.replaceAll('\r\n', '\n').trim()}`);
    expect(lastMessage(rig.model.requests[1])).toContain('and more');
    await waitForState(terminal, 'ready');

    await say(terminal, 'a short one');
    await rig.model.asked(3);
    await waitForState(terminal, 'ready');
    terminal.press('Up');
    await terminal.waitFor(() => terminal.screen().filter((line) => line.includes('a short one')).length === 2);
    expect(screenFaults(terminal)).toEqual([]);
  });
});
