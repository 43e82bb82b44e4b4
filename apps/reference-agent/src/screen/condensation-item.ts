import { addressOf } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import type { CondensationDetails } from '@palimpsest/view';
import type { StreamEvent } from '../output/stream-event.js';
import { reasonPhrase } from '../output/phrases.js';
import { formatNumber } from '../output/lines.js';
import { markdownLines } from './markdown-lines.js';
import { brokenAtWidth, columnsOf, cutLine, harmless, harmlessLine, wrapped } from './shown-width.js';
import type { Styles } from './styles.js';
import { TranscriptItem } from './transcript-item.js';

/** What is told of a condensation. */
export type ToldCondensation = Extract<StreamEvent, { readonly type: 'condensation' }>;

/** What an event was, in a few words; undefined if nobody knows. Untrusted. */
export type WordsOf = (eventId: string) => string | undefined;

/** Options of {@link CondensationItem}. */
export interface CondensationItemOptions {
  readonly told: ToldCondensation;
  readonly event: Condensation;
  readonly wordsOf: WordsOf;
  /** Finds out what it changed. Called when somebody looks. Undefined: no more than the event says is known. */
  readonly readDetails: () => Promise<CondensationDetails | undefined>;
  /** Its lines have changed, and no key has changed them. */
  readonly changed: () => void;
  readonly styles: Styles;
}

/** A condensation: a line with what it changed, which opens into what was forgotten and masked, why, the summary, and the figures. */
export class CondensationItem extends TranscriptItem {
  readonly #options: CondensationItemOptions;
  #details: CondensationDetails | undefined;
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

  /** It was undone: the model reads again what it had hidden. */
  reverted(): void {
    this.#isReverted = true;
    this.changed();
  }

  async #read(): Promise<void> {
    const { readDetails, changed } = this.#options;
    this.#details = await readDetails().catch(() => undefined);
    this.changed();
    changed();
  }

  #lines(width: number, isOpen: boolean): readonly string[] {
    const { told, styles } = this.#options;
    const { magenta, dim } = styles.colours;
    const undone = this.#isReverted ? ' — undone' : '';
    const head = wrapped(`${isOpen ? '▾' : '▸'} ${changePhrase(told)}${undone}`, width).map((line) => magenta(line));
    if (isOpen) return [...head, ...details(this.#options, this.#details, width)];
    return [...head, ...wrapped(reasonPhrase(told), width - 2).map((line) => dim(`  ${line}`))];
  }
}

function changePhrase({ tokensBefore, tokensAfter, forgotten, masked, summary }: ToldCondensation): string {
  const changes = [
    forgotten === 0 ? [] : `${counted(forgotten, 'event')} ${summary === undefined ? 'left out' : 'summarized'}`,
    masked === 0 ? [] : `${counted(masked, 'result')} masked`,
  ].flat();
  return `${forgotten === 0 ? 'masked' : 'condensed'}: ${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens a request (${percent(tokensBefore, tokensAfter)}); ${changes.join(', ')}`;
}

function percent(before: number, after: number): string {
  if (before === 0) return '±0%';
  const change = Math.round((100 * (after - before)) / before);
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change)}%`;
}

function counted(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function details(
  { told, event, wordsOf, styles }: CondensationItemOptions,
  known: CondensationDetails | undefined,
  width: number,
): readonly string[] {
  const { bold, dim } = styles.colours;
  const lines: string[] = [];
  const heading = (text: string): void => void lines.push(bold(cutLine(`  ${text}`, width)));
  const add = (more: readonly string[]): void => void lines.push(...more.map((line) => `    ${line}`));
  const room = width - 4;
  heading('why');
  add(wrapped(reasonPhrase(told), room));
  if (known?.request !== undefined) {
    const { source, reason = '' } = known.request;
    add(wrapped(harmlessLine(`asked for by the ${source}${reason === '' ? '' : `: ${reason}`}`), room));
  }
  add(metadataLines(event, room));
  heading('figures, in tokens as the view estimates them');
  for (const line of figures(told, known)) add(wrapped(line, room));
  if (event.forgottenEventIds.length > 0) {
    heading('forgotten: the log keeps it, and recall reads it by its address');
    const sizes = new Map(known?.forgotten.map(({ event: each, tokens }) => [each.id, tokens]));
    for (const id of event.forgottenEventIds) add([entry(id, wordsOf(id), sized(sizes.get(id)), room, dim)]);
  }
  if ((event.redactions ?? []).length > 0) {
    heading('masked: the model reads a note in its place');
    const masked = new Map(known?.masked.map((each) => [each.event.id, each]));
    for (const { eventId, text, arguments: json } of event.redactions ?? []) {
      const { tokens, tokensAfter } = masked.get(eventId) ?? {};
      const size = tokens === undefined ? '' : `${formatNumber(tokens)} → ${formatNumber(tokensAfter ?? 0)}`;
      add([entry(eventId, wordsOf(eventId), size, room, dim)]);
      const note = text ?? json;
      if (note !== undefined) add(wrapped(`→ ${harmlessLine(note)}`, room - 2).map((line) => dim(`  ${line}`)));
    }
  }
  if (told.summary !== undefined) {
    heading('summary: the model reads it instead');
    add(markdownLines(told.summary, room, styles));
  }
  return lines;
}

function figures(told: ToldCondensation, known: CondensationDetails | undefined): readonly string[] {
  const { tokensBefore: before, tokensAfter: after } = told;
  const sizes = `a request: ${formatNumber(before)} before, ${formatNumber(after)} after (${percent(before, after)})`;
  if (known === undefined) return [sizes];
  return [
    sizes,
    `the prompt cache still serves ${formatNumber(known.untouchedTokens)}; ${formatNumber(known.rewrittenTokens)} are written anew, once`,
  ];
}

function sized(tokens: number | undefined): string {
  return tokens === undefined ? '' : formatNumber(tokens);
}

function entry(
  id: string,
  words: string | undefined,
  size: string,
  width: number,
  dim: (text: string) => string,
): string {
  const head = `${dim(`[${harmlessLine(addressOf(id))}]`)} `;
  const tail = size === '' ? '' : `  ${dim(size)}`;
  return head + cutLine(harmlessLine(words ?? ''), width - columnsOf(head) - columnsOf(tail)) + tail;
}

/** What is said in words of its own. */
const saidAbove = new Set(['condenser', 'reason', 'stage', 'tokensBefore', 'tokensAfter']);

/** What the condenser recorded of itself that is said nowhere else, a line each. */
function metadataLines({ metadata = {} }: Condensation, width: number): readonly string[] {
  return Object.entries(metadata)
    .filter(([key]) => !saidAbove.has(key))
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .flatMap(([key, value]) => brokenAtWidth(harmless(`${harmlessLine(key)}: ${String(value)}`), width));
}
