import type { StreamEventOf } from '../output/stream-event.js';
import type { FileDiff } from '../interactive/file-diff.js';
import { callPhrase, endingPhrase } from '../output/phrases.js';
import { inputLines } from './call-input.js';
import { diffLines, diffSize } from './diff-lines.js';
import { brokenAtWidth, cutLine, harmless, harmlessLine } from './shown-width.js';
import type { Styles } from './styles.js';
import { TranscriptItem } from './transcript-item.js';

/** So many lines of a result are seen while it is closed, and of a diff. */
const foldedResultLines = 3;
const foldedDiffLines = 12;

/** A call of a tool, and its result when it has come. */
export class CallItem extends TranscriptItem {
  readonly #call: StreamEventOf<'tool-call'>;
  readonly #styles: Styles;
  #result: StreamEventOf<'tool-result'> | undefined;
  #diff: FileDiff | undefined;

  /** @param onOpen - called when it is opened */
  constructor(call: StreamEventOf<'tool-call'>, styles: Styles, onOpen: () => void) {
    super({
      onOpen,
      mark: styles.colours.cyan('■'),
      opens: true,
      isCompact: true,
      draw: ({ width, isOpen }) => this.#lines(width, isOpen),
    });
    this.#call = call;
    this.#styles = styles;
  }

  /** The result has come. */
  ended(result: StreamEventOf<'tool-result'>): void {
    this.#result = result;
    this.changed();
  }

  /** What it changed in a file. */
  hasChanged(diff: FileDiff): void {
    this.#diff = diff;
    this.changed();
  }

  get hasDiff(): boolean {
    return this.#diff !== undefined;
  }

  #lines(width: number, isOpen: boolean): string[] {
    const { bold, dim } = this.#styles.colours;
    const { summary, arguments: json, name } = this.#call;
    const words = callPhrase({ name, arguments: json });
    const arrow = isOpen ? '▾ ' : '▸ ';
    const ending = this.#ending();
    const room = width - arrow.length - (ending === '' ? 0 : ending.length + 2);
    const head = cutLine(
      `${arrow}${bold(cutLine(words, room))}${ending === '' ? '' : `  ${this.#coloured(ending)}`}`,
      width,
    );
    // The model's words about its call are its own, and nobody has checked them.
    const said = summary === undefined ? [] : [dim(cutLine(`  “${harmlessLine(summary)}”`, width))];
    if (isOpen)
      return [
        head,
        ...said,
        ...indented(inputLines(this.#call, width - 2, this.#styles, this.#diff)),
        ...this.#whole(width),
      ];
    return [head, ...said, ...this.#folded(width)];
  }

  /** How it ended, in a word or two. */
  #ending(): string {
    const result = this.#result;
    if (result === undefined) return '';
    const { exitStatus = 0, text } = result;
    const words = endingPhrase(result);
    if (words !== '') return exitStatus === 0 && words.startsWith('exit') ? '✓' : `✗ ${words}`;
    const lines = text === '' ? 0 : text.split('\n').length;
    return this.#diff === undefined && lines > foldedResultLines ? `✓ ${lines} lines` : '✓';
  }

  #coloured(ending: string): string {
    const { green, red, yellow } = this.#styles.colours;
    if (ending.startsWith('✓')) return green(ending);
    return this.#result?.status === 'failed' ? red(ending) : yellow(ending);
  }

  #folded(width: number): string[] {
    const { dim, red } = this.#styles.colours;
    if (this.#diff !== undefined) {
      const lines = diffLines(this.#diff, width - 2, this.#styles.colours);
      const rest = lines.length - foldedDiffLines;
      const more = rest > 0 ? [dim(cutLine(`… ${rest} more lines`, width - 2))] : [];
      return indented([
        cutLine(diffSize(this.#diff, this.#styles.colours), width - 2),
        ...lines.slice(0, foldedDiffLines),
        ...more,
      ]);
    }
    const result = this.#result;
    if (result === undefined) return [];
    const colour = result.status === 'failed' && result.exitStatus === undefined ? red : dim;
    return indented(this.#head(result.text, width - 2).map((line) => colour(line)));
  }

  /** The first lines of a text: no more of it is measured than is seen. */
  #head(text: string, width: number): string[] {
    const shown = text.split('\n', 40).filter((line) => line.trim() !== '');
    const lines = shown.slice(0, foldedResultLines).map((line) => cutLine(harmless(line.slice(0, 1_000)), width));
    const all = text.split('\n').length;
    return all > foldedResultLines && lines.length > 0
      ? [...lines, cutLine(`… ${all - lines.length} more lines`, width)]
      : lines;
  }

  #whole(width: number): string[] {
    const { dim } = this.#styles.colours;
    const result = this.#result;
    if (result === undefined) return [dim(cutLine('  not ended yet', width))];
    const text = harmless(result.text.replace(/\n+$/, ''));
    return [
      dim(
        cutLine(
          `  ── result: ${result.status}${result.exitStatus === undefined ? '' : `, exit ${result.exitStatus}`} ──`,
          width,
        ),
      ),
      ...indented(text === '' ? [dim(cutLine('(empty)', width - 2))] : brokenAtWidth(text, width - 2)),
    ];
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
