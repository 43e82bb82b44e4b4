import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOf, hostile } from '../../test-support/hostile-text.js';
import { colouredStyles, plainStyles } from '../../test-support/screen-rig.js';
import type { Line } from '../output/lines.js';
import { ApprovalDialog } from './approval-dialog.js';
import { ChoiceList, Pager, Question } from './dialogs.js';
import { queueLines, statusLine } from './status.js';

const lineStyles: readonly NonNullable<Line['style']>[] = [
  'plain',
  'dim',
  'strong',
  'hidden',
  'added',
  'removed',
  'problem',
];

test('whatever anybody writes, a dialog, a page, a choice and a question are no wider than the terminal and do not drive it', () => {
  fc.assert(
    fc.property(hostile, hostile, fc.integer({ min: 24, max: 210 }), fc.boolean(), (text, other, width, isColoured) => {
      const styles = isColoured ? colouredStyles : plainStyles;
      const dialog = new ApprovalDialog(
        ['run_command', 'edit_file', text].map((name, at) => ({
          id: `${at}`,
          name,
          arguments:
            at === 2
              ? text
              : JSON.stringify({ command: text, path: other, old_text: text, new_text: other, [text]: [other] }),
          summary: other,
          risk: text,
          reason: other,
          proposedRule: text,
          diff: { path: text, isNew: false, added: 1, removed: 0, lines: [{ kind: 'added', text: other, line: 12 }] },
        })),
        { styles, maxHeight: () => 14, answer: async () => undefined, changed: () => undefined, now: () => 0 },
      );
      const pager = new Pager(
        {
          title: text,
          lines: lineStyles.flatMap((style, indent): readonly Line[] => [
            { text: indent % 2 === 0 ? text : other, style, indent },
            { text: other, lead: text, style, indent, isVerbatim: indent % 2 === 0 },
          ]),
        },
        { styles, rows: () => 20, close: () => undefined },
      );
      const choices = new ChoiceList({
        title: text,
        items: [
          { label: text, detail: other, value: 'a' },
          { label: other, value: 'b' },
        ],
        styles,
        maxVisible: () => 5,
        chosen: () => undefined,
      });
      const question = new Question({ question: text, initial: other, styles, answered: () => undefined });
      const lines = [
        ...dialog.render(width),
        ...(dialog.handleInput('\t'), dialog.render(width)),
        ...(dialog.handleInput('\t'), dialog.render(width)),
        ...(dialog.handleInput('3'), dialog.render(width)),
        ...pager.render(width),
        ...(pager.handleInput('/'),
        pager.handleInput(`\u001b[200~${text}\u001b[201~`),
        pager.handleInput(other),
        pager.render(width)),
        ...(pager.handleInput('\r'), pager.render(width)),
        ...choices.render(width),
        ...(choices.handleInput(text), choices.render(width)),
        ...question.render(width),
        ...queueLines(
          [
            { id: 1, text },
            { id: 2, text: other },
          ],
          width,
          styles,
        ),
        statusLine({ state: 'ready', isBusy: false, model: text, tokens: 1 }, width, styles),
      ];
      for (const line of lines) expect(faultOf(line, width, styles)).toBeUndefined();
    }),
    { seed: 20_261_123, numRuns: 40 },
  );
});
