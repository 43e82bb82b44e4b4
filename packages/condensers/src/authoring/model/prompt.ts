import type { LLMConvertibleEvent } from '@palimpsest/events';
import { parseTemplate, PromptTemplateError } from '@palimpsest/templates';
import type { Template } from '@palimpsest/templates';
import type { AgentRequest } from '@palimpsest/view';
import { CondenserModelError, InvalidCondenserConfigError } from '../definition/errors.js';
import { cutInMiddle, eventText, neutralised, shortestLimit, textLimits } from './event-text.js';
import { eventsAbove, interruption, withFocus } from './summary.prompt.js';

/** The assumed window of a model that does not state its own. Unit: tokens. */
const assumedWindow = 100_000;
/** The share of a window that stays free, because sizes are estimates. */
const margin = 0.1;
/** The room for the answer if no limit is set. Unit: tokens. */
const usualAnswer = 4_096;
const charactersPerToken = 4;
/** The shown length of each user message that stays. Unit: characters. */
const mostOfAWord = 2_000;
/** The prompt's own text around each event. Unit: characters. */
const frame = 80;

/** The limits of one prompt. */
export interface PromptLimits {
  /** Unit: tokens. */
  readonly contextWindow: number | undefined;
  /** Unit: tokens. */
  readonly maxOutputTokens: number | undefined;
  /** Unit: characters. */
  readonly maxEventCharacters: number;
}

/**
 * Writes a prompt that fits into the window minus the answer and a margin of a tenth, at four characters per token. The previous
 * summary is included whole, up to half of that room; the events share the rest.
 *
 * @throws {@link CondenserModelError} when not one event fits beside the prompt's own text; when the prompt cannot be written, or
 *   is blank; when it exceeds the window minus the answer, because its own text grows with the events.
 */
export function promptWithin(prompt: Prompt, input: SummaryInput, limits: PromptLimits): string {
  const { events, previousSummary = '', maxSummaryTokens, inputScale = 1, focus } = input;
  const write = (values: PromptValues): string => withFocus(written(prompt, values), focus);
  const { contextWindow = assumedWindow, maxEventCharacters } = limits;
  const answer =
    limits.maxOutputTokens ?? Math.min(Math.max(usualAnswer, maxSummaryTokens), Math.floor(contextWindow / 4));
  const window = Math.floor((contextWindow * (1 - margin) - answer) * charactersPerToken);
  const userWords = shownWords(input.userWords ?? [], Math.floor(window / 4));
  const facts = factLines(input);
  const bare: PromptValues = { previousSummary: '', events: [], leftOut: 0, maxSummaryTokens, userWords, facts };
  const own = write(bare).length;
  const summary = cutInMiddle(neutralised(previousSummary), Math.max(0, Math.floor((window - own) / 2)));
  const room = window - own - summary.length - 2 * frame;
  const longest = maxEventCharacters + frame;
  const texts = textsWithin(events, room, longest);
  const unread = events.length - texts.length;
  const lengths = texts.map((text) => text.length + frame);
  const wanted = lengths.reduce((sum, length) => sum + Math.min(length, longest), 0);
  const shared = textLimits(lengths, { room: Math.floor(Math.min(room, wanted) * inputScale), longest });
  if (shared.leftOut === texts.length && texts.length > 0)
    throw new CondenserModelError(
      'overflow',
      `the window of ${contextWindow} tokens has no room for an event beside a prompt of ${own} characters`,
      { mayRetry: false },
    );
  const shown = texts.slice(shared.leftOut).map((text, index) => {
    const place = shared.leftOut + index;
    const event = events[unread + place];
    return {
      number: unread + place + 1,
      id: event?.id ?? '',
      type: event?.type ?? '',
      text: cutInMiddle(text, (shared.limits[place] ?? frame) - frame),
    };
  });
  const text = write({
    previousSummary: summary,
    events: shown,
    leftOut: unread + shared.leftOut,
    maxSummaryTokens,
    userWords,
    facts,
  });
  if (text.trim() === '')
    throw new CondenserModelError('error', 'the prompt is blank: the model would read nothing', { mayRetry: false });
  const most = Math.floor((contextWindow - answer) * charactersPerToken);
  if (text.length > most)
    throw new CondenserModelError(
      'overflow',
      `the prompt has ${text.length} characters, and the window of ${contextWindow} tokens has room for ${most}`,
    );
  // Some providers refuse half of a surrogate pair, which a tool may have left in its output.
  return text.toWellFormed();
}

