/** A JSON object in a request. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object. */
export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value if it is a list; otherwise an empty list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The value if it is text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
