import { parseTemplate, PromptTemplateError } from '@palimpsest/templates';
import type { Template } from '@palimpsest/templates';
import { InvalidCondenserConfigError } from '../errors.js';

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
 * The prompt of an option: a function as it is; the text of a Jinja template, in which a tag on a line of its own leaves no line
 * behind; or a template that `loadTemplate` of `@palimpsest/templates` has loaded, with what it includes. Nothing is escaped, and
 * what stands in an event is never read as a template.
 *
 * @throws {@link InvalidCondenserConfigError} when the template does not parse, shows no events, or uses a name that there is not.
 */
export function promptOf(condenser: string, prompt: string | Template | Prompt, option = 'prompt'): Prompt {
  const wrong = (reason: string, cause?: unknown) =>
    new InvalidCondenserConfigError({ condenser, option, reason, cause });
  if (typeof prompt === 'function') {
    return (values) => {
      const text: unknown = prompt(values);
      if (typeof text !== 'string') throw wrong(`must return a text, not ${text === null ? 'null' : typeof text}`);
      return text;
    };
  }
  const template = typeof prompt === 'string' ? parsed(prompt, wrong) : prompt;
  const known = [...names, ...eventNames.map((name) => `events[].${name}`)];
  const strange = template.variables.filter(({ path, isOptional }) => !isOptional && !known.includes(path));
  if (strange.length > 0)
    throw wrong(
      `uses ${strange.map(({ written, line }) => (line === undefined ? written : `${written} (line ${line})`)).join(', ')}; ` +
        `there are ${[...names, ...eventNames.map((name) => `event.${name}`)].join(', ')}`,
    );
  const used = new Set(template.variables.map(({ path }) => path));
  if (!used.has('events') && !used.has('transcript'))
    throw wrong('shows neither `events` nor `transcript`, so that the model would read nothing');
  return ({ previousSummary, userWords, events, leftOut, maxSummaryTokens }) =>
    template.render({
      previous_summary: previousSummary,
      user_words: userWords,
      // What is not shown need not be translated for the template.
      ...(used.has('events')
        ? { events: events.map(({ number, id, type, text }) => ({ number, id, type, text })) }
        : {}),
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

function parsed(text: string, wrong: (reason: string, cause: unknown) => InvalidCondenserConfigError): Template {
  try {
    return parseTemplate(text, { name: 'prompt', trimBlocks: true });
  } catch (error) {
    if (!PromptTemplateError.isInstance(error)) throw error;
    const place = error.line === undefined ? '' : `line ${error.line}: `;
    const reason =
      error.file === 'prompt'
        ? place + error.reason.replace(/^does not parse: /, '')
        : `'${error.file}' ${error.reason}`;
    throw wrong(`is not a Jinja template: ${reason}`, error);
  }
}
