import { PromptTemplateError } from './template-error.js';

/** The limits of a template. Exceeding one throws a {@link PromptTemplateError}, whatever the template contains. */
export interface TemplateLimits {
  /**
   * Steps of one rendering. Each evaluated part counts 1, each 64 characters read or written count 1, and each item of a loop
   * counts 4. @defaultValue 1,000,000, which takes about a second
   */
  readonly maxSteps?: number;
  /** The length of the rendered text and of every intermediate text. Unit: characters. @defaultValue 10,000,000 */
  readonly maxCharacters?: number;
  /** The length of a template together with its includes. Unit: characters. @defaultValue 1,000,000 */
  readonly maxTemplateCharacters?: number;
}

/** The default limits. */
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

/** Characters read or written in one step. */
const charactersPerStep = 64;

/** The remaining budget of one rendering. */
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

  /** Spends steps for characters that an operation reads. @throws TemplateLimitError when no steps are left. */
  read(characters: number): void {
    this.spend(characters / charactersPerStep);
  }

  /** Spends steps for a text that an operation makes. @throws TemplateLimitError when it is too long, or no steps are left. */
  write(characters: number): void {
    this.allow(characters);
    this.read(characters);
  }

  /** Checks the length of a text. @throws TemplateLimitError when the text is too long. */
  allow(characters: number): void {
    if (characters > this.#limits.maxCharacters) {
      throw new TemplateLimitError(
        `it makes a text of more than ${this.#limits.maxCharacters} characters; show less, or raise the limit 'maxCharacters'`,
      );
    }
  }
}

/** A rendering exceeded a limit. This error never leaves the package: it becomes a {@link PromptTemplateError} with a place. */
export class TemplateLimitError extends Error {}
