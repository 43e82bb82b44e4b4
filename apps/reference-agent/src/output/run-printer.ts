import { sliceText } from '@palimpsest/events';
import { cutToWidth, onOneLine, widthOf, wrapToWidth } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { StreamEvent } from '../headless/stream-event.js';
import { callInWords, callsInWidth } from './call-words.js';
import { CondensationCourse, isEmpty } from './condensation-course.js';
import { reasonInWords } from './condensation-reasons.js';
import { shownNumber } from './shown-number.js';

/** Lines are no narrower: below, nothing could be read. Unit: columns. */
const narrowest = 60;
const numberColumns = 3;
/** Of several steps in one line. */
const rangeColumns = 5;
const sizeColumns = 7;
const indent = '     ';

/** Options of {@link RunPrinter}. */
export interface RunPrinterOptions {
  readonly print: (line: string) => void;
  readonly colors: Colours;
  /** Of the terminal. Lines are never wider, but for a terminal of less than 60. Unit: columns. @defaultValue 80 */
  readonly width?: number;
  /**
   * To fit a screen: steps in a row that only read are one line, a condensation is one, a failure is its word, and the last call is told by
   * what follows. Lines come later then. @defaultValue false
   */
  readonly isBrief?: boolean;
}

type Told<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

/** A response of the model, and what its calls answered. */
interface Step {
  readonly requestTokens: number;
  words: string;
  readonly calls: Told<'tool-call'>[];
  readonly results: Told<'tool-result'>[];
}

/**
 * Prints one line for each response of the model: its words, its calls, the size of their results or the exit status, and the
 * size of the request. A call that failed has a line more, and a condensation tells its reason and what it changed. Call `follow` with
 * every event, in order, and `flush` at the end. How a run begins and ends is not printed: the command knows more of it.
 */
export class RunPrinter {
  readonly #print: (line: string) => void;
  readonly #colors: Colours;
  readonly #width: number;
  readonly #numberColumns: number;
  readonly #wordsWidth: number;
  readonly #callsWidth: number;
  readonly #isBrief: boolean;
  readonly #course = new CondensationCourse();
  #step: Step | undefined;
  /** Steps that only read, and are not printed yet. */
  #reading: readonly Step[] = [];
  #steps = 0;

  constructor({ print, colors, width = 80, isBrief = false }: RunPrinterOptions) {
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
        this.#courseOf(event);
        if (!isEmpty(event)) this.#condensation(event);
        return;
      case 'condensation-request':
      case 'condensation-attempt':
        this.#courseOf(event);
        return;
      case 'init':
      case 'delta':
      case 'result':
        return;
      case 'retry': {
        this.#note(retryInWords(event));
        return;
      }
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

  #begin({ usage }: Told<'usage'>): void {
    this.#endStep();
    const requestTokens = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#step = { requestTokens, words: '', calls: [], results: [] };
  }

