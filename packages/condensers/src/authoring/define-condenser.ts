import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import * as z from 'zod/mini';
import { invalidOptions } from './options/option-issues.js';
import { InvalidCondenserConfigError } from './errors.js';

/** A zod schema of an object, classic or mini. */
export type OptionsSchema = z.core.$ZodType<object, object>;

/** What a host adds to the options: parts that are code. */
export interface CondenserHost {
  /** The model that the condenser asks. @defaultValue none: a condenser that {@link CondenserDefinition.asksModel} is refused */
  readonly llm?: LLM;
  /** Makes the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

/** What {@link defineCondenser} is given. */
export interface CondenserSpec<Schema extends OptionsSchema> {
  /** How logs and configurations name the condenser. */
  readonly name: string;
  /** What it does, in one line, for lists and tables. */
  readonly summary: string;
  /** The options. Unknown ones are refused if the schema is strict. */
  readonly options: Schema;
  /** It needs a model: `host.llm` is there when `create` is called. @defaultValue false */
  readonly asksModel?: boolean;
  /** Makes the condenser of checked options. */
  create(options: z.output<Schema>, host: CondenserHost): Condenser;
}

/** A condenser before it has options: what a package exports by default, and what configurations, commands and tables are made from. */
export interface CondenserDefinition<Schema extends OptionsSchema = OptionsSchema> {
  readonly name: string;
  readonly summary: string;
  readonly options: Schema;
  readonly asksModel: boolean;
  /**
   * Checks the options and makes the condenser.
   *
   * @throws {@link InvalidCondenserConfigError} when an option is unknown or out of range, or when the model is missing.
   */
  create(options?: z.input<Schema>, host?: CondenserHost): Condenser;
}

/**
 * Defines a condenser once, for everything that makes one by name.
 *
 * @example
 * ```ts
 * export default defineCondenser({
 *   name: 'keepNewest',
 *   summary: 'forgets the older half of a history that has too many events',
 *   options: z.strictObject({ maxSize: z.int().min(4).default(120) }),
 *   create: ({ maxSize }) => keepNewestCondenser(maxSize),
 * });
 * ```
 */
export function defineCondenser<Schema extends OptionsSchema>(
  spec: CondenserSpec<Schema>,
): CondenserDefinition<Schema> {
  const { name, summary, options: schema, asksModel = false } = spec;
  return {
    name,
    summary,
    options: schema,
    asksModel,
    create(options, host = {}) {
      const value = options ?? {};
      const read = z.safeParse(schema, value);
      if (!read.success) {
        throw invalidOptions({ subject: name, path: '', known: optionNames(schema), value }, read.error.issues);
      }
      if (asksModel && host.llm === undefined) {
        throw new InvalidCondenserConfigError({
          condenser: name,
          option: 'llm',
          reason: 'is missing: it asks a model',
        });
      }
      return spec.create(read.data, host);
    },
  };
}

/** True for what {@link defineCondenser} made, in this copy of the package or another. */
export function isCondenserDefinition(value: unknown): value is CondenserDefinition {
  const { name, options, create } = (value ?? {}) as Partial<CondenserDefinition>;
  return typeof name === 'string' && typeof create === 'function' && typeof options === 'object' && '_zod' in options;
}

/** The names of the options, where the schema is of an object with known keys. */
export function optionNames(schema: OptionsSchema): readonly string[] {
  const { shape } = schema._zod.def as { readonly shape?: object };
  return shape === undefined ? [] : Object.keys(shape);
}
