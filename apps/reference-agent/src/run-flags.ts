import type { OutputFormat } from './headless/run-output.js';
import type { Effort } from './settings/efforts.js';

/** The options of a run, as the command line gives them. */
export interface RunFlags {
  /** The task; `-` reads it from standard input. */
  readonly print?: string;
  /** Standard input is waited for, however long it takes to come. @defaultValue false */
  readonly stdin?: boolean;
  readonly outputFormat: OutputFormat;
  /** Interactive: line by line, for screen readers. */
  readonly plain?: boolean;
  /** With `stream-json`: pieces of answers, too. */
  readonly deltas?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  /** The model is at its provider's own address, whatever the settings and `baseUrl` name, which is where a small model is. @defaultValue false */
  readonly isProvidersAddress?: boolean;
  readonly smallModel?: string;
  readonly toolCalls?: 'native' | 'text';
  /** Unit: USD. */
  readonly maxCost?: number;
  /** Unit: model calls. */
  readonly maxSteps?: number;
  /** Prompt templates in the place of ours. A relative path starts from the folder to work in. */
  readonly templateFolder?: string;
  /** Unit: tokens. */
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /** How long a failed call of the model is tried again. Unit: seconds. */
  readonly retrySeconds?: number;
  /** The folder to work in. */
  readonly cwd?: string;
  /** A configuration file. */
  readonly config?: string;
  /** Every call is allowed. */
  readonly yolo?: boolean;
  /** What becomes of a call that needs a yes. */
  readonly onAsk?: 'deny' | 'wait';
}
