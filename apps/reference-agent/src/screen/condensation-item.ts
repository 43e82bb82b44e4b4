import { addressOf } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import type { StreamEvent } from '../headless/stream-event.js';
import { reasonInWords } from '../output/condensation-reasons.js';
import { shownNumber } from '../output/shown-number.js';
import { markdownLines } from './markdown-lines.js';
import { brokenAtWidth, cutLine, harmless, harmlessLine, wrapped } from './shown-width.js';
import type { Styles } from './styles.js';
import { TranscriptItem } from './transcript-item.js';

/** What is told of a condensation. */
export type ToldCondensation = Extract<StreamEvent, { readonly type: 'condensation' }>;

/** What an event was, in a few words; undefined if nobody knows. Untrusted. */
export type WordsOf = (eventId: string) => string | undefined;

/** A condensation: a line with what it changed, which opens into what was forgotten and masked, why, the summary, and the figures. */
export function condensationItem(
  told: ToldCondensation,
  event: Condensation,
  wordsOf: WordsOf,
  styles: Styles,
): TranscriptItem {
  const { magenta, dim } = styles.colours;
  return new TranscriptItem({
    mark: magenta('◆'),
    opens: true,
    draw: ({ width, isOpen }) => {
      const arrow = isOpen ? '▾' : '▸';
      const head = wrapped(`${arrow} ${changeInWords(told)}`, width).map((line) => magenta(line));
      const reason = wrapped(reasonInWords(told), width - 2).map((line) => dim(`  ${line}`));
      return isOpen ? [...head, ...details(told, event, wordsOf, width, styles)] : [...head, ...reason];
    },
  });
}

function changeInWords({ tokensBefore, tokensAfter, forgotten, masked, summary }: ToldCondensation): string {
  if (forgotten === 0 && masked === 0) return 'condensed: nothing could be left out';
  const changes = [
    forgotten === 0 ? [] : `${counted(forgotten, 'event')} ${summary === undefined ? 'left out' : 'summarized'}`,
    masked === 0 ? [] : `${counted(masked, 'result')} masked`,
  ].flat();
  return `${forgotten === 0 ? 'masked' : 'condensed'}: ${shownNumber(tokensBefore)} → ${shownNumber(tokensAfter)} tokens a request (${percent(tokensBefore, tokensAfter)}); ${changes.join(', ')}`;
}

function percent(before: number, after: number): string {
  if (before === 0) return '±0%';
  const change = Math.round((100 * (after - before)) / before);
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change)}%`;
}

function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function details(
  told: ToldCondensation,
  event: Condensation,
  wordsOf: WordsOf,
  width: number,
  styles: Styles,
): readonly string[] {
  const { bold, dim } = styles.colours;
  const lines: string[] = [];
  const heading = (text: string): void => void lines.push(bold(cutLine(`  ${text}`, width)));
  const add = (more: readonly string[]): void => void lines.push(...more.map((line) => `    ${line}`));
  heading('why');
  add(wrapped(reasonInWords(told), width - 4));
  add(metadataLines(event, width - 4));
  heading('figures');
  add(
    wrapped(
      `a request: ${shownNumber(told.tokensBefore)} tokens before, ${shownNumber(told.tokensAfter)} after`,
      width - 4,
    ),
  );
  if (event.forgottenEventIds.length > 0) {
    heading(`forgotten (the log keeps it: recall reads it by its address)`);
    for (const id of event.forgottenEventIds) add([entry(id, wordsOf, width - 4, dim)]);
  }
  if ((event.redactions ?? []).length > 0) {
    heading('masked');
    for (const { eventId, text, arguments: json } of event.redactions ?? []) {
      add([entry(eventId, wordsOf, width - 4, dim)]);
      const note = text ?? json;
      if (note !== undefined) add(wrapped(`→ ${harmlessLine(note)}`, width - 6).map((line) => dim(`  ${line}`)));
    }
  }
  if (told.summary !== undefined) {
    heading('summary, which the model reads instead');
    add(markdownLines(told.summary, width - 4, styles));
  }
  return lines;
}

function entry(id: string, wordsOf: WordsOf, width: number, dim: (text: string) => string): string {
  return cutLine(`${dim(`[${harmlessLine(addressOf(id))}]`)} ${harmlessLine(wordsOf(id) ?? '')}`, width);
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
