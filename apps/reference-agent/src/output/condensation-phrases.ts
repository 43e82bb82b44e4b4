import { printableLine } from '@palimpsest/terminal';
import { reasonText } from '@palimpsest/view/inspect';
import { formatCount, formatNumber, formatTokens } from './lines.js';
import type { StreamEventOf } from './stream-event.js';

/** Returns the condenser's name and its reason. The fields are those of the metadata of a condensation. */
export function reasonPhrase({
  condenser,
  reason,
}: {
  readonly condenser?: unknown;
  readonly reason?: unknown;
}): string {
  const name = typeof condenser === 'string' ? condenser : 'condensed';
  if (typeof reason !== 'string') return printableLine(name);
  return printableLine(`${name}: ${reasonText(reason)}`);
}

/** Returns the title of the summary of a condensation. Unit of the size: tokens. */
export function summaryTitle(summaryTokens: number | undefined): string {
  const size = summaryTokens === undefined ? '' : `: ${formatTokens(summaryTokens)}`;
  return `The summary that the model reads instead${size}`;
}

/** The figures of a condensation. */
type Change = Pick<StreamEventOf<'condensation'>, 'tokensBefore' | 'tokensAfter' | 'forgotten' | 'masked' | 'summary'>;

/** Returns what a condensation changed: the sizes, and what became of the events. */
export function changePhrase(change: Change): string {
  const { tokensBefore: before, tokensAfter: after } = change;
  const percent = before === 0 ? 0 : Math.round((100 * (after - before)) / before);
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±';
  return `${sizesPhrase(change)} (${sign}${Math.abs(percent)} %); ${hiddenPhrase(change)}`;
}

/** Returns what a condensation did with the events that it hid. */
export function hiddenPhrase({ forgotten, masked, summary }: Omit<Change, 'tokensBefore' | 'tokensAfter'>): string {
  const changes = [
    forgotten === 0 ? [] : `${formatCount(forgotten, 'event')} ${summary === undefined ? 'left out' : 'summarized'}`,
    masked === 0 ? [] : `${formatNumber(masked)} masked`,
  ].flat();
  return changes.join(', ') || 'nothing was forgotten';
}

/** Returns the size of a request before a condensation and after it. */
export function sizesPhrase({ tokensBefore, tokensAfter }: Pick<Change, 'tokensBefore' | 'tokensAfter'>): string {
  const [before, after] = [Math.round(tokensBefore), Math.round(tokensAfter)];
  return `${formatNumber(before)} → ${formatNumber(after)} tokens a request`;
}

/** Returns true if a condensation only answers a request: it changes nothing. */
export function isEmpty({ forgotten, masked }: Pick<Change, 'forgotten' | 'masked'>): boolean {
  return forgotten + masked === 0;
}

/** A line about a condensation that did not go as it should. */
export interface ProgressNote {
  readonly level: 'info' | 'problem';
  readonly text: string;
}

/**
 * A reader of requests, attempts and condensations that returns lines for the user. A requested condensation that came
 * to nothing is one line with the last reason. The attempts before it are in the log.
 */
export class CondensationProgress {
  #isAskedFor = false;
  /** Attempts that a condensation may still follow. */
  #attempts: StreamEventOf<'condensation-attempt'>[] = [];

  /** Returns the lines before those of the condensation itself. An empty condensation has no others. */
  follow(
    event: StreamEventOf<'condensation-request' | 'condensation-attempt' | 'condensation'>,
  ): readonly ProgressNote[] {
    switch (event.type) {
      case 'condensation-request':
        this.#isAskedFor = true;
        // The user knows what they have asked for.
        return event.reason === undefined
          ? []
          : [{ level: 'info', text: `A condensation was asked for: ${event.reason}` }];
      case 'condensation-attempt':
        // A condensation follows, an empty one at least.
        if (!this.#isAskedFor && event.outcome !== 'unavailable') return failureNotes([event]);
        this.#attempts.push(event);
        return [];
      case 'condensation': {
        const attempts = this.#attempts;
        const isAnswer = this.#isAskedFor || attempts.length > 0;
        this.#attempts = [];
        this.#isAskedFor = false;
        if (!isEmpty(event)) return failureNotes(attempts.filter(({ outcome }) => outcome !== 'unavailable'));
        // One that nobody has tried keeps an answered request answered, when a condensation is taken back.
        if (!isAnswer) return [];
        const reason = attempts.at(-1)?.reason ?? 'the condenser found nothing that it may forget or mask';
        // The error's own beginning says what the line says.
        const why = reason.replace(/^No condensation is available: /, '');
        return [{ level: 'problem', text: `Nothing was condensed: ${why}` }];
      }
    }
  }
}

const failures: ReadonlySet<string> = new Set(['failed', 'fallback', 'unsettled']);

/** Outcomes that cost something, or that a user can do something about. */
function failureNotes(attempts: readonly StreamEventOf<'condensation-attempt'>[]): readonly ProgressNote[] {
  return attempts
    .filter(({ outcome }) => failures.has(outcome) || outcome.startsWith('refused'))
    .map(({ condenser, outcome, reason }) => ({ level: 'problem', text: `${condenser}: ${outcome}: ${reason}` }));
}
