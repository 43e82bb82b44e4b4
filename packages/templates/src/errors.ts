import { PalimpsestError } from '@palimpsest/events';

/** A prompt template is missing, does not parse, or cannot be rendered. The error names the template and, if known, the line. */
export class PromptTemplateError extends PalimpsestError {
  static override get typeName(): string {
    return 'PromptTemplateError';
  }

  /** The place in which the template was looked up: a path, or the name that its source gives it. */
  readonly file: string;
  /** The line on which the wrong tag begins, from 1. Undefined if the error does not concern a single tag. */
  readonly line: number | undefined;
  /** The problem and its remedy, without the place. */
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
