import type { Line } from '../output/lines.js';
import type { StreamEventOf } from '../output/stream-event.js';
import type { FileDiff } from '@palimpsest/tools/diff';
import { callLines, diffLines } from '../output/call-lines.js';
import { changePhrase, reasonPhrase, summaryTitle } from '../output/condensation-phrases.js';
import { callPhrase, endingPhrase } from '../output/phrases.js';
import { breakAtWidth, cutLine, printableText, printableLine, drawLines, wrapText } from './layout.js';
import type { Styles } from './layout.js';
import { markdownLines } from './markdown.js';
import { TranscriptItem } from './transcript.js';

/** The lines of a result that are seen while it is closed, and those of a diff with its heading. */
const foldedResultLines = 3;
const foldedDiffLines = 13;

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

  /** Shows the change that it made in a file. */
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
    const said = summary === undefined ? [] : [dim(cutLine(`  “${printableLine(summary)}”`, width))];
    if (isOpen)
      return [
        head,
        ...said,
        ...indented(drawLines(callLines(this.#call, this.#diff), width - 2, this.#styles)),
        ...this.#whole(width),
      ];
    return [head, ...said, ...this.#folded(width)];
  }

  /** Returns its ending, in a word or two. */
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
      const lines = drawLines(diffLines(this.#diff), width - 2, this.#styles);
      const rest = lines.length - foldedDiffLines;
      const more = rest > 0 ? [dim(cutLine(`… ${rest} more lines`, width - 2))] : [];
      return indented([...lines.slice(0, foldedDiffLines), ...more]);
    }
    const result = this.#result;
    if (result === undefined) return [];
    const colour = result.status === 'failed' && result.exitStatus === undefined ? red : dim;
    return indented(this.#head(result.text, width - 2).map((line) => colour(line)));
  }

  /** The first lines of a text: no more of it is measured than is seen. */
  #head(text: string, width: number): string[] {
    const shown = text.split('\n', 40).filter((line) => line.trim() !== '');
    const lines = shown.slice(0, foldedResultLines).map((line) => cutLine(printableText(line.slice(0, 1_000)), width));
    const all = text.split('\n').length;
    return all > foldedResultLines && lines.length > 0
      ? [...lines, cutLine(`… ${all - lines.length} more lines`, width)]
      : lines;
  }

  #whole(width: number): string[] {
    const { dim } = this.#styles.colours;
    const result = this.#result;
    if (result === undefined) return [dim(cutLine('  not ended yet', width))];
    const text = printableText(result.text.replace(/\n+$/, ''));
    return [
      dim(
        cutLine(
          `  ── result: ${result.status}${result.exitStatus === undefined ? '' : `, exit ${result.exitStatus}`} ──`,
          width,
        ),
      ),
      ...indented(text === '' ? [dim(cutLine('(empty)', width - 2))] : breakAtWidth(text, width - 2)),
    ];
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Options of {@link CondensationItem}. */
export interface CondensationItemOptions {
  readonly condensation: StreamEventOf<'condensation'>;
  /** Finds out what it changed. Called when it is opened. Undefined: no more is known. */
  readonly readLines: () => Promise<readonly Line[] | undefined>;
  /** Called when its lines have changed and no key has changed them. */
  readonly changed: () => void;
  readonly styles: Styles;
}

/** A condensation: what it changed and why. It opens into what was forgotten and masked, the figures, and the summary. */
export class CondensationItem extends TranscriptItem {
  readonly #options: CondensationItemOptions;
  #details: readonly Line[] = [];
  #isReverted = false;

  constructor(options: CondensationItemOptions) {
    super({
      mark: options.styles.colours.magenta('◆'),
      opens: true,
      onOpen: () => void this.#read(),
      draw: ({ width, isOpen }) => this.#lines(width, isOpen),
    });
    this.#options = options;
  }

  /** It was taken back: the model reads again what it had hidden. */
  reverted(): void {
    this.#isReverted = true;
    this.changed();
  }

  async #read(): Promise<void> {
    const { readLines, changed } = this.#options;
    this.#details = (await readLines().catch(() => undefined)) ?? [];
    this.changed();
    changed();
  }

  #lines(width: number, isOpen: boolean): readonly string[] {
    const { condensation, styles } = this.#options;
    const { magenta, dim, bold } = styles.colours;
    const { summary, summaryTokens } = condensation;
    const undone = this.#isReverted ? ' — undone' : '';
    const words = `${isOpen ? '▾' : '▸'} condensed: ${changePhrase(condensation)}${undone}`;
    const head = wrapText(words, width).map((line) => magenta(line));
    if (!isOpen) return [...head, ...wrapText(reasonPhrase(condensation), width - 2).map((line) => dim(`  ${line}`))];
    const reason: Line = { text: reasonPhrase(condensation), style: 'strong' };
    const details = drawLines(this.#details.length === 0 ? [reason] : this.#details, width - 2, styles);
    return [
      ...head,
      ...indented(details),
      ...(summary === undefined
        ? []
        : [
            '',
            bold(cutLine(`  ${summaryTitle(summaryTokens)}`, width)),
            ...indented(markdownLines(summary, width - 2, styles)),
          ]),
    ];
  }
}
