import fc from 'fast-check';
import { coloursFor, widthOf } from '@palimpsest/terminal';
import { expect, test } from 'vitest';
import type { StreamEvent } from './stream-event.js';
import { RunTable } from './run-table.js';

const usage = (input: number): StreamEvent => ({
  type: 'usage',
  id: 'u',
  model: 'm',
  purpose: 'agent',
  usage: { uncachedInputTokens: input, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
});
const says = (text: string): StreamEvent => ({ type: 'message', id: 'm', from: 'model', text });
const calls = (id: string, name: string, input: object): StreamEvent => ({
  type: 'tool-call',
  id,
  name,
  arguments: JSON.stringify(input),
});
const answers = (
  call: string,
  text: string,
  more: { status?: 'failed' | 'denied'; exitStatus?: number } = {},
): StreamEvent => ({
  type: 'tool-result',
  id: `result of ${call}`,
  call,
  name: 'a tool',
  status: 'ok',
  text,
  ...more,
});

function printed(events: readonly StreamEvent[], width?: number): readonly string[] {
  const lines: string[] = [];
  const printer = new RunTable({
    print: (line) => lines.push(line),
    colors: coloursFor({}, {}),
    ...(width === undefined ? {} : { width }),
  });
  for (const event of events) printer.follow(event);
  printer.flush();
  return lines;
}

test('one line a step, however many calls; a failure and a condensation say more', () => {
  const lines = printed([
    { type: 'message', id: 'task', from: 'user', text: 'Repair it.' },
    usage(1_400),
    says('I look\nat it.'),
    calls('1', 'read_file', { path: 'a.ts' }),
    calls('2', 'read_file', { path: 'b.ts' }),
    answers('1', 'x'.repeat(4_000)),
    answers('2', 'x'.repeat(800)),
    usage(2_600),
    calls('3', 'run_command', { command: 'npm test' }),
    answers('3', 'no', { exitStatus: 1 }),
    { type: 'retry', attempt: 1, attempts: 3, delayMs: 1_500, error: '529 overloaded' },
    usage(3_000),
    calls('4', 'write_file', { path: 'a.ts', content: 'x' }),
    answers('4', 'No rule allows it.\nAsk.', { status: 'denied' }),
    {
      type: 'condensation',
      id: 'c',
      condenser: 'observationMasking',
      reason: 'events, tokens',
      tokensBefore: 3_100,
      tokensAfter: 900,
      forgotten: 0,
      masked: 2,
    },
    usage(900),
    says('Done.'),
  ]);
  expect(lines).toEqual([
    '  #  what the model says              and does                   result  request',
    '  1  I look at it.                    read_file a.ts, b.ts         1.2k     1.4k',
    '  2  $ npm test                                                  exit 1     2.6k',
    '  !  Try 1 of 3 failed, the next in 1.5 s: 529 overloaded',
    '  3  write_file a.ts                                             denied     3.0k',
    '     denied: No rule allows it. Ask.',
    '  ◆  observationMasking: the history had become too long, and the request had',
    '     become too large',
    '     3,100 → 900 tokens a request (−71 %); 2 masked',
    '  4  Done.                                                                  0.9k',
  ]);
});

test('a step whose results do not come is printed at the end', () => {
  expect(printed([usage(10), says('I wait.'), calls('1', 'run_command', { command: 'sleep 99' })]).at(-1)).toMatch(
    /^ {2}1 {2}I wait\. +\$ sleep 99/,
  );
});

test('in brief steps in a row that only read are one line, a condensation is one, and the last call is none', () => {
  const lines: string[] = [];
  const printer = new RunTable({ print: (line) => lines.push(line), colors: coloursFor({}, {}), isBrief: true });
  const step = (id: string, tokens: number, name: string, words: string): readonly StreamEvent[] => [
    usage(tokens),
    says(words),
    calls(id, name, { path: `${id}.ts` }),
    answers(id, 'x'.repeat(4_000)),
  ];
  const failed = [usage(1_500), calls('4', 'edit_file', { path: '4.ts' }), answers('4', 'No.', { status: 'failed' })];
  const condensed: StreamEvent = {
    type: 'condensation',
    id: 'c',
    condenser: 'priced',
    reason: 'rent',
    tokensBefore: 3_100,
    tokensAfter: 900,
    forgotten: 5,
    masked: 0,
  };
  const told = [
    ...step('1', 1_000, 'read_file', 'I look.'),
    ...step('2', 1_100, 'search', 'And again.'),
    ...step('3', 1_200, 'edit_file', 'I write.'),
    ...failed,
    ...step('5', 1_600, 'read_file', 'Why?'),
    condensed,
    ...step('6', 900, 'finish', 'Done.'),
  ];
  for (const event of told) printer.follow(event);
  printer.flush();
  expect(lines).toEqual([
    '    #  what the model says             and does        tokens:   result  request',
    '  1–2  I look.                         read_file 1.ts +1           2.0k     1.1k',
    '    3  I write.                        edit_file 3.ts              1.0k     1.2k',
    '    4  edit_file 4.ts                                            failed     1.5k',
    '    5  Why?                            read_file 5.ts              1.0k     1.6k',
    '  ◆  3,100 → 900 tokens a request: to read on would cost more than to write the',
    '     rest anew',
  ]);
});

test('calls of the condenser’s own model and what was there before are no steps', () => {
  expect(printed([says('Said before.'), { ...usage(10), purpose: 'llmSummarizing' } as StreamEvent])).toEqual([]);
});

const hostile = fc
  .array(
    fc.constantFrom(
      'a',
      ' word',
      '漢字',
      '👩‍👩‍👧',
      '\u001b]52;c;eA==\u0007',
      '\u009b2J',
      '\u202e',
      '\r',
      '\n',
      '{"',
      'x'.repeat(3_000),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));

test('no line is wider than the terminal or drives it, whatever the model and its tools say', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, fc.integer({ min: 10, max: 200 }), (words, argument, result, width) => {
      const lines = printed(
        [
          usage(100_000),
          says(words),
          calls(`1`, argument, { command: argument }),
          { type: 'tool-call', id: '2', name: 'edit_file', arguments: argument },
          answers('1', result, { status: 'failed' }),
          answers('2', result),
          {
            type: 'condensation',
            id: 'c',
            condenser: words,
            reason: result,
            tokensBefore: 1,
            tokensAfter: 1,
            forgotten: 1,
            masked: 1,
          },
          { type: 'condensation-attempt', id: 'a', condenser: words, outcome: 'failed', reason: result },
          { type: 'condensation-request', id: 'r', reason: argument },
        ],
        width,
      );
      // The header, the step, its failure, four lines and those that a long reason is wrapped in.
      expect(lines.length).toBeGreaterThanOrEqual(7);
      expect(lines.length).toBeLessThan(40);
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(Math.max(60, width));
        expect(line).not.toMatch(/\p{Cc}|\u202e/u);
      }
    }),
    { seed: 20_261_123, numRuns: 200 },
  );
});
