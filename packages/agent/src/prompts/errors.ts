import { PalimpsestError } from '@palimpsest/events';

/** The text of a skill is invalid. The message names the file and the problem. */
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
