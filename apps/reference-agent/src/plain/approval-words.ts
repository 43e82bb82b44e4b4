import { shownLines } from '@palimpsest/terminal';
import type { Approval, ApprovalAnswer } from '../session/session-events.js';
import type { DiffLine } from '../interactive/file-diff.js';
import { callLines } from '../output/call-lines.js';

/** A call that waits, in lines: whole, because it is what runs. The change of a file stands in place of its text. */
export function approvalLines(approval: Approval, number: number, count: number): readonly string[] {
  const { diff, reason, proposedRule } = approval;
  const [name = '', ...input] = callLines(approval);
  const said = input.filter((line) => line.startsWith('  the model says: '));
  const change =
    diff === undefined
      ? []
      : [
          `  ${diff.isNew ? 'new file' : 'change of'} ${shownLines(diff.path)}, ${diff.added} added, ${diff.removed} removed:`,
          ...diff.lines.map((line) => `  ${diffLineInWords(line)}`),
        ];
  return [
    `Call ${number} of ${count} needs your yes: ${name}`,
    ...(diff === undefined ? input : [...change, ...said]),
    `  asked because: ${shownLines(reason)}`,
    '  y: yes, once. n, or n and a reason: no. a: yes to all of them.',
    ...(proposedRule === undefined
      ? []
      : [
          `  s: yes, and for this session to calls by the rule ${shownLines(proposedRule)}`,
          '  r: the same, in this folder for good. s or r with another rule behind it: that rule.',
        ]),
  ];
}

/** A line of a diff, in which a sign says what becomes of it. */
export function diffLineInWords({ kind, text, line }: DiffLine): string {
  if (kind === 'gap') return `    … ${shownLines(text)}`;
  const sign = { same: ' ', added: '+', removed: '-' }[kind];
  return `${sign} ${line ?? ''} ${shownLines(text.replaceAll('\t', '    '))}`;
}

/** What a typed line says to a call: an answer to this call or to all, or undefined if it is no answer. */
export function typedAnswer(
  line: string,
  { proposedRule }: Pick<Approval, 'proposedRule'>,
): { readonly answer: ApprovalAnswer; readonly toAll: boolean } | undefined {
  const [, word = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  const rule = rest === '' ? proposedRule : rest;
  switch (word.toLowerCase()) {
    case 'y':
    case 'yes':
      return rest === '' ? { answer: { type: 'once' }, toAll: false } : undefined;
    case 'a':
    case 'all':
      return rest === '' ? { answer: { type: 'once' }, toAll: true } : undefined;
    case 's':
      return rule === undefined ? undefined : { answer: { type: 'session', rule }, toAll: false };
    case 'r':
      return rule === undefined ? undefined : { answer: { type: 'rule', rule }, toAll: false };
    case 'n':
    case 'no':
      return { answer: { type: 'no', reason: rest === '' ? undefined : rest }, toAll: false };
    default:
      return undefined;
  }
}
