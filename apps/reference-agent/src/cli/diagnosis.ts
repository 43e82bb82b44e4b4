import { isUtf8 } from 'node:buffer';
import { parseEvent } from '@palimpsest/events';

/** Something that is wrong in a log. */
export interface Damage {
  /** The first line is 1. */
  readonly line: number;
  readonly what: string;
  /** The bytes that the repaired copy does not hold as they were. @defaultValue none: the repair can be told from the copy */
  readonly original?: Buffer;
}

/** The damages of a log, and the events that can be kept of it. */
export interface Diagnosis {
  readonly lines: number;
  /** The events of the repaired copy: one JSON text a line, without the marks of appends. */
  readonly events: readonly string[];
  /** In the order of the lines. */
  readonly damages: readonly Damage[];
}

/**
 * Finds everything for which the file store refuses a log: marks of byte order, other encodings, bytes that were never written, lines
 * that are torn, foreign, glued together or spread out, ids that stand there twice, and an append without its end. A repair never
 * invents anything, and takes no event from the inside of another text, which may be the output of a tool.
 */
export function diagnosisOf(bytes: Buffer): Diagnosis {
  const found: Found = { events: [], damages: [] };
  const lines = linesOf(inUtf8(bytes, found));
  for (let index = 0; index < lines.length;) index += readLine(lines, index, found);
  leaveOutUnfinished(found);
  return {
    lines: lines.length,
    events: withoutRepeatedIds(found).map(({ text }) => text),
    damages: found.damages.toSorted((one, other) => one.line - other.line),
  };
}

interface FoundEvent {
  readonly line: number;
  readonly id: string;
  readonly text: string;
  /** Another event of the same append follows. */
  readonly continues: boolean;
}

interface Found {
  events: FoundEvent[];
  readonly damages: Damage[];
}

/** A line without its end, and whether it has one. */
interface Line {
  readonly bytes: Buffer;
  readonly isEnded: boolean;
}

/** A shell or an editor on Windows may write a file anew in UTF-16. JSON begins with a character of ASCII, which shows it. */
function inUtf8(bytes: Buffer, { damages }: Found): Buffer {
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return bytes;
  const text = new TextDecoder(encoding).decode(bytes);
  const isLossless = !text.includes('\ufffd');
  damages.push({
    line: 1,
    what: `the file is in ${encoding.toUpperCase()}; written in UTF-8`,
    ...(isLossless ? {} : { original: bytes }),
  });
  return Buffer.from(text);
}

function utf16Of([first, second, third, fourth]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x7b && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second === 0x7b && third === 0 && fourth !== 0 ? 'utf-16be' : undefined;
}

function linesOf(bytes: Buffer): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf('\n', start);
    lines.push({ bytes: bytes.subarray(start, end < 0 ? bytes.length : end), isEnded: end >= 0 });
    start = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

/** Reads the event that begins at a line. Returns how many lines it has. */
function readLine(lines: readonly Line[], index: number, found: Found): number {
  const { bytes, isEnded } = lines[index] as Line;
  const line = index + 1;
  const damages: Damage[] = [];
  const add = (what: string, original?: Buffer) => damages.push({ line, what, ...(original && { original }) });

  const written = withoutNul(bytes);
  if (written.length < bytes.length) add(`${bytes.length - written.length} NUL bytes, which were never written`);
  const marked = textOf(written, add);
  const text = marked.replace(/^\ufeff+/, '');
  if (text.length < marked.length) add('begins with a byte order mark');
  if (text.trim() === '') {
    found.damages.push(...damages);
    return 1;
  }
  const spread = text.trim() === '{' ? spreadEvent(lines, index, text) : undefined;
  const { events, rest, why } = spread ?? eventsIn(text);
  if (rest !== '') {
    // One entry for a line that is left out whole. What of it was repaired does not matter then.
    if (events.length === 0) damages.length = 0;
    add(
      events.length === 0 ? why : `behind ${events.length} events: ${why}`,
      events.length === 0 ? bytes : Buffer.from(rest),
    );
  } else if (spread !== undefined) add(`one event on ${spread.lines} lines`);
  else if (events.length > 1) add(`${events.length} events on one line`);
  if (!isEnded && rest === '') add('the last line lacks its end');
  found.events.push(
    ...events.map((event) => ({ ...event, line, continues: spread === undefined && text.startsWith(' ') })),
  );
  found.damages.push(...damages);
  return spread?.lines ?? 1;
}

