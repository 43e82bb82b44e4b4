import type { InitEvent } from '../output/stream-event.js';
import { markdownLines } from './markdown.js';
import { printableText, printableLine, cutLine, wrapText } from './layout.js';
import type { Styles } from './layout.js';
import { TranscriptItem } from './transcript.js';

/** So many lines of what is folded are seen. */
const foldedLines = 12;

/** A message of the user. A very long one, such as a pasted log, is folded. */
export function userItem(text: string, { colours }: Styles): TranscriptItem {
  return foldedText(text, { mark: colours.bold('>'), style: colours.bold, dim: colours.dim, shownLines: foldedLines });
}

/** Text of the program that runs the model, not of the user: folded to its first line. */
export function frameworkItem(text: string, { colours }: Styles): TranscriptItem {
  return foldedText(text, { mark: colours.dim('·'), style: colours.dim, dim: colours.dim, shownLines: 1 });
}

/** What a command says. */
export function saidItem(text: string, { colours }: Styles): TranscriptItem {
  return new TranscriptItem({ mark: colours.dim('·'), draw: ({ width }) => wrapText(printableText(text), width) });
}

/** Where the session works, and how it goes on another day. */
export function headerItem({ session, workspace, model, isResumed }: InitEvent, { colours }: Styles): TranscriptItem {
  const { bold, dim } = colours;
  return new TranscriptItem({
    mark: bold('◇'),
    draw: ({ width }) => [
      bold(cutLine(`Palimpsest · ${printableLine(model)}`, width)),
      dim(cutLine(printableLine(workspace), width)),
      dim(
        cutLine(
          `${isResumed ? 'goes on with' : 'new'} session ${printableLine(session)} · /help lists the commands`,
          width,
        ),
      ),
    ],
  });
}

/** A notice of the program, or a problem. */
export function noticeItem(text: string, level: 'info' | 'problem', { colours }: Styles): TranscriptItem {
  const colour = level === 'problem' ? colours.yellow : colours.dim;
  return new TranscriptItem({
    mark: colour(level === 'problem' ? '!' : 'i'),
    draw: ({ width }) => wrapText(printableText(text), width).map((line) => colour(line)),
    isCompact: true,
  });
}

/** An answer of the model. */
export function answerItem(text: string, isCutOff: boolean, styles: Styles): TranscriptItem {
  const { colours } = styles;
  return new TranscriptItem({
    mark: colours.cyan('●'),
    draw: ({ width }) => [
      ...markdownLines(text, width, styles),
      ...(isCutOff ? [colours.yellow(cutLine('[interrupted here]', width))] : []),
    ],
  });
}

/** The model's reasoning: one line that opens. */
export function reasoningItem(text: string, { colours }: Styles): TranscriptItem {
  const { dim, italic } = colours;
  return new TranscriptItem({
    mark: dim('○'),
    opens: true,
    isCompact: true,
    draw: ({ width, isOpen }) =>
      isOpen
        ? [
            dim(cutLine('▾ reasoning', width)),
            ...wrapText(printableText(text).trim(), width).map((line) => dim(italic(line))),
          ]
        : [dim(italic(cutLine(`▸ reasoning: ${printableLine(text.slice(0, 2_000))}`, width)))],
  });
}

interface Folded {
  readonly mark: string;
  readonly style: (text: string) => string;
  readonly dim: (text: string) => string;
  /** So many lines are seen while it is closed. */
  readonly shownLines: number;
}

function foldedText(text: string, { mark, style, dim, shownLines }: Folded): TranscriptItem {
  const item = new TranscriptItem({
    mark,
    // Whether there is more depends on the width: what may be more than fits opens at any.
    opens: text.split('\n', shownLines + 1).length > shownLines || text.length > 40 * shownLines,
    draw: ({ width, isOpen }) => {
      if (isOpen) return wrapText(printableText(text), width).map((line) => style(line));
      // No more than can be seen is measured, however long the text is.
      const part = text.slice(0, (shownLines + 1) * Math.max(width, 40));
      const lines = wrapText(printableText(part), width);
      if (lines.length <= shownLines && part.length === text.length) return lines.map((line) => style(line));
      const all = text.split('\n').length;
      const size = all > shownLines ? `${all} lines` : `${text.length} characters`;
      const more = cutLine(`▸ … ${size} in all`, width);
      return shownLines === 1
        ? [style(cutLine(`▸ ${printableLine(part)}`, width))]
        : [...lines.slice(0, shownLines).map((line) => style(line)), dim(more)];
    },
  });
  return item;
}
