import type { Template } from '@palimpsest/templates';
import * as z from 'zod/mini';
import type { Prompt } from '../prompts/prompt.js';
import { objectWith, wholeNumber } from './option-schemas.js';

/** How a condenser asks its model. */
export interface ModelCallOptions {
  /**
   * What the model is asked: the text of a Jinja template, one that `loadTemplate` of `@palimpsest/templates` has loaded, or a
   * function. @defaultValue a template of the condenser's own
   */
  readonly prompt?: string | Template | Prompt | undefined;
  /** A longer event is cut in its middle. Unit: characters, at least 100. @defaultValue 10000; 2000 for a ranking */
  readonly maxEventCharacters?: number | undefined;
  /** The longest answer, thinking included. Unit: tokens. @defaultValue what the adapter takes */
  readonly maxOutputTokens?: number | undefined;
  /** How long one call may take. Unit: milliseconds. @defaultValue 120000 */
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

/** How long a model, or a summariser, may take. Unit: milliseconds. */
export function timeoutMs(): z.ZodMiniDefault<z.ZodMiniNumberFormat> {
  return z._default(wholeNumber(1), 120_000);
}
