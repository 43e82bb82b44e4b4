import { expect, onTestFinished, test, vi } from 'vitest';
import { colouredStyles, screenRig } from '../../test-support/screen-rig.js';
import type { ScreenRig } from '../../test-support/screen-rig.js';
import { frameFaults } from '../../test-support/terminal/frame-faults.js';
import type { Approval, SessionEvent } from '../session/session-events.js';
import { promptCompletion } from './completion.js';

const escape = '\u001b';
const keys = {
  escape,
  enter: '\r',
  up: `${escape}[A`,
  down: `${escape}[B`,
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlO: '\u000f',
  altUp: `${escape}[1;3A`,
  pageUp: `${escape}[5~`,
  end: `${escape}[F`,
  shiftEnter: `${escape}[13;2u`,
  paste: (text: string) => `${escape}[200~${text}${escape}[201~`,
};

function rig(...options: Parameters<typeof screenRig>): ScreenRig {
  const made = screenRig(...options);
  onTestFinished(() => made.screen.close());
  return made;
}

const logged = (id: string, from: 'user' | 'model', text: string): SessionEvent => ({
  type: 'logged',
  event: {
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'message',
    source: from === 'user' ? 'user' : 'agent',
    role: from === 'user' ? 'user' : 'assistant',
    content: [{ type: 'text', text }],
  },
  told: [{ type: 'message', id, from, text }],
});
const working: SessionEvent = { type: 'state', state: { type: 'working', phase: 'answering', isInterrupted: false } };
const approval = (id: string, command: string, more: Partial<Approval> = {}): Approval => ({
  id,
  name: 'run_command',
  arguments: JSON.stringify({ command }),
  reason: 'No rule allows it.',
  proposedRule: 'run_command(git *)',
  ...more,
});

/** The session holds the state that it tells. */
function tellState(rig: ScreenRig, event: Extract<SessionEvent, { type: 'state' }>): void {
  vi.spyOn(rig.session, 'state', 'get').mockReturnValue(event.state);
  rig.tell(event);
}

/** Calls begin to wait. Resolves when keys answer them. */
async function waiting(rig: ScreenRig, ...approvals: readonly Approval[]): Promise<void> {
  tellState(rig, { type: 'state', state: { type: 'waiting', approvals } });
  await rig.terminal.seenText('1–4, or');
}

test('a conversation: whole frames, nothing wider, all of it there', async () => {
  const figures = { model: 'm', tokens: 12_000, window: 200_000 };
  const { terminal, tell } = rig({ columns: 60, rows: 20, styles: colouredStyles, figures });
  tell(logged('1', 'user', 'Please look at it.'), working);
  for (const piece of ['I am ', '**looking**', ' at 漢字 👩‍👩‍👧.'])
    tell({ type: 'delta', delta: { type: 'text', text: piece } });
  await terminal.seenText('looking at 漢字');
  tell(logged('2', 'model', 'I am **looking** at 漢字 👩‍👩‍👧.'), { type: 'state', state: { type: 'idle' } });
  const lines = await terminal.seenText('ready');
  expect(lines.filter((line) => line.includes('looking at'))).toHaveLength(1);
  expect(lines[0]).toBe(' > Please look at it.');
  expect(lines.some((line) => line.includes('12.0k/200k (6 %)'))).toBe(true);
  expect(frameFaults(terminal.screen.frames)).toEqual([]);
});

test('what is typed and pasted is sent whole; control characters are shown, and sent as they are shown', async () => {
  const { terminal, submitted } = rig();
  const big = Array.from({ length: 3_000 }, (_, line) => `${line}\tvalue`).join('\r\n');
  await terminal.press('a', keys.shiftEnter, keys.paste(big));
  await terminal.seenText('[paste #1 +3000 lines]');
  await terminal.press(keys.enter, keys.paste(`one${escape}[2Jtwo\u009b3\u202e\rend`));
  await terminal.seenText('one\\x1b[2Jtwo\\x9b3\\u202e');
  await terminal.press(keys.enter);
  expect(submitted).toEqual([`a\n${big.replaceAll('\r\n', '\n')}`, 'one\\x1b[2Jtwo\\x9b3\\u202e\nend']);
});

