import { PromptTemplateError } from './template-error.js';

/** How much a template may do. More is a {@link PromptTemplateError}, whatever the template holds. */
export interface TemplateLimits {
  /**
   * Steps of one rendering: a part that is evaluated counts one, and so do 64 characters that are read or written; an item of a
   * loop counts four. @defaultValue 1,000,000, which takes about a second
   */
  readonly maxSteps?: number;
  /** The rendered text, and every text on the way to it. Unit: characters. @defaultValue 10,000,000 */
  readonly maxCharacters?: number;
  /** A template with everything that it includes. Unit: characters. @defaultValue 1,000,000 */
  readonly maxTemplateCharacters?: number;
}

/** The limits where none are given. */
export const defaultTemplateLimits: Readonly<Required<TemplateLimits>> = {
  maxSteps: 1_000_000,
  maxCharacters: 10_000_000,
  maxTemplateCharacters: 1_000_000,
};

/** The limits with the defaults filled in. @throws {@link PromptTemplateError} when one is not a whole number above 0. */
export function checkedLimits(given: TemplateLimits | undefined, file: string): Required<TemplateLimits> {
  const limits = { ...defaultTemplateLimits, ...given };
  for (const name of Object.keys(defaultTemplateLimits) as (keyof TemplateLimits)[]) {
    if (Number.isSafeInteger(limits[name]) && limits[name] > 0) continue;
    throw new PromptTemplateError(file, `cannot be bounded: ${name} must be a whole number above 0.`);
  }
  return limits;
}

/** Characters that are read or written in one step. */
const charactersPerStep = 64;

/** What is left of the limits of one rendering. */
export class RenderingBudget {
  readonly #limits: Required<TemplateLimits>;
  #steps = 0;

  constructor(limits: Required<TemplateLimits>) {
    this.#limits = limits;
  }

  /** @throws TemplateLimitError when no steps are left. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.maxSteps) {
      throw new TemplateLimitError(
        `it takes more than ${this.#limits.maxSteps} steps; loop over less, or raise the limit 'maxSteps'`,
      );
    }
  }

  /** For characters that an operation looks at. @throws TemplateLimitError when no steps are left. */
  read(characters: number): void {
    this.spend(characters / charactersPerStep);
  }

  /** For a text that an operation makes. @throws TemplateLimitError when it is too long, or no steps are left. */
  write(characters: number): void {
    this.allow(characters);
    this.read(characters);
  }

  /** @throws TemplateLimitError when a text may not be so long. */
  allow(characters: number): void {
    if (characters > this.#limits.maxCharacters) {
      throw new TemplateLimitError(
        `it makes a text of more than ${this.#limits.maxCharacters} characters; show less, or raise the limit 'maxCharacters'`,
      );
    }
  }
}

/** A rendering went beyond a limit. Never leaves the package: a {@link PromptTemplateError} says where. */
export class TemplateLimitError extends Error {}