/** A crash of the system leaves pages without content at the edge of what was written. JSON text holds no NUL. */
function withoutNul(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < end && bytes[start] === 0) start++;
  while (end > start && bytes[end - 1] === 0) end--;
  return bytes.subarray(start, end);
}

function textOf(bytes: Buffer, add: (what: string, original: Buffer) => unknown): string {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return text;
  // A letter of another language would hardly be UTF-8 by accident, so one that is shows in which encoding the line was written.
  if (/\P{ASCII}/u.test(text.replaceAll('\ufffd', ''))) {
    add('bytes that are not UTF-8; replaced by U+FFFD', bytes);
    return text;
  }
  add('not in UTF-8; read as Windows-1252', bytes);
  return new TextDecoder('windows-1252').decode(bytes);
}

type EventText = Pick<FoundEvent, 'id' | 'text'>;

interface EventsOfLine {
  readonly events: readonly EventText[];
  /** The text from the first that is no event to the end. */
  readonly rest: string;
  /** The fault of the rest. */
  readonly why: string;
}

/** The events at the beginning of a text. Carriage returns may part them, as on old systems, or nothing at all. */
function eventsIn(text: string): EventsOfLine {
  const whole = eventOf(text.trim());
  if (!('why' in whole)) return { events: [whole], rest: '', why: '' };
  if (whole.isJson) return { events: [], rest: text, why: whole.why };
  const events: EventText[] = [];
  for (let rest = text; ;) {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') return { events, rest, why: '' };
    const end = endOfObject(rest);
    const event = eventOf(rest.slice(0, end ?? 0));
    if ('why' in event) {
      const isCut = end === undefined && rest.startsWith('{');
      return { events, rest, why: isCut ? 'an event that was cut off' : event.why };
    }
    events.push(event);
    rest = rest.slice(end);
  }
}

function eventOf(text: string): EventText | { readonly why: string; readonly isJson: boolean } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // What the engine says of it quotes the text.
    return { why: 'not JSON', isJson: false };
  }
  try {
    return { id: parseEvent(json).id, text };
  } catch (error) {
    return { why: (error as Error).message, isJson: true };
  }
}

/** The end of the object at the beginning of a text. Undefined if it does not end. */
function endOfObject(text: string): number | undefined {
  const token = /["\\[\]{}]/g;
  let depth = 0;
  let isInString = false;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [character] = match;
    if (isInString) {
      if (character === '"') isInString = false;
      else if (character === '\\') token.lastIndex++;
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth++;
    else depth--;
    if (depth <= 0) return match.index === 0 ? undefined : match.index + 1;
  }
  return undefined;
}

/** An editor spreads an event over lines. A line that closes one is looked for as far as this. Unit: lines. */
const longestSpread = 10_000;

function spreadEvent(
  lines: readonly Line[],
  index: number,
  first: string,
): (EventsOfLine & { readonly lines: number }) | undefined {
  const closing = new RegExp(`^${/^\\s*/.exec(first)?.[0] ?? ''}\\},?\\s*$`);
  const texts = [first];
  for (const { bytes } of lines.slice(index + 1, index + longestSpread)) {
    const text = bytes.toString('utf8');
    texts.push(text);
    if (!closing.test(text)) continue;
    // Between two tokens a line end is a blank, and within a string there is none.
    const event = eventOf(
      texts
        .map((one) => one.trim())
        .join(' ')
        .replace(/,$/, ''),
    );
    return 'why' in event ? undefined : { events: [event], rest: '', why: '', lines: texts.length };
  }
  return undefined;
}

/** An append counts with its last line, which has no mark. The store cuts off what lacks it, and so does the copy. */
function leaveOutUnfinished({ events, damages }: Found): void {
  for (let last = events.at(-1); last?.continues === true; last = events.at(-1)) {
    damages.push({
      line: last.line,
      what: 'of an append that was cut off before its last event',
      original: Buffer.from(last.text),
    });
    events.pop();
  }
}

/** The first event of each id, as a view reads such a log. */
function withoutRepeatedIds({ events, damages }: Found): readonly FoundEvent[] {
  const first = new Map<string, FoundEvent>();
  for (const event of events) {
    const { id, line, text } = event;
    const known = first.get(id);
    if (known === undefined) {
      first.set(id, event);
      continue;
    }
    const isSame = JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(known.text));
    damages.push({
      line,
      what: `the id '${id}' stands in line ${known.line}, ${isSame ? 'with the same event' : 'with another event'}`,
      original: Buffer.from(text),
    });
  }
  return [...first.values()];
}