test('Esc and Ctrl-C interrupt the work, and do not touch what is typed', async () => {
  const made = rig();
  const interrupt = vi.spyOn(made.session, 'interrupt').mockImplementation(() => undefined);
  tellState(made, working);
  await made.terminal.press('w', keys.escape);
  await made.terminal.press(keys.ctrlC);
  expect(interrupt).toHaveBeenCalledTimes(2);
  expect(made.screen.editor.getText()).toBe('w');
});

test('what is queued is shown, and ↑ at an empty input takes it back; what goes on behind is told', async () => {
  const { terminal, session, screen, tell } = rig();
  const queue = [{ id: 1, text: 'Not now.' }];
  vi.spyOn(session, 'queue', 'get').mockReturnValue(queue);
  vi.spyOn(session, 'withdraw').mockReturnValue('Not now.');
  tell({ type: 'queue', queue }, { type: 'background', isCondensing: true });
  await terminal.seenText('» queued: Not now.');
  await terminal.seenText('condensing behind');
  await terminal.press(keys.up);
  expect(screen.editor.getText()).toBe('Not now.');
});

test('at an empty input Ctrl-C twice and Ctrl-D leave; Ctrl-C empties it, and any other key stays', async () => {
  const { terminal, session, screen } = rig();
  const close = vi.spyOn(session, 'close').mockResolvedValue();
  await terminal.press('x', keys.ctrlC);
  expect(screen.editor.getText()).toBe('');
  await terminal.press(keys.ctrlC);
  await terminal.seenText('Ctrl-C again leaves');
  await terminal.press('x', keys.ctrlC, keys.ctrlC);
  expect(close).not.toHaveBeenCalled();
  await terminal.press(keys.ctrlC);
  expect(close).toHaveBeenCalledOnce();
  await terminal.press('x', keys.ctrlD);
  expect(close).toHaveBeenCalledOnce();
  await terminal.press('\u007f', keys.ctrlD);
  expect(close).toHaveBeenCalledTimes(2);
});

test('a call that waits shows its whole input; the answers are one key each', async () => {
  const made = rig({ rows: 30 });
  const answer = vi.spyOn(made.session, 'answer').mockResolvedValue();
  const claimed = approval('b', 'ls', { summary: 'harmless, says the model' });
  await waiting(made, approval('a', 'git status\nrm -rf x'), claimed);
  const lines = await made.terminal.seenText('run_command waits for your yes (1 of 2)');
  expect(lines).toEqual(expect.arrayContaining(['   $ git status', '   > rm -rf x']));
  await made.terminal.press('2');
  expect(answer).toHaveBeenLastCalledWith(['a'], { type: 'session', rule: 'run_command(git *)' });
  await made.terminal.press('\t');
  await made.terminal.seenText('the model says, unchecked: “harmless, says the model”');
  await made.terminal.press(keys.enter);
  expect(answer).toHaveBeenLastCalledWith(['b'], { type: 'once' });
  await made.terminal.press('4', ...'not yet', keys.enter);
  expect(answer).toHaveBeenLastCalledWith(['b'], { type: 'no', reason: 'not yet' });
  await made.terminal.press('3');
  await made.terminal.seenText('> run_command(git *)');
  await made.terminal.press('\u007f', '\u007f', ...' status)', keys.enter);
  expect(answer).toHaveBeenLastCalledWith(['b'], { type: 'rule', rule: 'run_command(git  status)' });
  await made.terminal.press('a');
  expect(answer).toHaveBeenLastCalledWith(['a', 'b'], { type: 'once' });
});

test('arrows that come late and at once choose an answer: in a dialog there is no wheel', async () => {
  const made = rig({ rows: 30 });
  const answer = vi.spyOn(made.session, 'answer').mockResolvedValue();
  await waiting(made, approval('a', 'ls'));
  for (const key of [keys.down, keys.down, keys.down, keys.enter, keys.enter]) made.screen.handleInput(key);
  expect(answer).toHaveBeenCalledExactlyOnceWith(['a'], { type: 'no' });
});

test('a rule that cannot be read is said, and nothing is answered', async () => {
  const made = rig({ rows: 30 });
  vi.spyOn(made.session, 'answer').mockRejectedValue(new Error('The rule has no closing parenthesis.'));
  await waiting(made, approval('a', 'ls'));
  await made.terminal.press('2');
  await made.terminal.seenText('The rule has no closing parenthesis.');
});

