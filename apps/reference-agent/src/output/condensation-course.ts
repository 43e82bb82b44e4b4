import type { StreamEvent } from '../headless/stream-event.js';

type Told<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

/** A line for people. */
export interface CourseLine {
  readonly level: 'info' | 'problem';
  readonly text: string;
}

/**
 * Follows requests, attempts and condensations, and says what is worth a line. A condensation that was asked for and came to nothing is
 * one line with the last reason: whatever was tried on the way is in the log.
 */
export class CondensationCourse {
  #isAskedFor = false;
  /** What may still be followed by a condensation. */
  #attempts: Told<'condensation-attempt'>[] = [];

  /** The lines before what is told of the condensation itself: an empty one is told by a line alone. */
  follow(told: Told<'condensation-request' | 'condensation-attempt' | 'condensation'>): readonly CourseLine[] {
    switch (told.type) {
      case 'condensation-request':
        this.#isAskedFor = true;
        // The user knows what they have asked for.
        return told.reason === undefined
          ? []
          : [{ level: 'info', text: `A condensation was asked for: ${told.reason}` }];
      case 'condensation-attempt':
        // A condensation follows, an empty one at least.
        if (!this.#isAskedFor && told.outcome !== 'unavailable') return failureLines([told]);
        this.#attempts.push(told);
        return [];
      case 'condensation': {
        const attempts = this.#attempts;
        const isAnswer = this.#isAskedFor || attempts.length > 0;
        this.#attempts = [];
        this.#isAskedFor = false;
        if (!isEmpty(told)) return failureLines(attempts.filter(({ outcome }) => outcome !== 'unavailable'));
        // One that nobody has tried keeps an answered request answered, when a condensation is taken back.
        if (!isAnswer) return [];
        const reason = attempts.at(-1)?.reason ?? 'the condenser found nothing that it may forget or mask';
        return [{ level: 'problem', text: `Nothing was condensed: ${withoutHead(reason)}` }];
      }
    }
  }
}

/** Whether a condensation only answers a request: it changes nothing. */
export function isEmpty({ forgotten, masked }: Told<'condensation'>): boolean {
  return forgotten + masked === 0;
}

const failures: ReadonlySet<string> = new Set(['failed', 'fallback', 'unsettled']);

/** Outcomes that cost something, or that a user can do something about. */
function failureLines(attempts: readonly Told<'condensation-attempt'>[]): readonly CourseLine[] {
  return attempts
    .filter(({ outcome }) => failures.has(outcome) || outcome.startsWith('refused'))
    .map(({ condenser, outcome, reason }) => ({ level: 'problem', text: `${condenser}: ${outcome}: ${reason}` }));
}

/** The error's own beginning says what the line has said. */
function withoutHead(reason: string): string {
  return reason.replace(/^No condensation is available: /, '');
}
