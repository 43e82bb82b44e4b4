import type { JsonObject } from './wire-json.js';

/** A violation for which a provider would refuse a request. */
export interface Violation {
  /** The violated rule, by its row in docs/provider-rules.md: `A5`, `B-tools`. */
  readonly rule: string;
  /** The path in the body, with keys joined by dots: `messages.3.content.0`. Empty if the body itself is invalid. */
  readonly path: string;
  /** The reason, in the provider's own text if it is known. */
  readonly message: string;
}

/** A maker of the violations of one rule. */
export type Report = (path: string, message: string) => Violation;

/** Returns a {@link Report} for a rule. */
export function reportFor(rule: string): Report {
  return (path, message) => ({ rule, path, message });
}

/** A {@link Violation} with the additional fields of OpenAI's error body. */
export interface OpenAIViolation extends Violation {
  /** @defaultValue 400 */
  readonly status?: number;
  /** @defaultValue none */
  readonly code?: string;
}

/** A maker of the violations of one rule. */
export type OpenAIReport = (
  path: string,
  message: string,
  details?: { readonly status?: number; readonly code?: string },
) => OpenAIViolation;

/** Returns an {@link OpenAIReport} for a rule. */
export function openaiReportFor(rule: string): OpenAIReport {
  return (path, message, details = {}) => ({ rule, path, message, ...details });
}

/** Returns a path in the form of OpenAI's error texts: `messages[2].tool_calls[0].id`. */
export function quotedPath(path: string): string {
  return path.replaceAll(/\.(\d+)/g, '[$1]');
}

/** Returns a path in the form of `param`: `messages.[2].role`. */
export function paramOf(path: string): string | null {
  return path === '' ? null : path.replaceAll(/\.(\d+)/g, '.[$1]');
}

/** An error for an answer, independent of the error format of the provider. */
export interface ServerError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Details in the format of the provider, such as `{ error_code }` at Anthropic. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For example `retry-after`; `x-should-retry: false` keeps an SDK from trying again. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error with the place in the request that caused it. */
export interface OpenAIError extends ServerError {
  /** @defaultValue null */
  readonly param?: string | null;
  /** Additional fields of some servers. */
  readonly details?: JsonObject;
}