test('who types when a call begins to wait does not answer it', async () => {
  let time = 0;
  const made = rig({ now: () => time });
  const answer = vi.spyOn(made.session, 'answer').mockResolvedValue();
  await made.terminal.press('a');
  tellState(made, { type: 'state', state: { type: 'waiting', approvals: [approval('a', 'ls')] } });
  await made.terminal.press('1', keys.paste('1\n1'));
  await made.terminal.seenText('stop typing for a second');
  expect(answer).not.toHaveBeenCalled();
  time = 2_000;
  made.screen.requestRender();
  await made.terminal.seenText('keys answer in a moment');
  time = 2_300;
  await made.terminal.press(keys.paste('1'));
  expect(answer).not.toHaveBeenCalled();
  await made.terminal.press('1');
  expect(answer).toHaveBeenCalledOnce();
});

test('a key that was pressed before a call was seen does not answer it', async () => {
  let time = 0;
  const made = rig({ rows: 30, now: () => time });
  const answer = vi.spyOn(made.session, 'answer').mockResolvedValue();
  const wait = (...ids: readonly string[]): SessionEvent => ({
    type: 'state',
    state: { type: 'waiting', approvals: ids.map((id) => approval(id, `echo ${id}`)) },
  });
  const pressedInVain = async (): Promise<void> => {
    await made.terminal.press('1', '2', 'a', keys.enter, '4');
    expect(answer).not.toHaveBeenCalled();
  };
  made.tell(wait('one', 'two'));
  await pressedInVain();
  await made.terminal.seenText('keys answer in a moment');
  time += 299;
  await pressedInVain();
  time += 1;
  await made.terminal.seenText('1–4, or');
  await made.terminal.press('1');
  expect(answer).toHaveBeenCalledExactlyOnceWith(['one'], { type: 'once' });

  // The key that answered one call, pressed twice, does not answer the next one.
  answer.mockClear();
  made.tell(wait('two'));
  await made.terminal.seenText('$ echo two');
  await pressedInVain();

  // What stood behind a page is seen when the page is closed.
  time += 300;
  const page = made.screen.show({ title: 'A page', lines: [] });
  await made.terminal.seenText('q closes');
  await made.terminal.press('q');
  await page;
  await made.terminal.seenText('$ echo two');
  await pressedInVain();
  time += 300;
  await made.terminal.press('1');
  expect(answer).toHaveBeenCalledExactlyOnceWith(['two'], { type: 'once' });
});

test('Enter sends an argument as it was typed; an arrow or Tab takes what is offered', async () => {
  const { terminal, screen, submitted } = rig();
  const items = ['first', 'second'].map((value) => ({ value, label: `offered ${value}` }));
  const complete = promptCompletion({
    commands: [
      { name: 'unpin', usage: '', description: '', whileRunning: true, run: () => undefined, complete: () => items },
    ],
    session: screen.session,
    files: async () => [],
  });
  screen.editor.setAutocompleteProvider(complete);
  const typed = async (text: string, ...then: readonly string[]): Promise<void> => {
    await terminal.press(...text);
    await terminal.seenText('offered second');
    await terminal.press(...then, keys.enter);
  };
  await typed('/unpin s', '\u007f');
  await typed('/unpin second');
  await typed('/unpin ', keys.down);
  await terminal.press(keys.enter);
  await typed('/unpin sec', '\t');
  expect(submitted.map((text) => text.trim())).toEqual(['/unpin', '/unpin second', '/unpin second', '/unpin second']);
});

test('Enter runs a command that was named, or that only one name can be; what may be several is completed first', async () => {
  const { terminal, screen, submitted } = rig();
  const commands = ['pin', 'undo-compact', 'unpin'].map((name) => ({
    name,
    usage: '',
    description: `does ${name}`,
    whileRunning: true,
    run: () => undefined,
  }));
  screen.editor.commandNames = commands.map(({ name }) => name);
  screen.editor.setAutocompleteProvider(promptCompletion({ commands, session: screen.session, files: async () => [] }));
  const typed = async (text: string, offered: string): Promise<void> => {
    await terminal.press(...text);
    await terminal.seenText(offered);
    await terminal.press(keys.enter);
  };
  await typed('/un', 'does unpin');
  expect(submitted).toEqual([]);
  expect(screen.editor.getText()).toBe('/undo-compact ');
  await terminal.press(keys.enter);
  await typed('/unp', 'does unpin');
  await typed('/pin', 'does pin');
  // Letters in order are no name.
  await typed('/upn', 'does unpin');
  expect(screen.editor.getText()).toBe('/unpin ');
  expect(submitted.map((text) => text.trim())).toEqual(['/undo-compact', '/unpin', '/pin']);
});

