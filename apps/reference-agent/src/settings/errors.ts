import { PalimpsestError } from '@palimpsest/events';

/** One thing that is wrong in a configuration. */
export interface SettingsProblem {
  /** What is wrong, and what to do. */
  readonly reason: string;
  /** Counted from 1. Absent if the place is not known. */
  readonly line?: number | undefined;
  /** Counted from 1. */
  readonly column?: number | undefined;
}

/** A configuration cannot be used: its file cannot be read, is not TOML, or has names or values that are none. */
export class InvalidSettingsError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSettingsError';
  }

  /** The file, or a word for what is none, such as the command line. */
  readonly file: string;
  readonly problems: readonly SettingsProblem[];

  constructor(file: string, problems: readonly SettingsProblem[], options?: { readonly cause?: unknown }) {
    super(
      'invalid-settings',
      problems.map((problem) => `${place(file, problem)}: ${problem.reason}`).join('\n'),
      options,
    );
    this.file = file;
    this.problems = problems;
  }
}

/** The record of trusted folders cannot be used. */
export class TrustError extends PalimpsestError {
  static override get typeName(): string {
    return 'TrustError';
  }

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('trust', message, options);
  }
}

/** In the form in which terminals and editors make a link of it. */
function place(file: string, { line, column }: SettingsProblem): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
