import { addressOf, sliceText } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { cutNote, leftOutLine } from './manifest.prompt.js';
import { fairLimit, sizeOfLines } from './section.js';
import type { Section } from './section.js';

/** A message of the user, with the number of times that it was sent. */
interface Said {
  readonly id: EventId;
  readonly text: string;
  times: number;
}

/** If not all fit, a message is cut to no less than this before older ones are left out. Unit: share of the space. */
const leastOfMessage = 0.15;
/** The same, for a small space. Unit: characters. */
const leastCharacters = 160;
/** A note in the place of less would be longer. Unit: characters. */
const worthCutting = 80;

/**
 * Returns the user's messages, oldest first, word for word; a message that was sent several times stands once, where it
 * was sent last. If not all fit, the newest ones stay, and before them the first if it is the user's `request`: long
 * ones are cut in the middle, with the address of the original, and then the oldest are left out. Messages that are
 * left out are never read.
 */
export function userWordsSection(
  heading: string,
  ids: readonly EventId[],
  read: { readonly textOf: (id: EventId) => string; readonly beginsWithRequest: boolean },
): Section {
  const texts = new Map<EventId, string>();
  const textOf = (id: EventId): string => {
    const text = texts.get(id) ?? read.textOf(id);
    texts.set(id, text);
    return text;
  };
  return {
    heading,
    share: 0,
    isEmpty: !ids.some((id) => textOf(id) !== ''),
    fit: (characters) => {
      const { said, leftOut } = chosen(ids, { ...read, textOf }, characters);
      if (said.length === 0) return [];
      const note = leftOut === 0 ? [] : [leftOutLine(leftOut)];
      const texts = said.map(({ text }) => text);
      const room = characters - sizeOfLines(note) - said.reduce((sum, one) => sum + frame(one), 0);
      const isCut = texts.some((text) => text.length > fairLimit(texts, room));
      // Where hardly anything fits, the words come first.
      const head = isCut && room > 4 * cutNote.length ? [cutNote] : [];
      const limit = fairLimit(texts, room - sizeOfLines(head));
      const lines = said.map((one) => `- ${cut(one, limit)}${often(one)}`);
      const before = read.beginsWithRequest ? lines.splice(0, 1) : [];
      return [...head, ...before, ...note, ...lines.reverse()];
    },
  };
}

/** The messages that fit, by importance: the request, then the newest. */
function chosen(
  ids: readonly EventId[],
  { textOf, beginsWithRequest }: Parameters<typeof userWordsSection>[2],
  characters: number,
): { readonly said: readonly Said[]; readonly leftOut: number } {
  const atLeast = Math.max(leastCharacters, Math.floor(characters * leastOfMessage));
  const least = (one: Said): number => Math.min(one.text.length, atLeast) + frame(one);
  const note = leftOutLine(ids.length).length + 1;
  const byText = new Map<string, Said>();
  let [size, seen] = [0, 0];
  // What fits beside the note about the messages that are left out.
  let beside = { count: 0, seen: 0 };
  for (; seen < ids.length; seen++) {
    const back = beginsWithRequest ? seen : seen + 1;
    const id = ids[back === 0 ? 0 : ids.length - back] as EventId;
    const text = textOf(id);
    if (text === '') continue;
    const same = byText.get(text);
    const before = same === undefined ? 0 : least(same);
    const one = same ?? { id, text, times: 0 };
    one.times++;
    size += least(one) - before;
    if (size > characters) {
      one.times--;
      break;
    }
    byText.set(text, one);
    if (size + note <= characters) beside = { count: byText.size, seen: seen + 1 };
  }
  const said = [...byText.values()];
  if (seen >= ids.length) return { said, leftOut: 0 };
  return { said: said.slice(0, beside.count), leftOut: ids.length - beside.seen };
}

/** The length of the markup around a message, with its line break. Unit: characters. */
function frame(one: Said): number {
  return '- \n'.length + often(one).length;
}

function often({ times }: Said): string {
  return times > 1 ? ` (${times} times)` : '';
}

/** The text, or its beginning and end. The note in the middle is part of the limit. Unit: characters. */
function cut({ id, text }: Said, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const note = (left: number): string => ` [… ${left} characters left out, address ${addressOf(id)}] `;
  const kept = limit - note(text.length).length;
  if (kept < worthCutting) return `${sliceText(text, 0, Math.max(0, limit - 1)).toWellFormed()}…`;
  const head = Math.ceil((kept * 2) / 3);
  const [start, end] = [sliceText(text, 0, head), sliceText(text, text.length - (kept - head))];
  return (start + note(text.length - start.length - end.length) + end).toWellFormed();
}
