import { describe, expect, test } from 'vitest';
import { use } from '../../test-support/scripted-model.js';
import { say, screenFaults, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

/** Title, clipboard, alternate screen, mouse, cursor, colours, a link, C1 controls, the direction of writing, a bell, an answer. */
const hostile = [
  '\x1b]0;mine\x07',
  '\x1b]52;c;cHduZWQ=\x07',
  '\x1b[?1049l',
  '\x1b[?1000h',
  '\x1b[2J\x1b[H',
  '\x1b[31m',
  '\x1b]8;;http://evil.test\x07link\x1b]8;;\x07',
  '\u009b2J',
  '\u009d0;mine\u009c',
  '\u202e',
  '\x07',
  '\x1b[6n',
  '\x1bc',
  '\x1b_pi:c\x07',
  '\x1b[?2026h',
  '\r\x1b[Kgone',
].map((escape, index) => `<${index}>${escape}</${index}>`);
const text = hostile.join('\n');

describe.skipIf(pty === undefined)('escapes are shown, and none is obeyed', () => {
  test('of a model, a tool, a file, its name, a call that waits, a provider, and a paste', async () => {
    const name = 'a\x1b]0;mine\x07\u202eb\n.txt';
    const rig = await terminalRig({ files: { 'log.txt': text, [name]: 'x', 'AGENTS.md': text } });
    const terminal = rig.open([], { columns: 100, rows: 60 });
    const { model } = rig;
    model.will(
      { thinking: text, text, calls: [use('read_file', { path: 'log.txt' }), use('list_files')] },
      { calls: [use('read_file', { path: name }), use('search', { pattern: text })] },
      { text: 'All was read.' },
    );
    await say(terminal, 'Read it.');
    await waitForState(terminal, 'ready', 'All was read.');
    // Opened, with everything in it.
    terminal.type('\x1bo');
    await terminal.waitFor('</15>');
    model.will({
      calls: [use('run_command', { command: `echo '${text}'` }), use('write_file', { path: name, content: text })],
    });
    await say(terminal, 'Run it.');
    await waitForState(terminal, 'waits for your yes', '<15>');
    terminal.press('Tab');
    await terminal.waitFor('(2 of 2)');
    terminal.press('Escape');
    await waitForState(terminal, 'ready');

    model.will({ refusal: `Wrong: ${text}` });
    terminal.paste(`Pasted: ${text.replaceAll('\x1b[201~', '')}`);
    await terminal.waitFor('[paste #');
    terminal.press('Enter');
    await waitForState(terminal, 'ready', 'Wrong: ');
    await say(terminal, '/help');
    await waitForState(terminal, 'ready', '/quit');

    // The screen's own: its buffer, once.
    expect(terminal.effects).toEqual(['alternate screen']);
    expect(screenFaults(terminal)).toEqual([]);
    for (const written of ['\x1b]0;', '\x1b]52', 'evil.test\x07', '\x1b[6n', '\u009b', '\u202e', '\x1bc']) {
      expect(terminal.output()).not.toContain(written);
    }
    terminal.press('Ctrl-D');
    await terminal.ended;
    expect(terminal.modesLeft()).toEqual([]);
    expect(terminal.effects).toEqual(['alternate screen']);
  });
});
