import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type * as z from 'zod/mini';
import { InvalidCondenserConfigError } from './errors.js';
import { checkedOptions } from './options/checked-options.js';
import { assertOptionsObject, shown } from './options/option-issues.js';
import type { OptionsSchema } from './options/checked-options.js';

/** What a host adds to the options: parts that are code. */
export interface CondenserHost {
  /** The model that the condenser asks. @defaultValue none: a condenser that {@link CondenserDefinition.asksModel} is refused */
  readonly llm?: LLM | undefined;
  /** Makes the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** What {@link defineCondenser} is given. */
export interface CondenserSpec<Schema extends OptionsSchema, Name extends string, Asks extends boolean> {
  /** How logs and configurations name the condenser. */
  readonly name: Name;
  /** What it does, in one line, for lists and tables. */
  readonly summary: string;
  /** The options. Unknown ones are refused if the schema is strict. */
  readonly options: Schema;
  /**
   * It needs a model: `host.llm` is there when `create` is called. Without it, a configuration that names a model is refused.
   * @defaultValue false
   */
  readonly asksModel?: Asks | undefined;
  /** Makes the condenser of checked options. */
  create(
    options: z.output<Schema>,
    host: Asks extends true ? CondenserHost & { readonly llm: LLM } : CondenserHost,
  ): Condenser;
}

/** A condenser before it has options: what a package exports by default, and what configurations, commands and tables are made from. */
export interface CondenserDefinition<Schema extends OptionsSchema = OptionsSchema, Name extends string = string> {
  readonly name: Name;
  readonly summary: string;
  readonly options: Schema;
  readonly asksModel: boolean;
  /**
   * Checks the options and makes the condenser.
   *
   * @throws {@link InvalidCondenserConfigError} when an option is unknown or out of range, when the model is missing, or when
   *   `createEvent` is no function.
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
export function defineCondenser<Schema extends OptionsSchema, const Name extends string, Asks extends boolean = false>(
  spec: CondenserSpec<Schema, Name, Asks>,
): CondenserDefinition<Schema, Name> {
  const { name } = spec;
  const asksModel = spec.asksModel === true;
  return {
    name,
    summary: spec.summary,
    options: spec.options,
    asksModel,
    create(options, host = {}) {
      const checked = checkedOptions(spec.options, options === undefined ? {} : options, { subject: name });
      assertCreateEvent(name, host.createEvent);
      if (asksModel) assertModel(name, host.llm);
      return spec.create(checked, host as CondenserHost & { readonly llm: LLM });
    },
  };
}

/**
 * Makes the condenser of a factory's options, in which `createEvent`, and the `llm` of a condenser that asks a model, stand beside
 * what the schema checks.
 *
 * @throws {@link InvalidCondenserConfigError} as {@link CondenserDefinition.create} does.
 */
export function createCondenser<Schema extends OptionsSchema>(
  definition: CondenserDefinition<Schema>,
  options: z.input<Schema> & CondenserHost,
): Condenser {
  assertOptionsObject(definition.name, options);
  const { createEvent, ...others } = options;
  if (!definition.asksModel) return definition.create(others as z.input<Schema>, { createEvent });
  const { llm, ...data } = others;
  return definition.create(data as z.input<Schema>, { llm, createEvent });
}

/** @throws {@link InvalidCondenserConfigError} when what makes the condensations is given, and no function. */
export function assertCreateEvent(condenser: string, createEvent: unknown): void {
  if (createEvent === undefined || typeof createEvent === 'function') return;
  const reason = `must be a function that makes events, not ${shown(createEvent)}`;
  throw new InvalidCondenserConfigError({ condenser, option: 'createEvent', reason });
}

/** @throws {@link InvalidCondenserConfigError} when a condenser that asks a model has none. */
function assertModel(condenser: string, llm: Partial<LLM> | undefined): void {
  if (typeof llm?.complete === 'function') return;
  const reason = llm === undefined ? 'is missing: it asks a model' : 'must be a model with `complete`';
  throw new InvalidCondenserConfigError({ condenser, option: 'llm', reason });
}

/** True for what {@link defineCondenser} made, in this copy of the package or another. */
export function isCondenserDefinition(value: unknown): value is CondenserDefinition {
  const { name, options, create } = (value ?? {}) as Partial<CondenserDefinition>;
  return typeof name === 'string' && typeof create === 'function' && typeof options === 'object' && '_zod' in options;
}
