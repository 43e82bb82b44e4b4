import type { Event, ToolDefinition, ToolOutput } from '@palimpsest/events';
import { InvalidSecretError } from './errors.js';
import { minSecretLength, secretSearch, withoutSecrets } from './secret-search.js';
import { maskedStream } from './masked-stream.js';
import type { TextStream } from './masked-stream.js';
import { maskedData, maskedDescriptions, maskedEvent, maskedOutput, withoutBegunEnds } from './masked-event.js';
import type { Mask } from './masked-event.js';

/** The label that replaces a value. */
export const secretLabel = /\[secret [A-Za-z_][\w.-]*\]/;

/** Hides the values of secrets. An input without any is returned as the same object. */
export interface SecretMask {
  /**
   * A copy of the event with the values hidden in all its texts. Ids, names of tools and the like stay. Of an answer or a call that was
   * cut off, an end with which a value may begin is removed.
   */
  <E extends Event>(event: E): E;
  /** Masks a text, such as a line of a log or the message of an error. */
  text(text: string): string;
  /** Masks a text that was cut off, and removes an end with which a value may begin. */
  cutOff(text: string): string;
  /** Masks a JSON value, keys included, such as the content of a file or a page. */
  data<T>(value: T): T;
  /** Masks the descriptions of tools and of their inputs. */
  tools<T extends readonly ToolDefinition[]>(definitions: T): T;
  /** Masks the output of a tool. */
  output<T extends ToolOutput>(output: T): T;
  /** Masks a text that comes in pieces. If a value may have begun, the rest waits for the next piece or for `end`. */
  stream(emit: (text: string) => void): TextStream;
}

/**
 * A mask for the values of secrets, by name. Each is found as it is and in the forms that tools, programs and encodings give it
 * (see `docs/secrets.md`), and `[secret NAME]` stands in its place; of a value of many lines each line of 16 characters and more is
 * found by itself. Masking twice is masking once. A part of a value, or one that is encrypted, compressed or broken up by other
 * letters, is not found: mask before you cut. The cost grows with the length of a text, whatever it is.
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
  const entries = Object.entries(values).map(([name, value], index) => {
    if (typeof value === 'string') return { name, value: value.trim() };
    throw new InvalidSecretError(index + 1, 'is not a text. Is the variable that holds it set?');
  });
  entries.forEach(({ name, value }, index) => {
    if (value.length < minSecretLength) {
      throw new InvalidSecretError(
        index + 1,
        `is shorter than ${minSecretLength} characters, and masking it would hide ordinary text. Use a longer one, or leave it out.`,
      );
    }
    if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
      throw new InvalidSecretError(index + 1, 'has a name that is not made of letters, digits, _, . and -.');
    }
    if (entries.some((entry) => name.includes(entry.value))) {
      throw new InvalidSecretError(index + 1, 'has a name that contains the value of a secret. Give it another name.');
    }
  });
  if (entries.length === 0) return nothingToHide;
  const search = secretSearch(entries);
  const texts: Mask = (parts) => withoutSecrets(parts, search);
  const begun = (text: string): string => search.withoutBegun(text);
  return Object.assign(<E extends Event>(event: E): E => withoutBegunEnds(maskedEvent(event, texts), begun), {
    text: (text: string) => texts([text])[0] ?? '',
    cutOff: (text: string) => begun(texts([text])[0] ?? ''),
    data: <T>(value: T): T => maskedData(value, texts),
    tools: <T extends readonly ToolDefinition[]>(definitions: T): T => maskedDescriptions(definitions, texts),
    output: <T extends ToolOutput>(output: T): T => maskedOutput(output, texts),
    stream: (emit: (text: string) => void) => maskedStream(search, emit),
  });
}

const same = <T>(value: T): T => value;

const nothingToHide: SecretMask = Object.assign(<E extends Event>(event: E): E => event, {
  text: same<string>,
  cutOff: same<string>,
  data: same,
  tools: same,
  output: same,
  stream: (emit: (text: string) => void) => ({ write: emit, end: () => undefined, cut: () => undefined }),
});
