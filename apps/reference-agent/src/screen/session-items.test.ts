import fc from 'fast-check';
import type { Event } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { faultOf, hostile } from '../../test-support/hostile-text.js';
import { colouredStyles, plainStyles } from '../../test-support/screen-rig.js';
import type { Line } from '../output/lines.js';
import type { StreamEvent } from '../output/stream-event.js';
import type { FileDiff } from '@palimpsest/tools/diff';
import { SessionItems } from './session-items.js';
import type { Styles } from './layout.js';
import { Transcript } from './transcript.js';

const base = { timestamp: '2026-01-01T00:00:00.000Z' } as const;
const init = {
  type: 'init',
  version: 1,
  session: 's1',
  isResumed: false,
  workspace: '/projects/project',
  model: 'some-model',
  log: '/log',
  tools: [],
  notes: [],
  cutOff: [],
} as const;
const usual = { id: 'e', source: 'environment', type: 'pause', ...base } as Event;
const diff: FileDiff = {
  path: 'a.js',
  isNew: false,
  added: 1,
  removed: 1,
  lines: [
    { kind: 'same', text: 'a', line: 1 },
    { kind: 'removed', text: 'b', line: 2 },
    { kind: 'added', text: 'c', line: 2 },
    { kind: 'gap', text: '7 lines' },
  ],
};

interface Items {
  readonly items: SessionItems;
  readonly transcript: Transcript;
  /** Resolves when an item has changed by itself. */
  readonly changed: Promise<void>;
  readonly lines: (width?: number) => readonly string[];
  readonly tell: (told: StreamEvent, event?: Event) => void;
}

function itemsOn(
  styles: Styles = plainStyles,
  condensationLines: (id: string) => Promise<readonly Line[] | undefined> = async () => undefined,
): Items {
  const transcript = new Transcript(styles);
  let onChange = (): void => undefined;
  const changed = new Promise<void>((resolve) => (onChange = resolve));
  const items = new SessionItems(transcript, styles, {
    diffOf: async () => undefined,
    condensationLines,
    changed: () => onChange(),
  });
  return {
    items,
    changed,
    transcript,
    lines: (width = 80) => transcript.render(width, 400),
    tell: (told, event = usual) => items.logged({ event, told: [told] }),
  };
}

const call = (id: string, name: string, input: object, summary?: string): StreamEvent => ({
  type: 'tool-call',
  id,
  name,
  arguments: JSON.stringify(input),
  summary,
});
const result = (of: string, text: string, more: object = {}): StreamEvent => ({
  type: 'tool-result',
  id: `r-${of}`,
  call: of,
  name: 'x',
  status: 'ok',
  text,
  ...more,
});

test('a call is a line with its first lines of result, and opens into all of both', () => {
  const { tell, lines, transcript } = itemsOn();
  tell(call('c1', 'run_command', { command: 'npm test', timeout: 5 }, 'runs the tests'));
  expect(lines()).toEqual([' ■ ▸ $ npm test', '     “runs the tests”']);
  tell(result('c1', 'one\ntwo\nthree\nfour\nfive', { exitStatus: 1, status: 'failed' }));
  expect(lines()).toEqual([
    ' ■ ▸ $ npm test  ✗ exit 1',
    '     “runs the tests”',
    '     one',
    '     two',
    '     three',
    '     … 2 more lines',
  ]);
  transcript.toggle();
  expect(lines()).toEqual([
    ' ■ ▾ $ npm test  ✗ exit 1',
    '     “runs the tests”',
    '     $ npm test',
    '     timeout: 5',
    '     ── result: failed, exit 1 ──',
    ...['one', 'two', 'three', 'four', 'five'].map((line) => `     ${line}`),
  ]);
});

test('a change of a file is its diff, told by signs and not by colours alone', () => {
  const { items, tell, lines } = itemsOn();
  tell(call('c1', 'edit_file', { path: 'a.js', old_text: 'b', new_text: 'c' }));
  tell(result('c1', 'Edited a.js.'));
  items.changed('c1', diff);
  expect(lines()).toEqual([
    ' ■ ▸ edit_file a.js  ✓',
    '     Change of a.js: 1 line added, 1 removed',
    '       1 a',
    '     - 2 b',
    '     + 2 c',
    '     ⋯ 7 lines',
  ]);
});

test('a condensation is a line that opens into what it changed, which is read then, and the summary', async () => {
  const known = [
    { text: 'Forgotten: 1 event', style: 'strong' },
    { text: 'result of read_file', indent: 2 },
  ] as const;
  const { items, tell, lines, transcript, changed } = itemsOn(plainStyles, async (id) =>
    id === 'k' ? known : undefined,
  );
  tell(
    {
      type: 'condensation',
      id: 'k',
      condenser: 'priced',
      reason: 'rent',
      tokensBefore: 20_000,
      tokensAfter: 5_000,
      forgotten: 1,
      masked: 1,
      summary: 'We read **big.txt**.',
      summaryTokens: 1_200,
    },
    {
      id: 'k',
      source: 'agent',
      type: 'condensation',
      forgottenEventIds: ['c1'],
      redactions: [{ eventId: 'r-c1', text: '[much was here]' }],
      summary: 'We read **big.txt**.',
      ...base,
    },
  );
  const reason = 'priced: to read on would cost more than to write the rest anew';
  expect(lines()).toEqual([
    ' ◆ ▸ condensed: 20,000 → 5,000 tokens a request (−75 %); 1 event summarized, 1',
    '   masked',
    `     ${reason}`,
  ]);
  transcript.toggle();
  const summary = ['   ', '     The summary that the model reads instead: 1,200 tokens', '     We read big.txt.'];
  expect(lines().slice(2)).toEqual([`     ${reason}`, ...summary]);
  await changed;
  expect(lines().slice(2)).toEqual(['     Forgotten: 1 event', '       result of read_file', ...summary]);
  const revert: Event = { id: 'v', source: 'user', type: 'condensation-revert', condensationId: 'k', ...base };
  items.logged({ event: revert, told: [] });
  expect(lines()[1]).toBe('   masked — undone');
});

