import type { Delta } from '@palimpsest/llm-adapters';
import { cutLine, printableText, printableLine, wrapText } from './layout.js';
import type { Styles } from './layout.js';
import type { Transcript } from './transcript.js';
import { StreamedMarkdown } from './markdown.js';
import { TranscriptItem } from './transcript.js';

/** The answer that comes, piece by piece, until the log has it. */
export class LiveAnswer {
  readonly #transcript: Transcript;
  readonly #styles: Styles;
  #markdown: StreamedMarkdown;
  #text = '';
  #reasoning = '';
  #calls: string[] = [];
  #isCutOff = false;
  #textItem: TranscriptItem | undefined;
  #reasoningItem: TranscriptItem | undefined;
  #callItem: TranscriptItem | undefined;

  constructor(transcript: Transcript, styles: Styles) {
    this.#transcript = transcript;
    this.#styles = styles;
    this.#markdown = new StreamedMarkdown(styles);
  }

  add(delta: Delta): void {
    switch (delta.type) {
      case 'text':
        this.#text += delta.text;
        this.#textItem = this.#shown(this.#textItem, this.#styles.colours.cyan('●'), (width) => this.#textLines(width));
        return;
      case 'thinking':
        this.#reasoning += delta.text;
        this.#reasoningItem = this.#shown(
          this.#reasoningItem,
          this.#styles.colours.dim('○'),
          (width, isOpen) => this.#reasoningLines(width, isOpen),
          true,
        );
        return;
      case 'tool-call':
        this.#calls[delta.index] ??= '';
        if (delta.name !== undefined) this.#calls[delta.index] = delta.name;
        this.#callItem = this.#shown(this.#callItem, this.#styles.colours.dim('■'), (width) => this.#callLines(width));
        return;
      case 'restart':
        return this.discard();
    }
  }

  /** The log has the answer, or it is void. */
  discard(): void {
    for (const item of [this.#textItem, this.#reasoningItem, this.#callItem]) {
      if (item !== undefined) this.#transcript.remove(item);
    }
    this.#forget();
  }

  /** No more of it comes, and the log does not have it: what there is stays where it is. The next answer needs another one of these. */
  cutOff(): void {
    if (this.#callItem !== undefined) this.#transcript.remove(this.#callItem);
    this.#callItem = undefined;
    this.#isCutOff = true;
    for (const item of [this.#textItem, this.#reasoningItem]) item?.changed();
  }

  #forget(): void {
    this.#markdown = new StreamedMarkdown(this.#styles);
    [this.#text, this.#reasoning, this.#calls] = ['', '', []];
    [this.#textItem, this.#reasoningItem, this.#callItem] = [undefined, undefined, undefined];
  }

  #shown(
    item: TranscriptItem | undefined,
    mark: string,
    draw: (width: number, isOpen: boolean) => readonly string[],
    opens = false,
  ): TranscriptItem {
    if (item !== undefined) {
      item.changed();
      return item;
    }
    const made = new TranscriptItem({
      mark,
      opens,
      isCompact: opens,
      draw: ({ width, isOpen }) => draw(width, isOpen),
    });
    this.#transcript.add(made);
    return made;
  }

  #textLines(width: number): readonly string[] {
    const { yellow } = this.#styles.colours;
    const end = this.#isCutOff ? [yellow(cutLine('[interrupted here]', width))] : [];
    return [...this.#markdown.lines(this.#text, width), ...end];
  }

  #reasoningLines(width: number, isOpen: boolean): readonly string[] {
    const { dim, italic } = this.#styles.colours;
    if (isOpen)
      return [
        dim(cutLine('▾ reasoning', width)),
        ...wrapText(printableText(this.#reasoning).trim(), width).map((line) => dim(italic(line))),
      ];
    // What was thought last is what is new.
    const end = printableLine(this.#reasoning.slice(-2 * Math.max(1, width)));
    return [dim(italic(cutLine(`▸ reasoning: …${end.slice(-Math.max(1, width - 16))}`, width)))];
  }

  #callLines(width: number): readonly string[] {
    const names = this.#calls.map((name) => printableLine(name)).filter((name) => name !== '');
    return [this.#styles.colours.dim(cutLine(`writes a call of ${names.join(', ')} …`, width))];
  }
}
