import { sliceText } from '@palimpsest/events';
import { cutToWidth, printableLine, widthOf, wrapToWidth } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import { formatThousands } from './lines.js';
import { changePhrase, CondensationProgress, isEmpty, reasonPhrase, sizesPhrase } from './condensation-phrases.js';
import { callPhrase, callsPhrase, endingPhrase, retryPhrase } from './phrases.js';
import type { StreamEvent, StreamEventOf } from './stream-event.js';

/** Lines are no narrower: below, nothing could be read. Unit: columns. */
const narrowest = 60;
const numberColumns = 3;
/** Of several steps in one line. */
const rangeColumns = 5;
const sizeColumns = 7;
const indent = '     ';

/** Options of {@link RunTable}. */
export interface RunTableOptions {
  readonly print: (line: string) => void;
  readonly colors: Colours;
  /** Of the terminal. Lines are never wider, but for a terminal of less than 60. Unit: columns. @defaultValue 80 */
  readonly width?: number;
  /**
   * True: all fits a screen. Steps in a row that only read are one line, a condensation is one, a failure is its word, and the last call has
   * none. Lines come later then. @defaultValue false
   */
  readonly isBrief?: boolean;
}

/** A response of the model, and what its calls answered. */
interface Step {
  readonly requestTokens: number;
  words: string;
  readonly calls: StreamEventOf<'tool-call'>[];
  readonly results: StreamEventOf<'tool-result'>[];
}

/**
 * Prints one line for each response of the model: its words, its calls, the size of their results or the exit status, and the size of
 * the request. A call that failed has a line more, and a condensation has its reason and what it changed. The caller calls `follow` with
 * every event, in order, and `flush` at the end. It prints itself how a run begins and ends, because it knows more of that.
 */
export class RunTable {
  readonly #print: (line: string) => void;
  readonly #colors: Colours;
  readonly #width: number;
  readonly #numberColumns: number;
  readonly #wordsWidth: number;
  readonly #callsWidth: number;
  readonly #isBrief: boolean;
  readonly #progress = new CondensationProgress();
  #step: Step | undefined;
  /** Steps that only read, and are not printed yet. */
  #reading: readonly Step[] = [];
  #steps = 0;

  constructor({ print, colors, width = 80, isBrief = false }: RunTableOptions) {
    this.#isBrief = isBrief;
    this.#numberColumns = isBrief ? rangeColumns : numberColumns;
    this.#print = print;
    this.#colors = colors;
    this.#width = Math.max(narrowest, width);
    // Number, words, calls, result and request, with two columns between them.
    const free = this.#width - this.#numberColumns - 2 * sizeColumns - 4 * 2;
    this.#wordsWidth = Math.ceil(free * 0.55);
    this.#callsWidth = free - this.#wordsWidth;
  }

  follow(event: StreamEvent): void {
    switch (event.type) {
      case 'usage':
        // It stands before the answer that it is of.
        if (event.purpose === 'agent') this.#begin(event);
        return;
      case 'message':
        if (event.from === 'model' && this.#step !== undefined) this.#step.words += ` ${shownWords(event.text)}`;
        else this.flush();
        return;
      case 'tool-call':
        this.#step?.calls.push(event);
        return;
      case 'tool-result':
        this.#result(event);
        return;
      case 'condensation':
        this.#followProgress(event);
        if (!isEmpty(event)) this.#condensation(event);
        return;
      case 'condensation-request':
      case 'condensation-attempt':
        this.#followProgress(event);
        return;
      case 'init':
      case 'delta':
      case 'result':
        return;
      case 'retry':
        this.#note(retryPhrase(event));
        return;
      case 'note':
        this.#note(event.text);
        return;
    }
  }

  /** Prints the step that is under way: what is missing of it may never come. */
  flush(): void {
    this.#endStep();
    this.#printReading();
  }

  #endStep(): void {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    if (this.#isBrief && isReading(step)) {
      this.#reading = [...this.#reading, step];
      return;
    }
    this.#printReading();
    if (this.#isBrief && step.calls.some(({ name }) => name === 'finish')) return;
    this.#line(step);
    if (this.#isBrief) return;
    for (const result of step.results) this.#failure(result, step);
  }

  #printReading(): void {
    const steps = this.#reading;
    const [first] = steps;
    if (first === undefined) return;
    this.#reading = [];
    const [calls, results] = [steps.flatMap((step) => step.calls), steps.flatMap((step) => step.results)];
    this.#line({ words: first.words, requestTokens: steps.at(-1)?.requestTokens ?? 0, calls, results }, steps.length);
  }

