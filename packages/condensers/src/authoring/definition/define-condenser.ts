import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type * as z from 'zod/mini';
import { InvalidCondenserConfigError } from './errors.js';
import { assertOptionsObject, checkedOptions, shown } from './options.js';
import type { OptionsSchema } from './options.js';

/** The parts of the options that are code and that the host supplies. */
export interface CondenserHost {
  /** The model that the condenser calls. @defaultValue none: a condenser that {@link CondenserDefinition.asksModel} is refused */
  readonly llm?: LLM | undefined;
  /** Creates the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** The argument of {@link defineCondenser}. */
export interface CondenserSpec<Schema extends OptionsSchema, Name extends string, Asks extends boolean> {
  /** The condenser's name in logs and configurations. */
  readonly name: Name;
  /** A one-line description, for lists and tables. */
  readonly summary: string;
  /** The schema of the options. A strict schema refuses unknown options. */
  readonly options: Schema;
  /**
   * True if the condenser needs a model: `create` then always receives `host.llm`. If false, a configuration that names a model
   * is refused.
   * @defaultValue false
   */
  readonly asksModel?: Asks | undefined;
  /** Creates the condenser from checked options. */
  create(
    options: z.output<Schema>,
    host: Asks extends true ? CondenserHost & { readonly llm: LLM } : CondenserHost,
  ): Condenser;
}

/**
 * A condenser definition without options: the default export of a package. Configurations, commands and tables are made from it.
 */
export interface CondenserDefinition<Schema extends OptionsSchema = OptionsSchema, Name extends string = string> {
  readonly name: Name;
  readonly summary: string;
  readonly options: Schema;
  readonly asksModel: boolean;
  /**
   * Checks the options and creates the condenser.
   *
   * @throws {@link InvalidCondenserConfigError} when an option is unknown or out of range, when the model is missing, or when
   *   `createEvent` is not a function.
   */
  create(options?: z.input<Schema>, host?: CondenserHost): Condenser;
}

/**
 * Defines a condenser once, for every program that creates condensers by name.
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
      return withOwnTimeout(spec.create(checked, host as CondenserHost & { readonly llm: LLM }), checked);
    },
  };
}

/** Adds the longest time that the calls of a condenser's model may take in all, so that no host gives up before. */
function withOwnTimeout(condenser: Condenser, options: unknown): Condenser {
  const { modelCall } = options as { readonly modelCall?: { readonly timeoutMs?: unknown; readonly tries?: unknown } };
  const { timeoutMs, tries = usualCalls } = modelCall ?? {};
  if (typeof timeoutMs !== 'number' || typeof tries !== 'number' || condenser.timeoutMs !== undefined) return condenser;
  return { ...condenser, timeoutMs: timeoutMs * Math.max(tries, usualCalls) };
}

/** The model calls of one decision: a second one reads less. */
const usualCalls = 2;

/**
 * Creates the condenser from a factory's options. These hold the options that the schema checks, `createEvent`, and the `llm` of
 * a condenser that calls a model.
 *
 * @throws {@link InvalidCondenserConfigError} like {@link CondenserDefinition.create}.
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

/** Checks a given `createEvent`. @throws {@link InvalidCondenserConfigError} when it is not a function. */
export function assertCreateEvent(condenser: string, createEvent: unknown): void {
  if (createEvent === undefined || typeof createEvent === 'function') return;
  const reason = `must be a function that makes events, not ${shown(createEvent)}`;
  throw new InvalidCondenserConfigError({ condenser, option: 'createEvent', reason });
}

/** @throws {@link InvalidCondenserConfigError} when a condenser that calls a model has none. */
function assertModel(condenser: string, llm: Partial<LLM> | undefined): void {
  if (typeof llm?.complete === 'function') return;
  const reason = llm === undefined ? 'is missing: it asks a model' : 'must be a model with `complete`';
  throw new InvalidCondenserConfigError({ condenser, option: 'llm', reason });
}

/** Returns true for the result of {@link defineCondenser}, from this copy of the package or another one. */
export function isCondenserDefinition(value: unknown): value is CondenserDefinition {
  const { name, options, create } = (value ?? {}) as Partial<CondenserDefinition>;
  return typeof name === 'string' && typeof create === 'function' && typeof options === 'object' && '_zod' in options;
}
