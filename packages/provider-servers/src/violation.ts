/** What a provider would refuse in a request. */
export interface Violation {
  /** The rule that it breaks, by its row in docs/provider-rules.md: `A5`, `B-tools`. */
  readonly rule: string;
  /** Where in the body: keys joined by dots, `messages.3.content.0`. Empty when the body itself is wrong. */
  readonly path: string;
  /** Why: the provider's own words where they are known. */
  readonly message: string;
}

/** Makes the violations of one rule. */
export type Report = (path: string, message: string) => Violation;

/** A {@link Report} for a rule. */
export function reportFor(rule: string): Report {
  return (path, message) => ({ rule, path, message });
}
