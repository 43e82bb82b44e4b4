import { diffPhrase } from '../output/call-lines.js';
import { sliceText } from '@palimpsest/events';
import { printableLine, printableText } from '@palimpsest/terminal';
import type { Output } from '../context.js';
import type { LoggedEvent, SessionEvent, SessionState } from '../session/session-events.js';
import { formatCount } from '../output/lines.js';
import { changePhrase, CondensationProgress, isEmpty, reasonPhrase } from '../output/condensation-phrases.js';
import {
  callPhrase,
  cutOffPhrase,
  endingPhrase,
  printableAnswer,
  retryPhrase,
  sessionPhrase,
} from '../output/phrases.js';
import type { InitEvent, StreamEvent, StreamEventOf } from '../output/stream-event.js';

/** Unit: characters. */
const maxWords = 300;

/** Writes what a session tells, in the order in which it happens: a line each, and answers as they come. */
export class PlainTranscript {
  readonly #writer: PlainWriter;
  /** The calls that were told, in words. */
  readonly #calls = new Map<string, string>();
  /** A part of the answer stands there. */
  #isStreaming = false;
  #progress = new CondensationProgress();
  /** It was told which servers are waited for. */
  #isWaiting = false;

  constructor(writer: PlainWriter) {
    this.#writer = writer;
  }

  follow(event: SessionEvent): void {
    switch (event.type) {
      case 'opened':
        return this.#opened(event.init, event.history);
      case 'logged':
        for (const told of event.told) this.#told(told);
        return;
      case 'delta':
        return this.#delta(event.delta);
      case 'diff':
        return this.#line(`${diffPhrase(event.diff)}.`);
      case 'retry':
        return this.#line(`! ${retryPhrase(event)}`);
      case 'background':
        return event.isCondensing ? this.#line('A summary is being written while the agent goes on.') : undefined;
      case 'notice':
        return this.#writer.lines(printableText(event.level === 'problem' ? `! ${event.text}` : event.text));
      case 'state':
        return this.#state(event.state);
      case 'queue':
        return;
    }
  }

  /** Servers may need long; which of them have answered is not told. */
  #state(state: SessionState): void {
    const waitsFor = state.type === 'opening' ? (state.waitsFor ?? []) : [];
    if (waitsFor.length > 0 && !this.#isWaiting) this.#line(`Waiting for MCP servers: ${waitsFor.join(', ')}.`);
    this.#isWaiting = waitsFor.length > 0 || (this.#isWaiting && state.type === 'opening');
  }

  #opened(init: InitEvent, history: readonly LoggedEvent[]): void {
    this.#progress = new CondensationProgress();
    this.#line(`palimpsest: ${sessionPhrase(init)}`);
    for (const note of init.notes) this.#line(`! ${note}`);
    const words = history.flatMap(({ told }) => told).filter((each) => each.type === 'message');
    const spoken = words.filter(({ from }) => from !== 'framework');
    const last = (from: 'user' | 'model') => spoken.findLast((each) => each.from === from)?.text;
    if (spoken.length > 0) this.#line(`It holds ${spoken.length} messages. The last ones:`);
    for (const [name, text] of [
      ['You', last('user')],
      ['Agent', last('model')],
    ] as const) {
      if (text !== undefined) this.#writer.lines(`${name}: ${printableAnswer(sliceText(text, 0, 2_000)).trimEnd()}`);
    }
    for (const call of init.cutOff) this.#line(`! ${cutOffPhrase(call)}`);
  }

  #told(told: StreamEvent): void {
    switch (told.type) {
      case 'message':
        return this.#message(told);
      case 'tool-call': {
        const words = callPhrase(told);
        this.#calls.set(told.id, words);
        return this.#line(`Call: ${words}${told.summary === undefined ? '' : ` (${told.summary})`}`);
      }
      case 'tool-result':
        return this.#result(told);
      case 'condensation-request':
      case 'condensation-attempt':
        return this.#followProgress(told);
      case 'condensation':
        this.#followProgress(told);
        if (isEmpty(told)) return;
        this.#line(`Condensed: ${reasonPhrase(told)}`);
        return this.#line(`  ${changePhrase(told)}`);
      default:
        return;
    }
  }

  #followProgress(told: Parameters<CondensationProgress['follow']>[0]): void {
    for (const { level, text } of this.#progress.follow(told)) this.#line(level === 'problem' ? `! ${text}` : text);
  }

  #message({ from, text, isCutOff }: StreamEventOf<'message'>): void {
    if (from !== 'model') return;
    const wasStreamed = this.#isStreaming;
    this.#isStreaming = false;
    // The end of the line that the pieces began.
    if (!wasStreamed) this.#writer.lines(printableAnswer(text).trimEnd());
    if (isCutOff === true) this.#line('(the answer was interrupted here)');
  }

  #delta(delta: Extract<SessionEvent, { readonly type: 'delta' }>['delta']): void {
    if (delta.type === 'text') {
      this.#isStreaming = true;
      this.#writer.piece(printableAnswer(delta.text));
    } else if (delta.type === 'restart') {
      if (this.#isStreaming) this.#line('(the connection was lost; the answer begins anew)');
      this.#isStreaming = false;
    }
  }

  #result(event: StreamEventOf<'tool-result'>): void {
    const { call, name, status, text } = event;
    const words = this.#calls.get(call ?? '') ?? name;
    this.#calls.delete(call ?? '');
    const ending = endingPhrase(event);
    if (status !== 'ok') return this.#line(`! ${ending}: ${words}: ${text}`);
    const size = formatCount(text.trimEnd().split('\n').length, 'line');
    this.#line(`Result: ${words}: ${size}${ending === '' ? '' : `, ${ending}`}`);
  }

  #line(text: string): void {
    this.#writer.lines(/^ */.exec(text)?.[0] + printableLine(sliceText(text, 0, maxWords)));
  }
}

/** Writes lines, pieces of lines and a prompt. It never moves the cursor. What it is given must be shown text already. */
export class PlainWriter {
  readonly #output: Output;
  #isInLine = false;
  #isPrompted = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Writes whole lines. A line that was begun is ended first. */
  lines(text: string): void {
    this.#endLine();
    this.#output.write(`${text}\n`);
  }

  /** Writes a piece of a line, such as a piece of an answer. */
  piece(text: string): void {
    if (text === '') return;
    if (this.#isPrompted) this.#endLine();
    this.#output.write(text);
    this.#isInLine = !text.endsWith('\n');
  }

  /** Writes the prompt, if it does not stand there. */
  prompt(text: string): void {
    if (this.#isPrompted) return;
    this.#endLine();
    this.#output.write(text);
    this.#isPrompted = true;
  }

  /** Somebody has typed a line, so that the next one has begun. */
  typed(): void {
    this.#isInLine = false;
    this.#isPrompted = false;
  }

  #endLine(): void {
    if (this.#isInLine || this.#isPrompted) this.#output.write('\n');
    this.typed();
  }
}
