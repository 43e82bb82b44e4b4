import { field, textOf } from '../http-failure.js';

/** The texts in an answer's content: the content itself, or its parts, as Mistral answers. */
export function textsIn(content: unknown): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.flatMap((part) => (isReasoning(part) ? [] : (textOf(part) ?? textOf(field(part, 'text')) ?? [])));
}

/** By which names servers hand out thinking. Those that change from one to the other send both, with the same text. */
const thinkingFields = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** The thinking that comes with an answer: in a field of its own, or as parts of the content. */
export function thinkingIn(message: unknown): string | undefined {
  const named = thinkingFields.map((name) => textOf(field(message, name))).find((text) => text !== undefined);
  if (named !== undefined) return named;
  const content = field(message, 'content');
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const thoughts = parts.flatMap((part) =>
    isReasoning(part) ? (textOf(field(part, 'text')) ?? []) : textsIn(field(part, 'thinking')),
  );
  return thoughts.length === 0 ? undefined : thoughts.join('');
}

/** A part that is no word of the answer, as the AI SDK has it. */
export function isReasoning(part: unknown): boolean {
  return field(part, 'type') === 'reasoning';
}
