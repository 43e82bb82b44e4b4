import type { Violation } from '../violation.js';

/** A {@link Violation} with the additional fields of OpenAI's error body. */
export interface OpenAIViolation extends Violation {
  /** @defaultValue 400 */
  readonly status?: number;
  /** @defaultValue none */
  readonly code?: string;
}

/** Makes the violations of one rule. */
export type OpenAIReport = (
  path: string,
  message: string,
  details?: { readonly status?: number; readonly code?: string },
) => OpenAIViolation;

/** An {@link OpenAIReport} for a rule. */
export function openaiReportFor(rule: string): OpenAIReport {
  return (path, message, details = {}) => ({ rule, path, message, ...details });
}

/** A path in the form of OpenAI's error texts: `messages[2].tool_calls[0].id`. */
export function quotedPath(path: string): string {
  return path.replaceAll(/\.(\d+)/g, '[$1]');
}

/** A path in the form of `param`: `messages.[2].role`. */
export function paramOf(path: string): string | null {
  return path === '' ? null : path.replaceAll(/\.(\d+)/g, '.[$1]');
}
