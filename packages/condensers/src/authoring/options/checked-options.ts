import { errorTexts } from '@palimpsest/events';
import * as z from 'zod/mini';
import { assertOptionsObject, invalidOptions } from './option-issues.js';

/** A zod schema of an object, classic or mini. */
export type OptionsSchema = z.core.$ZodType<object, object>;

/**
 * Checks options by their schema, and fills in its defaults.
 *
 * @param place `subject` is the condenser, for the message; `path` is where the options stand in a configuration, empty at its top;
 *   `known` lists the names that a message offers, if they are not those of the schema.
 * @throws {@link InvalidCondenserConfigError} that names each option that is wrong, what is wrong with it, and what there is; or that
 *   says that the options are no object.
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

/** The names of the options, where the schema is of an object with known keys; one of a group as `modelCall.timeoutMs`. */
export function optionNames(schema: OptionsSchema): readonly string[] {
  return Object.entries(membersOf(schema) ?? {}).flatMap(([name, member]) => {
    const group = membersOf(member);
    return group === undefined ? [name] : Object.keys(group).map((inner) => `${name}.${inner}`);
  });
}

type Definition = { readonly shape?: Readonly<Record<string, z.core.$ZodType>>; readonly innerType?: z.core.$ZodType };

/** The members of an object, also of one that may be left out. */
function membersOf({ _zod }: z.core.$ZodType): Definition['shape'] {
  const { shape, innerType } = _zod.def as Definition;
  return shape ?? (innerType === undefined ? undefined : membersOf(innerType));
}
