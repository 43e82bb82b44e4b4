import { isMeaningful } from '@palimpsest/events';
import type { Event, EventId, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** What every request holds, whatever a condensation or a condenser's view has left of it. */
export interface StandingWords {
  /** The instructions in force: the newest of the log. */
  readonly systemPrompt?: SystemPromptEvent;
  /** The first words of the user in the log. */
  readonly firstUserMessage?: MessageEvent;
  /** The newest words of the user in the log. */
  readonly latestUserMessage?: MessageEvent;
  /**
   * The words that were the latest when the newest condensation or revert took effect, where the view has lacked them since. They
   * stay so until the next one, also when the user speaks again: what was sent stays as it was.
   */
  readonly lost?: MessageEvent;
  /** The event with which words ceased to be lost: what was thought before it was thought of a history that held them. */
  readonly lostUntil?: EventId;
}

/** A log without events. */
export const noStandingWords: StandingWords = {};

/** The standing words after one more event; `view` shows the log with that event. A new object where something changed. */
export function standingWordsAfter(words: StandingWords, event: Event, view: () => View): StandingWords {
  switch (event.type) {
    case 'system-prompt':
      return { ...words, systemPrompt: event };
    case 'message':
      if (event.source !== 'user' || event.role !== 'user' || !event.content.some(isMeaningful)) return words;
      return { ...words, firstUserMessage: words.firstUserMessage ?? event, latestUserMessage: event };
    case 'condensation':
    case 'condensation-revert': {
      const { lost: before, latestUserMessage: latest, ...others } = words;
      const lost = latest === undefined || view().indexOf(latest.id) !== undefined ? undefined : latest;
      if (lost === before) return words;
      return {
        ...others,
        latestUserMessage: latest,
        lost,
        ...(before === undefined ? {} : { lostUntil: event.id }),
      };
    }
    default:
      return words;
  }
}