  #begin({ usage }: StreamEventOf<'usage'>): void {
    this.#endStep();
    const requestTokens = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#step = { requestTokens, words: '', calls: [], results: [] };
  }

  #result(event: StreamEventOf<'tool-result'>): void {
    const step = this.#step;
    if (step?.calls.some(({ id }) => id === event.call) !== true) return;
    step.results.push(event);
    // All calls of a response are told before the first of their results.
    if (step.results.length === step.calls.length) this.#endStep();
  }

  #line({ words, requestTokens, calls, results }: Step, count = 1): void {
    const from = this.#steps + 1;
    this.#steps += count;
    if (from === 1) this.#header();
    const number = count === 1 ? String(from) : `${from}–${this.#steps}`;
    const { bold, dim } = this.#colors;
    const ending = endingOf(results);
    const said = words.trim();
    const width = this.#wordsWidth + 2 + this.#callsWidth;
    // Without the one the other has its place.
    const columns =
      calls.length === 0
        ? [padded(said, width)]
        : said === ''
          ? [padded(callsPhrase(calls, width), width)]
          : [padded(said, this.#wordsWidth), dim(padded(callsPhrase(calls, this.#callsWidth), this.#callsWidth))];
    this.#print(
      [
        bold(number.padStart(this.#numberColumns)),
        ...columns,
        this.#colors[ending.color](ending.text.padStart(sizeColumns)),
        dim(formatThousands(requestTokens).padStart(sizeColumns)),
      ].join('  '),
    );
  }

  #header(): void {
    // Who sees a run for the first time does not know what the sizes are.
    const unit = this.#isBrief ? 'tokens:' : '';
    const does = 'and does'.padEnd(this.#callsWidth - unit.length) + unit;
    const words = ['what the model says'.padEnd(this.#wordsWidth), does].join('  ');
    const sizes = ['result', 'request'].map((name) => name.padStart(sizeColumns)).join('  ');
    this.#print(this.#colors.dim(`${'#'.padStart(this.#numberColumns)}  ${words}  ${sizes}`));
  }

  #failure({ status, text, call }: StreamEventOf<'tool-result'>, { calls }: Step): void {
    // Of what the user has cut off, nothing has to be told.
    if (status === 'ok' || status === 'interrupted') return;
    const made = calls.find(({ id }) => id === call);
    const what = calls.length > 1 && made !== undefined ? `${cutToWidth(callPhrase(made), 30)}: ` : '';
    const color = status === 'failed' ? this.#colors.red : this.#colors.yellow;
    this.#print(color(this.#cut(`     ${what}${status}: ${shownWords(text)}`)));
  }

  #condensation(event: StreamEventOf<'condensation'>): void {
    this.flush();
    const { dim } = this.#colors;
    // A reason is not cut: on a narrow terminal it has more lines.
    const wrapped = (text: string): readonly string[] =>
      wrapToWidth(sliceText(text, 0, 300), this.#width - indent.length);
    if (this.#isBrief) {
      const words = reasonPhrase({ condenser: sizesPhrase(event), reason: event.reason });
      return this.#marked(wrapped(words));
    }
    this.#marked(wrapped(reasonPhrase(event)));
    for (const line of wrapped(changePhrase(event))) this.#print(dim(`${indent}${line}`));
  }

  #marked(lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      this.#print(this.#colors.magenta(`${index === 0 ? '  ◆  ' : indent}${line}`));
    }
  }

  #followProgress(event: Parameters<CondensationProgress['follow']>[0]): void {
    for (const { text } of this.#progress.follow(event)) this.#note(text);
  }

  #note(text: string): void {
    this.flush();
    this.#print(this.#colors.yellow(this.#cut(`  !  ${shownWords(text)}`)));
  }

  #cut(line: string): string {
    return cutToWidth(line, this.#width);
  }
}

/** All that it did was to look, and nothing failed. */
function isReading({ calls, results }: Step): boolean {
  const isLook = calls.every(({ name }) => ['read_file', 'list_files', 'search'].includes(name));
  return calls.length > 0 && isLook && results.every(({ status }) => status === 'ok');
}

/** Words on one line. Of many words only the first can be seen. */
function shownWords(words: string): string {
  return printableLine(sliceText(words, 0, 1_000));
}

function padded(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

/** Returns the ending of a step's calls: the worst ending, or the size of the results. */
function endingOf(results: readonly StreamEventOf<'tool-result'>[]): {
  readonly text: string;
  readonly color: 'red' | 'yellow' | 'dim';
} {
  const ending =
    results.find(({ status }) => status === 'denied') ??
    results.find(({ exitStatus = 0 }) => exitStatus !== 0) ??
    results.find(({ status }) => status === 'failed') ??
    results.find(({ status }) => status === 'interrupted') ??
    results.find(({ exitStatus }) => exitStatus !== undefined);
  if (ending !== undefined) {
    const { status, exitStatus } = ending;
    const color = exitStatus === 0 ? 'dim' : status === 'failed' && exitStatus === undefined ? 'red' : 'yellow';
    return { text: endingPhrase(ending), color };
  }
  const characters = results.reduce((sum, { text }) => sum + text.length, 0);
  return { text: results.length === 0 ? '' : formatThousands(characters / charactersPerToken), color: 'dim' };
}

const charactersPerToken = 4;