/**
 * Returns the texts of the newest events, the oldest first, and one more than fits if each is as short as it may be. The events before them
 * are left out whatever they say, so their texts are not made.
 */
function textsWithin(events: SummaryInput['events'], room: number, longest: number): readonly string[] {
  const texts: string[] = [];
  let least = 0;
  for (let index = events.length - 1; index >= 0; index--) {
    const text = eventText(events[index] as LLMConvertibleEvent);
    texts.push(text);
    least += Math.min(text.length + frame, longest, shortestLimit);
    if (least > room) break;
  }
  return texts.reverse();
}

/**
 * Writes the prompt of a summary that is asked for behind the conversation that it summarises: in place of the events stands where
 * they are.
 *
 * @throws {@link CondenserModelError} when the prompt cannot be written.
 */
export function promptBehind(prompt: Prompt, input: SummaryInput, keptFrom: string | undefined): string {
  const { maxSummaryTokens } = input;
  const text =
    keptFrom === undefined
      ? eventsAbove
      : `${eventsAbove} But what begins with the following, and all behind it, stays as it is:\n${keptFrom}`;
  const events = [{ number: 1, id: '', type: 'conversation', text }];
  const values = { previousSummary: '', userWords: '', facts: factLines(input), events, leftOut: 0, maxSummaryTokens };
  return withFocus(`${interruption}\n\n${written(prompt, values)}`, input.focus).toWellFormed();
}

function factLines({ facts = [] }: SummaryInput): string {
  return facts.map((fact) => `- ${neutralised(fact)}`).join('\n');
}

/** Renders a prompt; a custom prompt is foreign code. @throws {@link CondenserModelError} when it throws. */
function written(prompt: Prompt, values: PromptValues): string {
  try {
    return prompt(values);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CondenserModelError('error', `the prompt could not be written: ${reason}`, { cause, mayRetry: false });
  }
}

/**
 * Returns the user's messages that stay, cut so that enough room is left for the events, however many are pinned. The first message,
 * which is the task, comes first; of the others the newest are preferred. Unit: characters.
 */
function shownWords(words: readonly string[], room: number): string {
  const [task, ...later] = words.map(neutralised);
  if (task === undefined) return '';
  const lengths = [...later, task].map(({ length }) => length);
  const { limits, leftOut } = textLimits(lengths, { room: Math.max(0, room), longest: mostOfAWord });
  const shown = later.flatMap((text, index) => (index < leftOut ? [] : [cutInMiddle(text, limits[index] ?? 0)]));
  const note = leftOut === 0 ? [] : [`[… ${leftOut} messages left out …]`];
  return [cutInMiddle(task, limits.at(-1) ?? 0), ...note, ...shown].join('\n\n');
}

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
  /** The facts that the summary must name, a line each (`facts`); empty if nothing is known. */
  readonly facts: string;
  /** The maximum length that the model is asked for. Unit: tokens (`max_summary_tokens`; in words, `max_words`). */
  readonly maxSummaryTokens: number;
}

/** A function that writes the prompt of a model call. */
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

/** Returns the events in the tags of a prompt. */
function transcriptOf(events: readonly PromptEvent[]): string {
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

/** The agent's own conversation, behind which a summary can be asked for. */
export interface AgentConversation {
  readonly request: AgentRequest;
  /** The size of the request. Unit: tokens, as the provider counts, as far as is known. */
  readonly tokens: number;
  /** The first words that stay behind what the summary replaces. @defaultValue none: it replaces all */
  readonly keptFrom?: string | undefined;
}

/** The input of a summary. */
export interface SummaryInput {
  /** The events that will be forgotten, in order, without earlier summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The full text of the summary that this one replaces. @defaultValue there is none */
  readonly previousSummary?: string | undefined;
  /** The user's messages that stay in the history, which show the summariser what matters. @defaultValue none */
  readonly userWords?: readonly string[] | undefined;
  /** The facts that the summary must name, each in one line, as exact as the log. @defaultValue none */
  readonly facts?: readonly string[] | undefined;
  /** The user's wish for what the summary keeps in view, in their own words. @defaultValue none */
  readonly focus?: string | undefined;
  /**
   * The conversation that holds the events. A summariser of the same model asks behind it, so that its input is read from the
   * prompt cache. @defaultValue none: it reads `events`
   */
  readonly conversation?: AgentConversation | undefined;
  /** The maximum length of the summary. Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** The share of the model's readable input that it receives: less at each retry. Above 0. @defaultValue 1 */
  readonly inputScale?: number | undefined;
}
