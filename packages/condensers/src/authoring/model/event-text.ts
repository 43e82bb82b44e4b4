import {
  isErrorResult,
  meaningfulContent,
  messageContent,
  sliceText,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { KnownContent, LLMConvertibleEvent, MessageEvent } from '@palimpsest/events';

/**
 * Returns the full content of an event, for a model that writes a summary: a message with its source, a call with its name and arguments,
 * a result with its tool and whether it failed. Thinking is left out; images are named.
 */
export function eventText(event: LLMConvertibleEvent): string {
  switch (event.type) {
    case 'system-prompt':
      return `system prompt: ${joined(systemPromptContent(event))}`;
    case 'message':
      return `${speakerOf(event)}: ${joined(messageContent(event))}`;
    case 'action': {
      const { name, arguments: input } = event.toolCall;
      const thought = joined(meaningfulContent(event.thought));
      return `${thought === '' ? '' : `${thought}\n`}call of ${neutralised(name)}: ${neutralised(input)}`;
    }
    case 'observation':
    case 'user-reject-observation':
    case 'agent-error': {
      const result = isErrorResult(event) ? 'failed result' : 'result';
      return `${result} of ${neutralised(event.toolName)}: ${joined(toolResultContent(event))}`;
    }
    case 'condensation-summary':
      return neutralised(event.summary);
  }
}

/** Escapes text that looks like a prompt's tags, so that the model does not take it for the prompt itself. */
export function neutralised(text: string): string {
  // Most texts contain no tag, and a search for one character is much faster.
  if (!text.includes('<')) return text;
  return text.replaceAll(/<(\/?)(event|previous_summary|user_words|user_focus|facts)\b/gi, '<$1 $2');
}

/** Returns the speaker of a message. A source that this version does not know is shown as neither the user nor the agent. */
function speakerOf({ source }: MessageEvent): string {
  return source === 'user' || source === 'agent' ? source : 'environment';
}

/**
 * Returns the texts of parts, neutralised. The text of an event is put together from neutralised pieces: a search in the whole would first
 * copy it, and no tag reaches across what stands between the pieces.
 */
function joined(parts: readonly KnownContent[]): string {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return neutralised(only.text.trim());
  return neutralised(
    parts
      .map((part) => (part.type === 'text' ? part.text : '[image]'))
      .join('\n')
      .trim(),
  );
}

/**
 * Returns the text, cut in the middle if it is too long, with a note of the missing length. Never longer than the limit. Unit:
 * characters.
 */
export function cutInMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = `\n[… ${text.length - limit} characters left out …]\n`;
  const kept = limit - note.length;
  if (kept < note.length) return sliceText(text, 0, Math.max(0, limit)).toWellFormed();
  const head = Math.ceil(kept / 2);
  return (sliceText(text, 0, head) + note + sliceText(text, text.length - (kept - head))).toWellFormed();
}

/** The length limit of each text. */
interface TextLimits {
  /** The number of oldest texts that are left out entirely. */
  readonly leftOut: number;
  /** The limit of each text, the oldest first. Unit: characters. */
  readonly limits: readonly number[];
}

/** The shortest limit of a text. If even this is too long, the oldest texts are left out. Unit: characters. */
export const shortestLimit = 120;
/** The limit of the oldest text. Unit: share of the newest text's limit. */
const shareOfOldest = 0.2;

/**
 * Divides a room among texts, the oldest first. If all texts fit, each up to `longest`, they stay whole; otherwise older texts
 * are cut shorter. Linear in the texts.
 */
export function textLimits(
  lengths: readonly number[],
  { room, longest }: { readonly room: number; readonly longest: number },
): TextLimits {
  const wanted = lengths.map((length) => Math.min(length, longest));
  if (sum(wanted) <= room) return { leftOut: 0, limits: wanted };
  const last = Math.max(1, lengths.length - 1);
  const limitOf = (index: number, newest: number): number =>
    Math.min(
      wanted[index] ?? 0,
      Math.max(shortestLimit, Math.floor(newest * (shareOfOldest + ((1 - shareOfOldest) * index) / last))),
    );
  const totalFor = (newest: number): number => {
    let total = 0;
    for (let index = 0; index < wanted.length; index++) total += limitOf(index, newest);
    return total;
  };
  let low = 0;
  // Of thousands of texts often not even the beginnings fit, which one look shows.
  let high = totalFor(1) > room ? 0 : longest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (totalFor(middle) <= room) low = middle;
    else high = middle - 1;
  }
  const limits = wanted.map((_, index) => limitOf(index, low));
  let total = sum(limits);
  let leftOut = 0;
  while (total > room && leftOut < limits.length) {
    total -= limits[leftOut] ?? 0;
    limits[leftOut++] = 0;
  }
  return { leftOut, limits };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
