import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished, test } from 'vitest';
import { demoModel } from '../demo-turn.js';
import { screenPicture } from './screen-picture.js';
import { say, shownState, waitForState } from './talk.js';
import { terminalRig } from './terminal-rig.js';
import type { Terminal } from './terminal.js';

/** Draws docs/screens: `npm run pictures`. The model is that of the demo, behind a real server; the screen is the built command. */

const screens = new URL('../../docs/screens/', import.meta.url);
const project = fileURLToPath(new URL('../../sample-project/', import.meta.url));
const folder = '/tmp/yardstick';
const config = `
[permissions]
allow = ["run_command(node --test --test-reporter=./scripts/reporter.js)"]

[sandbox]
mode = "off"

[condenser]
type = "pipeline"
stages = [{ type = "observationMasking", attentionWindow = 40 }, { type = "extractiveSummary", maxSize = 90 }]
`;
const task =
  'The test of splitCompound fails: repair it. Then add sum and mean for quantities, and let numbers have underscores. The docs should say so.';

async function draw(terminal: Terminal, name: string, title: string): Promise<void> {
  await mkdir(screens, { recursive: true });
  await writeFile(new URL(`${name}.svg`, screens), screenPicture(terminal.cells(), title));
}

/** The call that waits, as the dialog shows it above the answers; empty if none does. */
function question(terminal: Terminal): string {
  const lines = terminal.screen();
  const start = lines.findIndex((line) => line.startsWith(' ? '));
  const end = lines.findIndex((line) => line.includes('1 yes, once'));
  return start === -1 ? '' : lines.slice(start, end).join('\n');
}

/** Shows the page of a command, draws it, and closes it. */
async function drawPage(terminal: Terminal, command: string, title: string): Promise<void> {
  await say(terminal, `/${command}`);
  await terminal.waitFor('q closes');
  await draw(terminal, command, title);
  terminal.type('q');
  await waitForState(terminal, 'ready');
}

test('the screens of the documentation', async () => {
  await rm(folder, { recursive: true, force: true });
  await cp(project, folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const rig = await terminalRig({ config });
  const turn = demoModel();
  rig.model.will(...Array.from({ length: 60 }, () => turn));
  const terminal = rig.open([], { cwd: folder, columns: 100, rows: 34 });
  await waitForState(terminal, 'ready');
  terminal.type(task);
  await terminal.waitFor('say so.');
  await draw(terminal, 'start', 'The screen at the start, with a task in the input line');
  terminal.press('Enter');

  await terminal.waitFor(() => shownState(terminal) !== 'ready');
  const drawn = new Set<string>();
  const drawOnce = async (name: string, title: string) => {
    if (!drawn.has(name)) await draw(terminal, name, title);
    drawn.add(name);
  };
  for (;;) {
    await terminal.waitFor(() => ['waits for your yes', 'ready'].includes(shownState(terminal) ?? ''));
    if (shownState(terminal) === 'ready') break;
    // A call that has just come is not answered by a key.
    await waitForState(terminal, 'waits for your yes');
    const isEdit = terminal.screen().join('\n').includes('edit_file waits');
    if (isEdit) await drawOnce('approval', 'An edit waits for a yes: its diff, and the answers');
    const answered = question(terminal);
    terminal.type('1');
    await terminal.waitFor(() => question(terminal) !== answered);
    if (!isEdit) continue;
    // The next call of the same answer may wait at once.
    const states = ['thinking', 'answering', 'waits for your yes'];
    await terminal.waitFor(() => states.includes(shownState(terminal) ?? ''));
    if (shownState(terminal) === 'waits for your yes') continue;
    await drawOnce('working', 'At work: calls, a condensation that masks results, and the status line');
  }
  await draw(terminal, 'done', 'The end of the task');
  terminal.resize(60, 34);
  await terminal.waitFor(
    () => terminal.screen().every((line) => line.length <= 60) && shownState(terminal) === 'ready',
  );
  await draw(terminal, 'narrow', 'The same at 60 columns');
  terminal.resize(100, 34);
  await terminal.waitFor(() => terminal.screen().some((line) => line.length > 60) && shownState(terminal) === 'ready');
  await drawPage(terminal, 'context', 'What fills the window, by kind, with the largest items');
  await drawPage(terminal, 'view', 'What the model reads now, with the hidden parts marked');
  await drawPage(terminal, 'cost', 'The money, with and without condensation');
  terminal.type('\x1b[1;3A');
  for (let tries = 0; tries < 200 && !/▌.*◆/.test(terminal.screen().join('\n')); tries += 1) {
    const frames = terminal.frames.length;
    terminal.type('\x1b[1;3A');
    await terminal.waitFor(() => terminal.frames.length > frames);
  }
  terminal.press('Ctrl-O');
  await terminal.waitFor('Forgotten: ');
  await draw(terminal, 'condensation', 'A condensation, opened: why, the figures, what was forgotten, the summary');
});

test('the demo, as it was recorded', async () => {
  const rig = await terminalRig();
  const terminal = rig.open(['demo'], { columns: 100, rows: 48 });
  await terminal.waitFor('npx palimpsest-harness');
  await draw(terminal, 'demo', 'The demo: the steps of a task, a condensation, and the tests that pass at the end');
});
