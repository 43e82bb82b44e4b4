import type { Template } from '@palimpsest/templates';
import * as z from 'zod/mini';
import type { Prompt } from '../prompts/prompt.js';
import { objectWith, wholeNumber } from './option-schemas.js';

/** The settings of a condenser's model call. */
export interface ModelCallOptions {
  /**
   * The prompt: the text of a Jinja template, a template loaded by `loadTemplate` of `@palimpsest/templates`, or a function.
   * @defaultValue the condenser's own template
   */
  readonly prompt?: string | Template | Prompt | undefined;
  /** Longer events are cut in the middle. Unit: characters, at least 100. @defaultValue 10000; 2000 for a ranking */
  readonly maxEventCharacters?: number | undefined;
  /** The limit of the answer, thinking included. Unit: tokens. @defaultValue the adapter's limit */
  readonly maxOutputTokens?: number | undefined;
  /** The deadline of one call. Unit: milliseconds. @defaultValue 120000 */
  readonly timeoutMs?: number | undefined;
}

/** The schemas of {@link ModelCallOptions}. */
export function modelCallOptions(maxEventCharacters: number): {
  readonly prompt: z.ZodMiniOptional<
    z.ZodMiniUnion<[z.ZodMiniString<string>, z.ZodMiniCustom<Template, Template>, z.ZodMiniCustom<Prompt, Prompt>]>
  >;
  readonly maxEventCharacters: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
  readonly maxOutputTokens: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
  readonly timeoutMs: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
} {
  const isPrompt = (value: unknown): boolean => typeof value === 'function';
  return {
    prompt: z.optional(
      z.union([z.string(), objectWith<Template>('render'), z.custom<Prompt>(isPrompt)], {
        error: 'must be the text of a template, a loaded template, or a function',
      }),
    ),
    maxEventCharacters: z._default(wholeNumber(100), maxEventCharacters),
    maxOutputTokens: z.optional(wholeNumber(1)),
    timeoutMs: timeoutMs(),
  };
}

/** The schema of a model's or summariser's deadline. Unit: milliseconds. */
export function timeoutMs(): z.ZodMiniDefault<z.ZodMiniNumberFormat> {
  return z._default(wholeNumber(1), 120_000);
}
