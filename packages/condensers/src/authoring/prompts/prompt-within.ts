import { CondenserModelError } from '../model/model-failure.js';
import type { SummaryInput } from '../summaries/summary-input.js';
import { eventText, neutralised } from './event-text.js';
import { cutInMiddle } from './middle-cut.js';
import type { Prompt, PromptValues } from './prompt.js';
import { textLimits } from './text-limits.js';

/** What a model reads where it does not tell. Unit: tokens. */
const assumedWindow = 100_000;
/** What is left free of a window, because sizes are estimates. Unit: share. */
const margin = 0.1;
/** What is kept free for the answer where nothing else is said. Unit: tokens. */
const usualAnswer = 4_096;
const charactersPerToken = 4;
/** What is shown of each message of the user that stays. Unit: characters. */
const mostOfAWord = 2_000;
/** What stands around each event. Unit: characters. */
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
 * Writes a prompt that stays within the window less the answer and a margin of a tenth, by four characters a token. The previous
 * summary goes in whole, up to half of that; the events share the rest.
 *
 * @throws {@link CondenserModelError} when not one event would fit beside what the prompt says itself; when the prompt cannot be
 *   written, or is blank; when it is longer than the window less the answer, because its own text grows with the events.
 */
export function promptWithin(prompt: Prompt, input: SummaryInput, limits: PromptLimits): string {
  const write = (values: PromptValues): string => written(prompt, values);
  const { events, previousSummary = '', maxSummaryTokens, inputScale = 1 } = input;
  const { contextWindow = assumedWindow, maxEventCharacters } = limits;
  const answer =
    limits.maxOutputTokens ?? Math.min(Math.max(usualAnswer, maxSummaryTokens), Math.floor(contextWindow / 4));
  const window = Math.floor((contextWindow * (1 - margin) - answer) * charactersPerToken);
  const userWords = shownWords(input.userWords ?? [], Math.floor(window / 4));
  const bare: PromptValues = { previousSummary: '', events: [], leftOut: 0, maxSummaryTokens, userWords };
  const own = write(bare).length;
  const summary = cutInMiddle(neutralised(previousSummary), Math.max(0, Math.floor((window - own) / 2)));
  const room = window - own - summary.length - 2 * frame;
  const texts = events.map(eventText);
  const lengths = texts.map((text) => text.length + frame);
  const longest = maxEventCharacters + frame;
  const wanted = lengths.reduce((sum, length) => sum + Math.min(length, longest), 0);
  const shared = textLimits(lengths, { room: Math.floor(Math.min(room, wanted) * inputScale), longest });
  if (shared.leftOut === texts.length && texts.length > 0)
    throw new CondenserModelError(
      'overflow',
      `the window of ${contextWindow} tokens has no room for an event beside a prompt of ${own} characters`,
      { mayRetry: false },
    );
  const shown = texts.slice(shared.leftOut).map((text, index) => {
    const number = shared.leftOut + index;
    const event = events[number];
    return {
      number: number + 1,
      id: event?.id ?? '',
      type: event?.type ?? '',
      text: cutInMiddle(text, (shared.limits[number] ?? frame) - frame),
    };
  });
  const text = write({ previousSummary: summary, events: shown, leftOut: shared.leftOut, maxSummaryTokens, userWords });
  if (text.trim() === '')
    throw new CondenserModelError('error', 'the prompt is blank: the model would read nothing', { mayRetry: false });
  const most = Math.floor((contextWindow - answer) * charactersPerToken);
  if (text.length > most)
    throw new CondenserModelError(
      'overflow',
      `the prompt has ${text.length} characters, and the window of ${contextWindow} tokens has room for ${most}`,
    );
  // Half a pair of characters, which a tool may have left behind, is refused by some providers.
  return text.toWellFormed();
}

/** The text of a prompt, which may be somebody else's code. @throws {@link CondenserModelError} when it throws. */
function written(prompt: Prompt, values: PromptValues): string {
  try {
    return prompt(values);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CondenserModelError('error', `the prompt could not be written: ${reason}`, { cause, mayRetry: false });
  }
}

/**
 * The words of the user that stay, in a room that leaves enough for the events, however many are pinned: the first, which are the
 * task, and of the others rather the newest. Unit: characters.
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
