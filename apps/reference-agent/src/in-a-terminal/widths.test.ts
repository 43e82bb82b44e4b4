import { describe, expect, test } from 'vitest';
import { gate } from '../../test-support/scripted-model.js';
import { say, waitForState } from '../../test-support/terminal/talk.js';
import { terminalRig } from '../../test-support/terminal/terminal-rig.js';
import { pty } from '../../test-support/terminal/terminal.js';

const words = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');
const wide = '漢字 and 👩‍👩‍👧 and é, ';

describe.skipIf(pty === undefined)('a terminal of another size', () => {
  test('every frame fits, and no text is lost when it changes in the middle of an answer', async () => {
    const held = gate();
    const rig = await terminalRig();
    const terminal = rig.open([], { columns: 80, rows: 40 });
    rig.model.will({
      text: `${words} ${wide.repeat(20)} end.`,
      delivery: { fault: 'pause', afterEvents: 60, until: held.until },
    });
    await say(terminal, 'Say much.');
    await waitForState(terminal, 'answering', 'word3');
    for (const [columns, rows] of [
      [60, 40],
      [200, 50],
      [20, 10],
    ] as const) {
      terminal.resize(columns, rows);
      const frames = terminal.frames.length;
      await terminal.waitFor(() => terminal.frames.length > frames);
    }
    // Nothing fits, and nothing breaks.
    terminal.resize(1, 1);
    terminal.resize(61, 24);
    await waitForState(terminal, 'answering');
    held.open();
    await waitForState(terminal, 'ready');
    terminal.resize(100, 45);
    await terminal.waitFor('word0 ');
    // Lines break between words, and between characters that are as wide as two.
    const shown = terminal.screen().join('').replace(/\s/g, '');
    expect(shown).toContain(`${words}${wide.repeat(20)}end.`.replace(/\s/g, ''));
  });

  test('NO_COLOR: no colour is sent', async () => {
    const rig = await terminalRig();
    const terminal = rig.open([], { env: { NO_COLOR: '1' } });
    rig.model.will({ text: 'A **bold** answer, with `code`.' });
    await say(terminal, 'Hello.');
    await waitForState(terminal, 'ready', 'answer, with');
    const cells = terminal.cells().flat();
    expect(cells.filter(({ foreground, background }) => foreground !== undefined || background !== undefined)).toEqual(
      [],
    );
  });
});
