import { Template } from '@huggingface/jinja';
import { InvalidCondenserConfigError } from '../errors.js';
import { strangeNames } from './template-names.js';

/** One event as a prompt shows it. */
export interface PromptEvent {
  /** Counts from 1. */
  readonly number: number;
  readonly id: string;
  readonly type: string;
  /** What happened, cut in its middle where it is too long. */
  readonly text: string;
}

/** What a prompt is written from. In a template the names are those in brackets. */
export interface PromptValues {
  /** The summary that the new one replaces (`previous_summary`); empty where there is none. */
  readonly previousSummary: string;
  /**
   * What will be forgotten (`events`, each with `number`, `id`, `type` and `text`; or all of them in their tags, `transcript`,
   * which is rendered faster).
   */
  readonly events: readonly PromptEvent[];
  /** How many of the oldest events are not shown, because not even a part of them fits (`left_out`). */
  readonly leftOut: number;
  /** The user's messages that stay in the history beside the summary (`user_words`); empty where there is none. */
  readonly userWords: string;
  /** How long the summary should be at most. Unit: tokens (`max_summary_tokens`; in words, `max_words`). */
  readonly maxSummaryTokens: number;
}

/** Writes what a model is asked. */
export type Prompt = (values: PromptValues) => string;

const names = ['previous_summary', 'user_words', 'events', 'transcript', 'left_out', 'max_summary_tokens', 'max_words'];
const eventNames = ['number', 'id', 'type', 'text'];

/**
 * The prompt of an option: a function as it is, or a Jinja template (`{{ }}`, `{% for %}`, `{% if %}`, no `include`). Nothing is
 * escaped, and what stands in an event is never read as a template.
 *
 * @throws {@link InvalidCondenserConfigError} when the template does not parse, shows no events, or uses a name that there is not.
 */
export function promptOf(condenser: string, prompt: string | Prompt, option = 'prompt'): Prompt {
  const wrong = (reason: string) => new InvalidCondenserConfigError({ condenser, option, reason });
  if (typeof prompt === 'function') {
    return (values) => {
      const text: unknown = prompt(values);
      if (typeof text !== 'string') throw wrong(`must return a text, not ${text === null ? 'null' : typeof text}`);
      return text;
    };
  }
  let template: Template;
  try {
    template = new Template(prompt);
  } catch (error) {
    // The library reads on behind the end of a template, and says no more than that.
    const isOpen = error instanceof TypeError;
    const reason = isOpen ? 'it ends inside of a block; close it with {% endfor %} or {% endif %}' : String(error);
    throw wrong(`is not a Jinja template: ${reason.replace(/^\w*Error: /, '')}`);
  }
  const { used, strange } = strangeNames((template as { readonly parsed: object }).parsed, {
    names,
    each: { events: eventNames },
  });
  if (strange.length > 0)
    throw wrong(
      `uses ${strange.join(', ')}; there are ${[...names, ...eventNames.map((name) => `event.${name}`)].join(', ')}`,
    );
  if (!used.has('events') && !used.has('transcript'))
    throw wrong('shows neither `events` nor `transcript`, so that the model would read nothing');
  return ({ previousSummary, userWords, events, leftOut, maxSummaryTokens }) =>
    template.render({
      previous_summary: previousSummary,
      user_words: userWords,
      // What is not shown need not be translated for the template.
      ...(used.has('events') ? { events } : {}),
      ...(used.has('transcript') ? { transcript: transcriptOf(events) } : {}),
      left_out: leftOut,
      max_summary_tokens: maxSummaryTokens,
      max_words: Math.max(20, Math.floor(maxSummaryTokens * 0.75)),
    });
}

/** The events in the tags in which a model reads them. */
export function transcriptOf(events: readonly PromptEvent[]): string {
  return events
    .map(({ number, type, text }) => `<event number="${number}" type="${type}">\n${text}\n</event>`)
    .join('\n');
}
