import { PalimpsestError } from '@palimpsest/events';

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
