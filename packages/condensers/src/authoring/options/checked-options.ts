import { errorTexts } from '@palimpsest/events';
import * as z from 'zod/mini';
import { assertOptionsObject, invalidOptions } from './option-issues.js';

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
 * The names of the options if the schema is of an object with known keys. An option of a group has the form
 * `modelCall.timeoutMs`.
 */
export function optionNames(schema: OptionsSchema): readonly string[] {
  return Object.entries(membersOf(schema) ?? {}).flatMap(([name, member]) => {
    const group = membersOf(member);
    return group === undefined ? [name] : Object.keys(group).map((inner) => `${name}.${inner}`);
  });
}

type Definition = { readonly shape?: Readonly<Record<string, z.core.$ZodType>>; readonly innerType?: z.core.$ZodType };

/** The members of an object schema, also of an optional one. */
function membersOf({ _zod }: z.core.$ZodType): Definition['shape'] {
  const { shape, innerType } = _zod.def as Definition;
  return shape ?? (innerType === undefined ? undefined : membersOf(innerType));
}
