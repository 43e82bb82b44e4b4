import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent, Event, Tool, ToolDefinition, ToolOutput } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { InvalidSecretError } from './secrets-errors.js';
import { secretSearch, withoutSecrets } from './secrets-search.js';
import { maskedStream } from './secrets-stream.js';
import type { TextStream } from './secrets-stream.js';
import { maskedData, maskedDescriptions, maskedEvent, maskedOutput } from './secrets-walk.js';
import type { Mask } from './secrets-walk.js';

/** The shortest value that can be masked without hiding what is no secret. Unit: characters. */
export const minSecretLength = 6;

/** What may stand in the place of a value. */
export const secretLabel = /\[secret [A-Za-z_][\w.-]*\]/;

/** Hides the values of secrets. What holds none of them is given back as it is, the same object. */
export interface SecretMask {
  /** A copy of the event with the values hidden in all its texts; ids, names of tools and the like stay. */
  <E extends Event>(event: E): E;
  /** A line of a log, a message of an error. */
  text(text: string): string;
  /** A text that was cut off: also without an end with which a value begins. */
  cutOff(text: string): string;
  /** Any JSON value, keys included: what goes to a file, what a page shows. */
  data<T>(value: T): T;
  /** Definitions of tools: their descriptions, and those of their inputs. */
  tools<T extends readonly ToolDefinition[]>(definitions: T): T;
  /** What a tool answered. */
  output<T extends ToolOutput>(output: T): T;
  /** A text that comes in pieces. Where a value may have begun, the rest waits for the next piece or for `end`. */
  stream(emit: (text: string) => void): TextStream;
}

/**
 * A mask for the values of secrets, by name. Each is found as it is and as tools print it (escaped in part or whole,
 * percent-encoded, base64, hex; wrapped over lines, coloured for a terminal), and `[secret NAME]` stands in its place; of a value
 * of many lines each line of 16 characters and more is found by itself. Masking twice is masking once. A part of a value, or one
 * that is spelt backwards, encrypted, or broken up by other characters, is not found: mask before you cut. The cost grows with the
 * length of a text, whatever it is.
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
  if (entries.length === 0) return nothingToHide;
  const search = secretSearch(entries);
  const texts: Mask = (parts) => withoutSecrets(parts, search);
  return Object.assign(<E extends Event>(event: E): E => maskedEvent(event, texts), {
    text: (text: string) => texts([text])[0] ?? '',
    cutOff: (text: string) => search.withoutBegun(texts([text])[0] ?? ''),
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

/**
 * Makes events in which the values are hidden: give it to an agent, and none of its events holds one.
 *
 * @param create - what makes the events. @defaultValue UUIDv7 ids and the system clock
 */
export function maskedEvents(mask: SecretMask, create: CreateEvent = createDefaultEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => mask(create(...args))) as CreateEvent;
}

/**
 * The same tool, with the values hidden in what it answers, appends and throws: before a long answer is cut or kept
 * elsewhere, where the event's mask would come too late. What it is told is not changed.
 */
export function maskedTool<Input>(mask: SecretMask, tool: Tool<Input>): Tool<Input> {
  return {
    ...tool,
    async execute(input, context) {
      try {
        const append = (event: Event) => context.append(mask(event));
        return mask.output(await tool.execute(input, { ...context, append }));
      } catch (error) {
        throw withoutValues(mask, error);
      }
    },
  };
}

/** The error itself where there is nothing to hide; else one that says the same, without the cause, which may hold the value. */
function withoutValues(mask: SecretMask, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? mask.text(thrown) : thrown;
  const message = mask.text(thrown.message);
  return message === thrown.message ? thrown : Object.assign(new Error(message), { name: thrown.name });
}

/**
 * What a model writes, piece by piece, with the values hidden. A piece that may hold the beginning of a value waits for the
 * next one: call `end` when the answer is complete, `cut` when it never will be. What waits at a `restart` is void and handed
 * to nobody.
 */
export function maskedDeltas(
  mask: SecretMask,
  onDelta: (delta: Delta) => void,
): { readonly write: (delta: Delta) => void; readonly end: () => void; readonly cut: () => void } {
  // Words of one kind end where those of another begin; calls may be written side by side.
  let words: { readonly kind: string; readonly stream: TextStream } | undefined;
  const calls = new Map<number, TextStream>();
  const endWords = (): void => {
    words?.stream.end();
    words = undefined;
  };
  const close = (how: 'end' | 'cut'): void => {
    words?.stream[how]();
    words = undefined;
    for (const call of calls.values()) call[how]();
    calls.clear();
  };
  const streamOf = (delta: Piece): TextStream => mask.stream((text) => onDelta(pieceLike(delta, text)));
  return {
    write(delta) {
      if (delta.type === 'restart') {
        words = undefined;
        calls.clear();
        return onDelta({ ...delta, reason: mask.text(delta.reason) });
      }
      if (delta.type !== 'tool-call') {
        if (words?.kind !== delta.type) {
          endWords();
          words = { kind: delta.type, stream: streamOf(delta) };
        }
        return words.stream.write(delta.text);
      }
      endWords();
      const { id, name, index } = delta;
      // Its name goes on at once.
      if (id !== undefined || name !== undefined) {
        const named = name === undefined ? {} : { name: mask.text(name) };
        onDelta({ type: 'tool-call', index, arguments: '', ...(id === undefined ? {} : { id }), ...named });
      }
      const call = calls.get(index) ?? streamOf(delta);
      calls.set(index, call);
      call.write(delta.arguments);
    },
    end: () => close('end'),
    cut: () => close('cut'),
  };
}

type Piece = Exclude<Delta, { readonly type: 'restart' }>;

function pieceLike(delta: Piece, text: string): Delta {
  return delta.type === 'tool-call'
    ? { type: 'tool-call', index: delta.index, arguments: text }
    : { type: delta.type, text };
}
