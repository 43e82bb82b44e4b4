import { PalimpsestError } from '@palimpsest/events';

/** A prompt template is missing, does not parse, or cannot be rendered. Names the file. */
export class PromptTemplateError extends PalimpsestError {
  static override get typeName(): string {
    return 'PromptTemplateError';
  }

  /** Where the template was looked for: a path, or a name among the built-in ones. */
  readonly file: string;

  constructor(file: string, reason: string, options?: { readonly cause?: unknown }) {
    super('prompt-template', `The prompt template '${file}' ${reason}`, options);
    this.file = file;
  }
}

/** A skill's text is not one. Names the file and what is wrong with it. */
export class InvalidSkillError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSkillError';
  }

  readonly file: string;

  constructor(file: string, reason: string, options?: { readonly cause?: unknown }) {
    super('invalid-skill', `The skill '${file}' ${reason}`, options);
    this.file = file;
  }
}
