import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent, Event, Tool } from '@palimpsest/events';
import { secretPatterns } from './secrets-encodings.js';
import { InvalidSecretError } from './secrets-errors.js';
import { maskedData, maskedEvent } from './secrets-walk.js';

/** The shortest value that can be masked without hiding what is no secret. Unit: characters. */
export const minSecretLength = 6;

/** Hides the values of secrets. What holds none of them is given back as it is, the same object. */
export interface SecretMask {
  /** A copy of the event with the values hidden in all its texts; ids, names of tools and the like stay. */
  <E extends Event>(event: E): E;
  /** A line of a log, a message of an error. */
  text(text: string): string;
  /** Any JSON value, keys included: what a tool answered, what goes to a file. */
  data<T>(value: T): T;
}

/**
 * A mask for the values of secrets, by name. Each is found as it is and as tools print it (escaped, percent-encoded, base64,
 * hex), and `[secret NAME]` stands in its place; of a value of many lines each line of 16 characters and more is found by
 * itself. Masking twice is masking once. A part of a value, or one that is spelt backwards or encrypted, is not found: mask
 * before you cut.
 *
 * @param values - the name of each secret to its value; white space around a value does not count
 * @throws {@link InvalidSecretError} when a value is shorter than {@link minSecretLength}, a name is not made of letters,
 *   digits, `_`, `.` and `-`, or a name contains a value. The error holds neither.
 *
 * @example
 * ```ts
 * const mask = secretMask({ DEPLOY_TOKEN: token });
 * const agent = new Agent({
 *   llm,
 *   tools: tools.map((tool) => maskedTool(mask, tool)),
 *   createEvent: maskedEvents(mask),
 * });
 * ```
 */
export function secretMask(values: Readonly<Record<string, string>>): SecretMask {
  const entries = Object.entries(values).map(([name, value]) => ({ name, value: value.trim() }));
  entries.forEach(({ name, value }, index) => {
    if (value.length < minSecretLength) {
      throw new InvalidSecretError(
        index + 1,
        `is shorter than ${minSecretLength} characters, and masking it would hide what is no secret. Use a longer one, or leave it out.`,
      );
    }
    if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
      throw new InvalidSecretError(index + 1, 'has a name that is not made of letters, digits, _, . and -.');
    }
    if (entries.some((entry) => name.includes(entry.value))) {
      throw new InvalidSecretError(index + 1, 'has a name that contains the value of a secret. Give it another name.');
    }
  });
  const searches = entries.map(({ name, value }) => ({
    label: `[secret ${name}]`,
    patterns: [value, ...longLines(value)].flatMap(secretPatterns),
  }));
  const text = (input: string): string => masked(input, searches);
  return Object.assign(<E extends Event>(event: E): E => maskedEvent(event, text), {
    text,
    data: <T>(value: T): T => maskedData(value, text),
  });
}

/**
 * Makes events in which the values are hidden: give it to an agent, and none of its events holds one.
 *
 * @param create - what makes the events. @defaultValue UUIDv7 ids and the system clock
 */
export function maskedEvents(mask: SecretMask, create: CreateEvent = createDefaultEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => mask(create(...args))) as CreateEvent;
}

/**
 * The same tool, with the values hidden in what it answers: before a long answer is cut or kept elsewhere, where the event's
 * mask would come too late.
 */
export function maskedTool<Input>(mask: SecretMask, tool: Tool<Input>): Tool<Input> {
  return { ...tool, execute: async (input, context) => mask.data(await tool.execute(input, context)) };
}

/** The lines of a key, of which a tool may print a few. Its first and last line are no secret. */
function longLines(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= 16 && !line.startsWith('-----'));
}

interface Search {
  readonly label: string;
  readonly patterns: readonly RegExp[];
}

interface Found {
  readonly start: number;
  end: number;
  readonly label: string;
}

const mark = /\[secret [A-Za-z_][\w.-]*\]/g;

function masked(text: string, searches: readonly Search[]): string {
  const found: Found[] = [];
  for (const { label, patterns } of searches) {
    for (const pattern of patterns) {
      for (const match of text.matchAll(pattern)) {
        found.push({ start: match.index, end: match.index + match[0].length, label });
      }
    }
  }
  if (found.length === 0) return text;
  // A mark that stands there already is not masked again, whatever its words are.
  const marks = [...text.matchAll(mark)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const hidden = joined(found.filter(({ start, end }) => !marks.some((own) => own.start <= start && end <= own.end)));
  let result = '';
  let position = 0;
  for (const { start, end, label } of hidden) {
    result += text.slice(position, start) + label;
    position = end;
  }
  return result + text.slice(position);
}

/** Where secrets overlap, all of their characters go. */
function joined(found: readonly Found[]): readonly Found[] {
  const result: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) result.push({ ...next });
    else last.end = Math.max(last.end, next.end);
  }
  return result;
}
