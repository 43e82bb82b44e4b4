import { isMeaningful } from '@palimpsest/events';
import type { Event, EventId, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** Words that every request holds, whatever a condensation or a condenser's view has left of them. */
export interface StandingWords {
  /** The newest instructions of the log. */
  readonly systemPrompt?: SystemPromptEvent;
  /** The first message of the user in the log. */
  readonly firstUserMessage?: MessageEvent;
  /** The newest message of the user in the log. */
  readonly latestUserMessage?: MessageEvent;
  /**
   * The message that was the user's latest when the newest condensation or revert took effect, if the view has lacked it
   * since. It stays so until the next one, also when the user speaks again, because what was sent must stay as it was.
   */
  readonly lost?: MessageEvent;
  /** The event since which no message is lost. Thinking before it followed a history that held the message. */
  readonly lostUntil?: EventId;
}

/** The standing words of an empty log. */
export const noStandingWords: StandingWords = {};

/**
 * The standing words after one more event. The same object if nothing has changed.
 *
 * @param view - the view of the log with that event
 */
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
