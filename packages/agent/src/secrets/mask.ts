import { createEvent as createDefaultEvent, PalimpsestError } from '@palimpsest/events';
import type { CreateEvent, Event, Tool, ToolDefinition, ToolOutput } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { maskedData, maskedDescriptions, maskedEvent, maskedOutput, cutPartialSecretsOf } from './masked-event.js';
import type { Mask } from './masked-event.js';
import { maskedStream, minSecretLength, secretSearch, withoutSecrets } from './search.js';
import type { TextStream } from './search.js';

/** The label that replaces a value. */
export const secretLabel = /\[secret [A-Za-z_][\w.-]*\]/;

/** A mask of the values of secrets. It returns an input without any as the same object. */
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
 * Makes a mask for the values of secrets, by name. Each is found as it is and in the forms that tools, programs and
 * encodings give it (see `docs/secrets.md`), and `[secret NAME]` stands in its place. Of a value of many lines, each
 * line of 16 characters and more is found by itself. Masking twice is masking once. A part of a value, or one that is
 * encrypted, compressed or broken up by other letters, is not found: mask before you cut. The cost grows with the
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
  const begun = (text: string): string => search.cutPartialSecret(text);
  return Object.assign(<E extends Event>(event: E): E => cutPartialSecretsOf(maskedEvent(event, texts), begun), {
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

/**
 * Makes an event factory that hides the values of secrets. Give it to an agent, and none of its events holds one.
 *
 * @param create - the factory of the events. @defaultValue UUIDv7 ids and the system clock
 */
export function maskedEvents(mask: SecretMask, create: CreateEvent = createDefaultEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => mask(create(...args))) as CreateEvent;
}

/**
 * Wraps a tool so that the values are hidden in what it returns, appends and throws. The mask of events would come too late: a long
 * output is cut, or stored elsewhere, before. The input of the tool is not changed.
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

/**
 * Returns the error itself if it holds no value. Otherwise an error with the masked message and without the cause, which may hold
 * one.
 */
function withoutValues(mask: SecretMask, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? mask.text(thrown) : thrown;
  const message = mask.text(thrown.message);
  return message === thrown.message ? thrown : Object.assign(new Error(message), { name: thrown.name });
}

/**
 * Hides values in a stream of deltas. A piece that may hold the beginning of a value waits for the next one: call `end` when
 * the answer is complete, and `cut` when it will not become complete. Pieces that wait at a `restart` are void, and dropped.
 */
export function maskedDeltas(
  mask: SecretMask,
  onDelta: (delta: Delta) => void,
): { readonly write: (delta: Delta) => void; readonly end: () => void; readonly cut: () => void } {
  // Text and thinking alternate; calls may be streamed in parallel.
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
      // The name is passed on at once.
      if (id !== undefined || name !== undefined) {
        const named = name === undefined ? {} : { name: mask.text(name) };
        onDelta({ type: 'tool-call', index, arguments: '', id, ...named });
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

/** A secret that cannot be masked safely. The error gives its position, and neither its name nor its value. */
export class InvalidSecretError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSecretError';
  }

  /** The position of the secret among those given; the first is 1. */
  readonly position: number;

  constructor(position: number, reason: string) {
    super('invalid-secret', `Secret number ${position} ${reason}`);
    this.position = position;
  }
}
