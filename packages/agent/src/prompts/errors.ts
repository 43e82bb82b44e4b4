import { PalimpsestError } from '@palimpsest/events';

/** A prompt template is missing, does not parse, or cannot be rendered. Names the file, and the line where it is known. */
export class PromptTemplateError extends PalimpsestError {
  static override get typeName(): string {
    return 'PromptTemplateError';
  }

  /** Where the template was looked for: a path, or a name among the built-in ones. */
  readonly file: string;
  /** On which the tag begins that is wrong. The first is 1. Undefined where it is not about one tag. */
  readonly line: number | undefined;

  constructor(
    file: string,
    reason: string,
    { line, ...options }: { readonly cause?: unknown; readonly line?: number | undefined } = {},
  ) {
    super(
      'prompt-template',
      `The prompt template '${file}'${line === undefined ? '' : `, line ${line},`} ${reason}`,
      options,
    );
    this.file = file;
    this.line = line;
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
