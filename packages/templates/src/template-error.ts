import { PalimpsestError } from '@palimpsest/events';

/** A prompt template is missing, does not parse, or cannot be rendered. Names the template, and the line where it is known. */
export class PromptTemplateError extends PalimpsestError {
  static override get typeName(): string {
    return 'PromptTemplateError';
  }

  /** Where the template was looked for: a path, or the name that its source gives it. */
  readonly file: string;
  /** On which the tag begins that is wrong. The first is 1. Undefined where it is not about one tag. */
  readonly line: number | undefined;
  /** What is wrong and what to do, without the place. */
  readonly reason: string;

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
    this.reason = reason;
  }
}
