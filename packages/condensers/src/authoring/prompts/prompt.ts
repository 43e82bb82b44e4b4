import { parseTemplate, PromptTemplateError } from '@palimpsest/templates';
import type { Template } from '@palimpsest/templates';
import { InvalidCondenserConfigError } from '../errors.js';

/** One event as a prompt shows it. */
export interface PromptEvent {
  /** Counts from 1. */
  readonly number: number;
  readonly id: string;
  readonly type: string;
  /** The event's text, cut in the middle if it is too long. */
  readonly text: string;
}

/** The values of a prompt. Templates use the names in brackets. */
export interface PromptValues {
  /** The summary that the new one replaces (`previous_summary`); empty if there is none. */
  readonly previousSummary: string;
  /**
   * The events that will be forgotten (`events`, each with `number`, `id`, `type` and `text`). `transcript` holds all of them in
   * their tags and renders faster.
   */
  readonly events: readonly PromptEvent[];
  /** The number of oldest events that are left out because not even a part of them fits (`left_out`). */
  readonly leftOut: number;
  /** The user's messages that stay in the history beside the summary (`user_words`); empty if there are none. */
  readonly userWords: string;
  /** What the summary must name, a line each (`facts`); empty if nothing is known. */
  readonly facts: string;
  /** The maximum length that the model is asked for. Unit: tokens (`max_summary_tokens`; in words, `max_words`). */
  readonly maxSummaryTokens: number;
}

/** Writes the prompt of a model call. */
export type Prompt = (values: PromptValues) => string;

const names = [
  'previous_summary',
  'user_words',
  'facts',
  'events',
  'transcript',
  'left_out',
  'max_summary_tokens',
  'max_words',
];
const eventNames = ['number', 'id', 'type', 'text'];

/**
 * Compiles the prompt of an option. A function is used directly. The text of a Jinja template is parsed; a tag on a line of its
 * own renders no line. A template that `loadTemplate` of `@palimpsest/templates` has loaded is used with its includes. Nothing is
 * escaped, and the text of an event is never parsed as a template.
 *
 * @throws {@link InvalidCondenserConfigError} when the template does not parse, shows no events, or uses an unknown variable.
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
  return ({ previousSummary, userWords, facts, events, leftOut, maxSummaryTokens }) =>
    template.render({
      previous_summary: previousSummary,
      user_words: userWords,
      facts,
      // Values that the template does not use are not converted.
      ...(used.has('events')
        ? { events: events.map(({ number, id, type, text }) => ({ number, id, type, text })) }
        : {}),
      ...(used.has('transcript') ? { transcript: transcriptOf(events) } : {}),
      left_out: leftOut,
      max_summary_tokens: maxSummaryTokens,
      max_words: Math.max(20, Math.floor(maxSummaryTokens * 0.75)),
    });
}

/** The events in the tags of a prompt. */
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