test('a command longer than the terminal is scrolled, and it says how much is hidden', async () => {
  const made = rig({ rows: 20 });
  const command = Array.from({ length: 50 }, (_, line) => `echo ${line}`).join('\n');
  await waiting(made, approval('a', command));
  await made.terminal.seenText('more lines · PgUp PgDn');
  for (let pages = 0; pages < 12; pages++) await made.terminal.press(`${escape}[6~`);
  await made.terminal.seenText('> echo 49');
});

test('a page covers the screen, scrolls, finds, and closes', async () => {
  const { terminal, screen } = rig();
  const lines = Array.from({ length: 500 }, (_, line) => ({
    text: `line ${line}`,
    style: line === 3 ? ('hidden' as const) : ('plain' as const),
  }));
  const shown = screen.show({ title: 'The view', lines });
  const first = await terminal.seenText('line 20');
  expect(first[0]?.trimEnd()).toBe(' The view');
  expect(first).toContain(' ░ line 3');
  await terminal.press('G');
  await terminal.seenText('line 499');
  await terminal.press('g', '/', ...'line 250', keys.enter);
  expect((await terminal.seenText('line 250'))[1]).toBe('»line 250');
  await terminal.press('q');
  await shown;
  await terminal.seenText('opening');
});

test('a choice is narrowed by typing; Esc gives up; a question is answered', async () => {
  const { terminal, screen } = rig();
  const items = ['alpha', 'beta', 'gamma'].map((label) => ({ label, value: label, detail: `the ${label}` }));
  const chosen = screen.choose('Which?', items);
  await terminal.seenText('› alpha');
  await terminal.press('g', keys.enter);
  expect(await chosen).toBe('gamma');
  const given = screen.choose('Which?', items);
  await terminal.press(keys.escape);
  expect(await given).toBeUndefined();
  const asked = screen.ask('Name?');
  await terminal.press(...'Ada', keys.enter);
  expect(await asked).toBe('Ada');
});

test('Ctrl-O opens the last item that opens; Alt-↑ moves; Enter opens the one in focus', async () => {
  const { terminal, tell } = rig({ rows: 40 });
  for (const id of ['c1', 'c2']) {
    const { event } = logged(id, 'model', '') as Extract<SessionEvent, { type: 'logged' }>;
    tell({
      type: 'logged',
      event,
      told: [{ type: 'tool-call', id, name: 'read_file', arguments: `{"path":"${id}.txt"}` }],
    });
  }
  await terminal.press(keys.ctrlO);
  await terminal.seenText('▾ read_file c2.txt');
  await terminal.press(keys.altUp, keys.altUp);
  await terminal.seenText('▌■ ▸ read_file c1.txt');
  await terminal.press(keys.enter);
  await terminal.seenText('▌■ ▾ read_file c1.txt');
});

test('the wheel scrolls, and a single arrow does not', async () => {
  const { terminal, tell, screen } = rig();
  for (let at = 0; at < 50; at++) tell(logged(`m${at}`, 'model', `message ${at}`));
  await terminal.seenText('message 49');
  screen.handleInput(keys.up);
  await Promise.resolve();
  expect(screen.transcript.isAtEnd).toBe(true);
  for (let arrow = 0; arrow < 3; arrow++) screen.handleInput(keys.up);
  await Promise.resolve();
  expect(screen.transcript.isAtEnd).toBe(false);
  await terminal.press(keys.end);
  expect(screen.transcript.isAtEnd).toBe(true);
});

test.each([
  [1, 1],
  [5, 3],
  [20, 6],
])('a terminal of %i by %i breaks nothing', async (columns, rows) => {
  const made = rig({ columns, rows });
  made.tell(logged('1', 'model', '漢字漢字 **x** `y`\n\n| a | b |\n|---|---|\n| 1 | 2 |'), working);
  tellState(made, { type: 'state', state: { type: 'waiting', approvals: [approval('a', '漢字'.repeat(50))] } });
  await made.terminal.press('4', 'x', keys.escape, keys.ctrlO);
  await made.terminal.seen();
  expect(made.screen.render(columns)).toHaveLength(rows);
});
