/** A violation for which a provider would refuse a request. */
export interface Violation {
  /** The violated rule, by its row in docs/provider-rules.md: `A5`, `B-tools`. */
  readonly rule: string;
  /** The path in the body, with keys joined by dots: `messages.3.content.0`. Empty if the body itself is invalid. */
  readonly path: string;
  /** The reason, in the provider's own text if it is known. */
  readonly message: string;
}

/** Creates the violations of one rule. */
export type Report = (path: string, message: string) => Violation;

/** A {@link Report} for a rule. */
export function reportFor(rule: string): Report {
  return (path, message) => ({ rule, path, message });
}