test('a stream becomes the message of the log, and what a restart voids is gone', () => {
  const { items, lines } = itemsOn();
  items.delta({ type: 'thinking', text: 'hm' });
  items.delta({ type: 'text', text: 'Wrong ' });
  items.delta({ type: 'restart', reason: 'lost' });
  expect(lines()).toEqual([]);
  items.delta({ type: 'text', text: 'Hello ' });
  items.delta({ type: 'text', text: '**you**' });
  expect(lines()).toEqual([' ● Hello you']);
  items.delta({ type: 'tool-call', index: 0, name: 'read_file', arguments: '{' });
  expect(lines().at(-1)).toBe(' ■ writes a call of read_file …');
  items.logged({
    event: { id: 'm', source: 'agent', type: 'message', role: 'assistant', content: [], ...base },
    told: [{ type: 'message', id: 'm', from: 'model', text: 'Hello **you**' }],
  });
  expect(lines()).toEqual([' ● Hello you']);
});

test('an answer that is cut off and never logged stays, above what ended it; the next one is another', () => {
  const { items, lines } = itemsOn();
  items.delta({ type: 'text', text: 'Half of' });
  items.notice('problem', 'No space left on device');
  items.delta({ type: 'tool-call', index: 0, name: 'read_file', arguments: '{' });
  items.stopped();
  items.delta({ type: 'text', text: 'New' });
  expect(lines()).toEqual([' ● Half of', '   [interrupted here]', '', ' ! No space left on device', '', ' ● New']);
});

test('reasoning is one line that opens', () => {
  const { items, lines, transcript } = itemsOn();
  const thinkingBlocks = [{ type: 'thinking', thinking: 'First this.\nThen that.', signature: 'x' }];
  const event = { id: 'm', source: 'agent', type: 'message', role: 'assistant', content: [], thinkingBlocks, ...base };
  items.logged({ event: event as unknown as Event, told: [] });
  expect(lines()).toEqual([' ○ ▸ reasoning: First this. Then that.']);
  transcript.toggle();
  expect(lines()).toEqual([' ○ ▾ reasoning', '   First this.', '   Then that.']);
});

test('a resumed session shows its history, what was cut off, and the notes', () => {
  const { items, lines } = itemsOn();
  items.opened({
    type: 'opened',
    init: {
      ...init,
      isResumed: true,
      notes: ['No sandbox.'],
      cutOff: [{ name: 'run_command', arguments: '{"command":"make"}' }],
    },
    history: [{ event: usual, told: [{ type: 'message', id: 'u', from: 'user', text: 'Go.' }] }],
  });
  const text = lines().join('\n');
  for (const words of ['goes on with session s1', '> Go.', 'cut off in this call', '$ make', 'i No sandbox.']) {
    expect(text).toContain(words);
  }
});

test('whatever anybody writes, no line is wider than the terminal, and none holds an escape that is not a colour of ours', () => {
  fc.assert(
    fc.property(
      hostile,
      hostile,
      fc.integer({ min: 8, max: 210 }),
      fc.boolean(),
      fc.boolean(),
      (text, other, width, isOpen, isColoured) => {
        const { items, tell, lines, transcript } = itemsOn(isColoured ? colouredStyles : plainStyles);
        items.opened({ type: 'opened', init: { ...init, model: text, workspace: other, notes: [text] }, history: [] });
        tell({ type: 'message', id: 'u', from: 'user', text });
        tell({ type: 'message', id: 'f', from: 'framework', text });
        tell({ type: 'message', id: 'm', from: 'model', text, isCutOff: true });
        for (const name of ['run_command', 'edit_file', text]) {
          tell({ type: 'tool-call', id: name, name, arguments: text, summary: other, risk: text });
          tell(
            call(`${name}2`, name, { command: text, path: other, old_text: text, new_text: other, [text]: [other] }),
          );
          tell(result(name, text, { status: 'failed' }));
          tell(result(`${name}2`, other));
          items.changed(`${name}2`, { ...diff, path: text, lines: [{ kind: 'added', text, line: 3 }] });
        }
        tell(
          {
            type: 'condensation',
            id: 'k',
            condenser: text,
            reason: other,
            tokensBefore: 5,
            tokensAfter: 1,
            forgotten: 1,
            masked: 1,
            summary: text,
          },
          {
            id: 'k',
            source: 'agent',
            type: 'condensation',
            forgottenEventIds: ['u'],
            redactions: [{ eventId: 'm', text }],
            summary: text,
            metadata: { [text]: other },
            ...base,
          },
        );
        tell({ type: 'condensation-attempt', id: 'a', condenser: text, outcome: 'failed', reason: other });
        items.retried({ type: 'retry', attempt: 1, attempts: 2, delayMs: 5, error: text });
        items.delta({ type: 'thinking', text });
        items.delta({ type: 'text', text: other });
        items.delta({ type: 'tool-call', index: 0, name: text, arguments: other });
        if (isOpen) transcript.toggleAll();
        const styles = isColoured ? colouredStyles : plainStyles;
        for (const line of lines(width)) expect(faultOf(line, width, styles)).toBeUndefined();
      },
    ),
    {
      seed: 20_261_123,
      numRuns: 40,
    },
  );
});
