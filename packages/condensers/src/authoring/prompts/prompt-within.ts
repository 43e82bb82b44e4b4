import type { LLMConvertibleEvent } from '@palimpsest/events';
import { CondenserModelError } from '../model/model-failure.js';
import type { SummaryInput } from '../summaries/summary-input.js';
import { eventText, neutralised } from './event-text.js';
import { cutInMiddle } from './middle-cut.js';
import { eventsAbove, interruption } from './extension.prompt.js';
import type { Prompt, PromptValues } from './prompt.js';
import { withFocus } from './focus.prompt.js';
import { shortestLimit, textLimits } from './text-limits.js';

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
 * The texts of the newest events, the oldest first, and one more than fits if each is as short as it may be. The events before them
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
 * The user's messages that stay, cut so that enough room is left for the events, however many are pinned. The first message,
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
