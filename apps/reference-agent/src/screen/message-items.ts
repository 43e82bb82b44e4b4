import type { Delta } from '@palimpsest/llm-adapters';
import type { InitEvent } from '../output/stream-event.js';
import { printableText, printableLine, cutLine, wrapText } from './layout.js';
import type { Styles } from './layout.js';
import { markdownLines, StreamedMarkdown } from './markdown.js';
import { TranscriptItem } from './transcript.js';
import type { Transcript, TranscriptItemOptions } from './transcript.js';

/** The lines of a folded text that are seen. */
const foldedLines = 12;

/** Returns a message of the user. A very long one, such as a pasted log, is folded. */
export function userItem(text: string, { colours }: Styles): TranscriptItem {
  return foldedText(text, { mark: colours.bold('>'), style: colours.bold, dim: colours.dim, shownLines: foldedLines });
}

/** Returns text of the program that runs the model, not of the user: folded to its first line. */
export function frameworkItem(text: string, { colours }: Styles): TranscriptItem {
  return foldedText(text, { mark: colours.dim('·'), style: colours.dim, dim: colours.dim, shownLines: 1 });
}

/** Returns the words of a command. */
export function saidItem(text: string, { colours }: Styles): TranscriptItem {
  return new TranscriptItem({ mark: colours.dim('·'), draw: ({ width }) => wrapText(printableText(text), width) });
}

/** Returns the heading of a session: its model, its folder, and its id to go on with another day. */
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

/** Returns a notice of the program, or a problem. */
export function noticeItem(text: string, level: 'info' | 'problem', { colours }: Styles): TranscriptItem {
  const colour = level === 'problem' ? colours.yellow : colours.dim;
  return new TranscriptItem({
    mark: colour(level === 'problem' ? '!' : 'i'),
    draw: ({ width }) => wrapText(printableText(text), width).map((line) => colour(line)),
    isCompact: true,
  });
}

/** Returns an answer of the model. */
export function answerItem(text: string, isCutOff: boolean, styles: Styles): TranscriptItem {
  const { colours } = styles;
  return new TranscriptItem({
    mark: colours.cyan('●'),
    draw: ({ width }) => [...markdownLines(text, width, styles), ...(isCutOff ? [interruption(width, styles)] : [])],
  });
}

/** Returns the model's reasoning: one line that opens. */
export function reasoningItem(text: string, styles: Styles): TranscriptItem {
  return new TranscriptItem({
    mark: styles.colours.dim('○'),
    opens: true,
    isCompact: true,
    draw: ({ width, isOpen }) => reasoningLines(text, isOpen, printableLine(text.slice(0, 2_000)), width, styles),
  });
}

function reasoningLines(text: string, isOpen: boolean, closed: string, width: number, { colours }: Styles): string[] {
  const { dim, italic } = colours;
  if (!isOpen) return [dim(italic(cutLine(`▸ reasoning: ${closed}`, width)))];
  const lines = wrapText(printableText(text).trim(), width);
  return [dim(cutLine('▾ reasoning', width)), ...lines.map((line) => dim(italic(line)))];
}

function interruption(width: number, { colours }: Styles): string {
  return colours.yellow(cutLine('[interrupted here]', width));
}

interface Folded {
  readonly mark: string;
  readonly style: (text: string) => string;
  readonly dim: (text: string) => string;
  /** The lines that are seen while it is closed. */
  readonly shownLines: number;
}

function foldedText(text: string, { mark, style, dim, shownLines }: Folded): TranscriptItem {
  return new TranscriptItem({
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
}

/** The answer that comes, piece by piece, until the log has it. */
export class LiveAnswer {
  readonly #transcript: Transcript;
  readonly #styles: Styles;
  readonly #items = new Map<Delta['type'], TranscriptItem>();
  #markdown: StreamedMarkdown;
  #text = '';
  #reasoning = '';
  #calls: string[] = [];
  #isCutOff = false;

  constructor(transcript: Transcript, styles: Styles) {
    this.#transcript = transcript;
    this.#styles = styles;
    this.#markdown = new StreamedMarkdown(styles);
  }

  add(delta: Delta): void {
    const { cyan, dim } = this.#styles.colours;
    switch (delta.type) {
      case 'text':
        this.#text += delta.text;
        return this.#show('text', { mark: cyan('●'), draw: ({ width }) => this.#textLines(width) });
      case 'thinking':
        this.#reasoning += delta.text;
        return this.#show('thinking', {
          mark: dim('○'),
          opens: true,
          isCompact: true,
          draw: ({ width, isOpen }) => this.#reasoningLines(width, isOpen),
        });
      case 'tool-call':
        this.#calls[delta.index] ??= '';
        if (delta.name !== undefined) this.#calls[delta.index] = delta.name;
        return this.#show('tool-call', { mark: dim('■'), draw: ({ width }) => this.#callLines(width) });
      case 'restart':
        return this.discard();
    }
  }

  /** The log has the answer, or it is void. */
  discard(): void {
    for (const type of this.#items.keys()) this.#remove(type);
    this.#markdown = new StreamedMarkdown(this.#styles);
    [this.#text, this.#reasoning, this.#calls] = ['', '', []];
  }

  /** No more of it comes, and the log does not have it: what there is stays where it is. The next answer needs another one of these. */
  cutOff(): void {
    this.#remove('tool-call');
    this.#isCutOff = true;
    for (const item of this.#items.values()) item.changed();
  }

  #show(type: Delta['type'], options: TranscriptItemOptions): void {
    const known = this.#items.get(type);
    if (known !== undefined) return known.changed();
    const item = new TranscriptItem(options);
    this.#items.set(type, item);
    this.#transcript.add(item);
  }

  #remove(type: Delta['type']): void {
    const item = this.#items.get(type);
    if (item !== undefined) this.#transcript.remove(item);
    this.#items.delete(type);
  }

  #textLines(width: number): readonly string[] {
    const end = this.#isCutOff ? [interruption(width, this.#styles)] : [];
    return [...this.#markdown.lines(this.#text, width), ...end];
  }

  #reasoningLines(width: number, isOpen: boolean): readonly string[] {
    // What was thought last is what is new.
    const end = printableLine(this.#reasoning.slice(-2 * Math.max(1, width)));
    return reasoningLines(this.#reasoning, isOpen, `…${end.slice(-Math.max(1, width - 16))}`, width, this.#styles);
  }

  #callLines(width: number): readonly string[] {
    const names = this.#calls.map((name) => printableLine(name)).filter((name) => name !== '');
    return [this.#styles.colours.dim(cutLine(`writes a call of ${names.join(', ')} …`, width))];
  }
}
