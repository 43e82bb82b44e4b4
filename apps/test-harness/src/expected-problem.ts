import { PalimpsestError } from '@palimpsest/events';

/** What to print of an error that the user can do something about; undefined for a defect, whose stack is needed. */
export function expectedProblem(error: unknown): string | undefined {
  return PalimpsestError.isInstance(error) ? error.message : undefined;
}