  #result(event: Told<'tool-result'>): void {
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
          ? [padded(callsInWidth(calls, width), width)]
          : [padded(said, this.#wordsWidth), dim(padded(callsInWidth(calls, this.#callsWidth), this.#callsWidth))];
    this.#print(
      [
        bold(number.padStart(this.#numberColumns)),
        ...columns,
        this.#colors[ending.color](ending.text.padStart(sizeColumns)),
        dim(inThousands(requestTokens).padStart(sizeColumns)),
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

  #failure({ status, text, call }: Told<'tool-result'>, { calls }: Step): void {
    // Of what the user has cut off, nothing has to be told.
    if (status === 'ok' || status === 'interrupted') return;
    const made = calls.find(({ id }) => id === call);
    const what = calls.length > 1 && made !== undefined ? `${cutToWidth(callInWords(made), 30)}: ` : '';
    const color = status === 'failed' ? this.#colors.red : this.#colors.yellow;
    this.#print(color(this.#cut(`     ${what}${status}: ${shownWords(text)}`)));
  }

  #condensation(event: Told<'condensation'>): void {
    this.flush();
    const { dim } = this.#colors;
    // A reason is not cut: on a narrow terminal it has more lines.
    const wrapped = (text: string): readonly string[] =>
      wrapToWidth(sliceText(text, 0, 300), this.#width - indent.length);
    if (this.#isBrief) {
      const words = reasonInWords({ condenser: sizesInWords(event), reason: event.reason });
      return this.#marked(wrapped(words));
    }
    this.#marked(wrapped(reasonInWords(event)));
    for (const line of wrapped(changeInWords(event))) this.#print(dim(`${indent}${line}`));
  }

  #marked(lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      this.#print(this.#colors.magenta(`${index === 0 ? '  ◆  ' : indent}${line}`));
    }
  }

  #courseOf(told: Parameters<CondensationCourse['follow']>[0]): void {
    for (const { text } of this.#course.follow(told)) this.#note(text);
  }

  #note(text: string): void {
    this.flush();
    this.#print(this.#colors.yellow(this.#cut(`  !  ${shownWords(text)}`)));
  }

  #cut(line: string): string {
    return cutToWidth(line, this.#width);
  }
}

/** A model call that is tried again. */
export function retryInWords({ attempt, attempts, remainingMs, delayMs, error }: Told<'retry'>): string {
  const which = attempts === undefined ? `${attempt}` : `${attempt} of ${attempts}`;
  const until = remainingMs === undefined ? '' : `, the last within ${Math.ceil(remainingMs / 1_000)} s`;
  return `try ${which} failed, the next in ${(delayMs / 1_000).toFixed(1)} s${until}: ${error}`;
}

/** What a condensation changed. */
export function changeInWords(event: Told<'condensation'>): string {
  const { forgotten, masked, summary } = event;
  const changes = [
    forgotten === 0
      ? []
      : `${shownNumber(forgotten)} events ${summary === undefined ? 'are left out' : 'are a summary'}`,
    masked === 0 ? [] : `${shownNumber(masked)} are a note`,
  ].flat();
  return [sizesInWords(event), ...changes].join('; ');
}

function sizesInWords({ tokensBefore, tokensAfter }: Told<'condensation'>): string {
  return `${shownNumber(tokensBefore)} → ${shownNumber(tokensAfter)} tokens a request`;
}

/** All that it did was to look, and nothing failed. */
function isReading({ calls, results }: Step): boolean {
  const isLook = calls.every(({ name }) => ['read_file', 'list_files', 'search'].includes(name));
  return calls.length > 0 && isLook && results.every(({ status }) => status === 'ok');
}

/** Words on one line. Of many words only the first can be seen. */
function shownWords(words: string): string {
  return onOneLine(sliceText(words, 0, 1_000));
}

function padded(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

/** How the calls of a step ended: the exit status of commands, or the size of what was answered. */
function endingOf(results: readonly Told<'tool-result'>[]): {
  readonly text: string;
  readonly color: 'red' | 'yellow' | 'dim';
} {
  const statuses = results.flatMap(({ exitStatus }) => exitStatus ?? []);
  const failed = statuses.find((status) => status !== 0);
  if (results.some(({ status }) => status === 'denied')) return { text: 'denied', color: 'yellow' };
  if (failed !== undefined) return { text: `exit ${failed}`, color: 'yellow' };
  if (results.some(({ status }) => status === 'failed')) return { text: 'error', color: 'red' };
  if (results.some(({ status }) => status === 'interrupted')) return { text: 'cut off', color: 'yellow' };
  if (statuses.length > 0) return { text: 'exit 0', color: 'dim' };
  const characters = results.reduce((sum, { text }) => sum + text.length, 0);
  return { text: results.length === 0 ? '' : inThousands(characters / charactersPerToken), color: 'dim' };
}

const charactersPerToken = 4;

/** A number of tokens in thousands. */
function inThousands(tokens: number): string {
  return `${(tokens / 1_000).toFixed(1)}k`;
}
