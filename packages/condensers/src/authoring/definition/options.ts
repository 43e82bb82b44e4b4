import { errorTexts, sliceText } from '@palimpsest/events';
import * as z from 'zod/mini';
import { InvalidCondenserConfigError, nearMiss } from './errors.js';

/** A zod schema of an object, classic or mini. */
export type OptionsSchema = z.core.$ZodType<object, object>;

/**
 * Checks options against their schema and fills in its defaults.
 *
 * @param place `subject` is the condenser, for the message; `path` is the place of the options in a configuration, empty at its
 *   top; `known` lists the names that a message offers, if they differ from the schema's.
 * @throws {@link InvalidCondenserConfigError} when an option is wrong: the error names each one, the problem and the known
 *   options. Also when the options are not an object.
 */
export function checkedOptions<Schema extends OptionsSchema>(
  schema: Schema,
  value: unknown,
  place: {
    readonly subject: string;
    readonly path?: string | undefined;
    readonly known?: readonly string[] | undefined;
  },
): z.output<Schema> {
  const { subject, path = '', known = optionNames(schema) } = place;
  assertOptionsObject(subject, value, path);
  const read = z.safeParse(schema, value, errorTexts());
  if (read.success) return read.data;
  throw invalidOptions({ subject, path, known, value }, read.error.issues);
}

/**
 * Returns the names of the options if the schema is of an object with known keys. An option of a group has the form
 * `modelCall.timeoutMs`.
 */
export function optionNames(schema: OptionsSchema): readonly string[] {
  return Object.entries(membersOf(schema) ?? {}).flatMap(([name, member]) => {
    const group = membersOf(member);
    return group === undefined ? [name] : Object.keys(group).map((inner) => `${name}.${inner}`);
  });
}

type Definition = { readonly shape?: Readonly<Record<string, z.core.$ZodType>>; readonly innerType?: z.core.$ZodType };

/** Returns the members of an object schema, also of an optional one. */
function membersOf({ _zod }: z.core.$ZodType): Definition['shape'] {
  const { shape, innerType } = _zod.def as Definition;
  return shape ?? (innerType === undefined ? undefined : membersOf(innerType));
}

/** The subject of a check, for the message. */
interface CheckedPart {
  /** The condenser, or another owner of the options. */
  readonly subject: string;
  /** The place of the options in the configuration; empty at its top. */
  readonly path: string;
  /** The known options. An option of a group is prefixed with the group's name: `modelCall.timeoutMs`. */
  readonly known: readonly string[];
  readonly value: unknown;
}

/** Collects all problems of some options in one error. It names the place, the expected and the actual value. */
export function invalidOptions(part: CheckedPart, issues: readonly z.core.$ZodIssue[]): InvalidCondenserConfigError {
  const found = issues.flatMap((issue) => reasonsOf(part, issue));
  const [first = { option: part.path, reason: 'is not valid' }, ...others] = found;
  const more = others.map(({ option, reason }) => `\n${part.subject}: '${option}' ${reason}`).join('');
  return new InvalidCondenserConfigError({
    condenser: part.subject,
    option: first.option,
    reason: first.reason + more,
  });
}

/** Checks that options are an object. @throws {@link InvalidCondenserConfigError} when they are not. */
export function assertOptionsObject(subject: string, value: unknown, path = ''): asserts value is object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const option = path === '' ? 'options' : path;
  throw new InvalidCondenserConfigError({
    condenser: subject,
    option,
    reason: `must be an object, not ${shown(value)}`,
  });
}

/** Returns `a`, `a.b` or `a[0]`. */
export function joined(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

/** Returns a value as a message shows it. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length > 80 ? `${sliceText(text, 0, 77)}…` : text;
}

function reasonsOf(
  { path, known, value }: CheckedPart,
  issue: z.core.$ZodIssue,
): readonly { readonly option: string; readonly reason: string }[] {
  const option = issue.path.reduce<string>(joined, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      option: joined(option, key),
      reason: `is not an option.${didYouMean(key, known)} ${listed(known)}`,
    }));
  }
  // The message of a check across several options is already complete.
  if (issue.code === 'custom' && issue.params?.['isComplete'] === true) return [{ option, reason: issue.message }];
  const given = issue.path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)?.[key], value);
  if (given === undefined) return [{ option, reason: `is missing: it ${issue.message}` }];
  return [{ option, reason: `${issue.message}, not ${shown(given)}` }];
}

/** Returns the known option with the nearest own name, with its group. */
function didYouMean(key: string, known: readonly string[]): string {
  const near = nearMiss(key, known.map(ownName));
  return near === undefined ? '' : ` Did you mean '${known.find((option) => ownName(option) === near) ?? near}'?`;
}

function ownName(option: string): string {
  return option.slice(option.lastIndexOf('.') + 1);
}

function listed(known: readonly string[]): string {
  return known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`;
}

function textOf(value: unknown): string {
  // JSON has neither NaN nor Infinity: they would be shown as null.
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    // The value contains itself, or a value that JSON cannot represent.
    return typeof value;
  }
}
