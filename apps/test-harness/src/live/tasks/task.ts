import type { Plan } from '@palimpsest/provider-servers';

/** A task without its name: what the agent is told, what it finds, and what must be there in the end. */
export interface TaskDraft {
  readonly instruction: string;
  /** The files of the agent's folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The files that must be there in the end, with their whole text. White space at the ends of lines, and empty lines, do not count. */
  readonly expected: Readonly<Record<string, string>>;
  /** The work as a model with a script does it, each text at the place where it first stands. */
  readonly plan: Plan;
}

/** A family of tasks: each size and seed gives one, the same each time. */
export interface TaskFamily {
  readonly name: string;
  /** The fact that is long ago when it is needed. */
  readonly summary: string;
  /** @param size - how many files there are to read, at least 4. @param random - numbers from 0 to 1 */
  readonly draft: (size: number, random: () => number) => TaskDraft;
}

/** A task of a family. */
export interface GeneratedTask extends TaskDraft {
  /** Its name, in which its family, size and seed stand. */
  readonly name: string;
  readonly family: string;
  readonly size: number;
  readonly seed: number;
}
