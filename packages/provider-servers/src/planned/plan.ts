/** A text that stood before the model once, and that a later step needs. */
export interface PlanFact {
  /** The text that stands in a prompt that shows the fact. It has no quotation mark, backslash or line break, so that JSON holds it unchanged. */
  readonly shows: string;
  /** The text that the model writes where a step names the fact. */
  readonly value: string;
  /** The file in which it can be read again. @defaultValue none: the user has said it */
  readonly file?: string | undefined;
  /** Its line there. The first is 1. @defaultValue not told */
  readonly line?: number | undefined;
}

/** A step of the work. Paths are relative to the agent's folder; `{{name}}` in a text is the value of a fact, which the step needs. */
export type PlanStep =
  | { readonly do: 'read'; readonly file: string }
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'edit'; readonly file: string; readonly oldText: string; readonly newText: string };

/** The work on a task, for a model that follows it. It is plain JSON. */
export interface Plan {
  readonly facts: Readonly<Record<string, PlanFact>>;
  readonly steps: readonly PlanStep[];
}

const place = /\{\{([^{}]+)\}\}/g;

/** Returns the names of the facts that a step needs. */
export function factsNeededBy(step: PlanStep): readonly string[] {
  if (step.do === 'read') return [];
  const texts = step.do === 'write' ? step.text : `${step.oldText}\n${step.newText}`;
  return [...new Set([...texts.matchAll(place)].map(([, name]) => name ?? ''))];
}

/** Puts values in the place of facts. @param valueOf - returns the value of a fact by its name */
export function withFacts(text: string, valueOf: (name: string) => string): string {
  return text.replace(place, (_, name: string) => valueOf(name));
}
